// SPDX-License-Identifier: Apache-2.0
#include "converter/base/visible.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Visible, KeepsPrintableTextAsItIs) {
  for (const std::string_view text :
       {"", "conv1/Relu:0", "a \"b\" \\n", "m\xc3\xa9lange \xe6\xa8\xa1 \xf0\x9f\x8e\xb5"}) {
    EXPECT_EQ(Visible(text), text);
    EXPECT_EQ(VisibleJson(text), text);
  }
}

TEST(Visible, EscapesWhatATerminalWouldRun) {
  EXPECT_EQ(Visible(std::string_view("a\0b\x1b[2J\r\n\t\x7f", 11)),
            "a\\x00b\\x1b[2J\\r\\n\\t\\x7f");
  EXPECT_EQ(Visible("\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf\xf3\xa0\x81\x81"),
            "\\u009b\\u202e\\u2028\\ufeff\\ue0041");
  EXPECT_EQ(Visible("a\nb\x1b\n", /*keep_line_ends=*/true), "a\nb\\x1b\n");
}

TEST(Visible, ShowsBytesThatAreNoUtf8) {
  // A continuation byte, a truncated character, an overlong encoding, half of a surrogate pair, and
  // a code beyond Unicode.
  EXPECT_EQ(Visible("\xff|\xe2\x80|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80"),
            "\\xff|\\xe2\\x80|\\xc0\\xaf|\\xed\\xa0\\x80|\\xf4\\x90\\x80\\x80");
}

TEST(Visible, KeepsJsonWhole) {
  EXPECT_EQ(VisibleJson("{\n  \"a\x7f\xc2\x9b\": \"\xf3\xa0\x81\x81\"\n}"),
            "{\n  \"a\\u007f\\u009b\": \"\\udb40\\udc41\"\n}");
}

TEST(Shortened, CutsTheMiddleBetweenCharacters) {
  EXPECT_EQ(Shortened("short", 5), "short");
  EXPECT_EQ(Shortened(std::string(60, 'a') + std::string(40, 'b'), 40),
            std::string(30, 'a') + " ... (60 bytes) ... " + std::string(10, 'b'));
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\xc3\xa9";
  for (size_t max = 0; max < 60; ++max) {
    const std::string text = Shortened(accents, max);
    EXPECT_EQ(Visible(text), text) << max;
    EXPECT_EQ(Visible(PrefixOf(accents, max)), PrefixOf(accents, max)) << max;
    EXPECT_EQ(PrefixOf(accents, max).size(), max / 2 * 2);
  }
}

}  // namespace
}  // namespace weft
