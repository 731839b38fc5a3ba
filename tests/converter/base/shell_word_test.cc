// SPDX-License-Identifier: Apache-2.0
// Oracle: the shell of this system, which prints the word.
#include "converter/base/shell_word.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace weft {
namespace {

std::string Printed(const std::string& command) {
  std::string text;
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

TEST(ShellWord, IsReadAsOneWordWithoutExpansion) {
  std::string each;
  for (char c = 1; c < 127; ++c) each += c;
  const std::string words[] = {each,
                               "",
                               " ",
                               "model.weft",
                               "a;touch b",
                               "$(id)",
                               "it's",
                               "x&y",
                               "a>b",
                               "!1",
                               "~",
                               "=ls",
                               "{a,b}",
                               "*",
                               "gr\xc3\xbc\xc3\x9f"
                               "e"};
  for (const std::string& word : words) {
    EXPECT_EQ(Printed("printf '[%s]' " + ShellWord(word)), "[" + word + "]");
  }
  for (char c = 1; c < 127; ++c) {
    const std::string word = std::string(1, c) + "w" + c;
    EXPECT_EQ(Printed("printf '[%s]' " + ShellWord(word)), "[" + word + "]");
  }
}

TEST(ShellWord, QuotesOnlyWhatNeedsQuotes) {
  EXPECT_EQ(ShellWord("x=1,25,512"), "x=1,25,512");
  EXPECT_EQ(ShellWord("net/a:0"), "net/a:0");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("a'b"), "'a'\\''b'");
  EXPECT_EQ(ShellWord(""), "''");
}

}  // namespace
}  // namespace weft
