// SPDX-License-Identifier: Apache-2.0
// ParseWithStrtod accepts the texts that std::from_chars accepts, with the same values.
#include "converter/base/parse_number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

namespace weft {
namespace {

// Both results are absent, both are NaN, or they have the same bits.
void ExpectEqual(const std::string& text) {
  const std::optional<double> is = ParseWithStrtod(text);
  const std::optional<double> must = ParseNumber<double>(text);
  ASSERT_EQ(is.has_value(), must.has_value()) << '"' << text << '"';
  if (!must || (std::isnan(*is) && std::isnan(*must))) return;
  EXPECT_EQ(std::bit_cast<uint64_t>(*is), std::bit_cast<uint64_t>(*must)) << '"' << text << '"';
}

TEST(ParseNumber, StrtodAcceptsTheTextsOfFromChars) {
  if (!kHasFloatFromChars) GTEST_SKIP() << "this C++ library has no std::from_chars for floats";
  for (const char* text :
       {"",
        "-",
        "+",
        "0",
        "-0",
        "00",
        "1",
        "+1",
        "-+1",
        "--1",
        " 1",
        "1 ",
        "-\t1",
        "1,2",
        ".",
        ".5",
        "5.",
        "-.5",
        "1e",
        "1e5",
        "1E+5",
        "1e-5",
        "e5",
        "0x10",
        "0X1p3",
        "-0x1",
        "inf",
        "-inf",
        "INF",
        "Infinity",
        "infinit",
        "nan",
        "-nan",
        "NaN",
        "none",
        "1e308",
        "1e309",
        "-1e309",
        "1e-307",
        "4.9e-324",
        "2.3e-310",
        "1e-400",
        "-1e-400",
        "0e-400",
        "0.1",
        "3.402823466e+38",
        "179769313486231570814527423731704356798070567525844996598917476803157260780028538760589558"
        "632"
        "766878171540458953514382464234321326889464182768467546703537516986049910576551282076245490"
        "090"
        "389328944075868508455133942304583236903222948165808559332123347747967"}) {
    ExpectEqual(text);
  }
  ExpectEqual(std::string("1\0", 2));
}

TEST(ParseNumber, StrtodAgreesOnRandomTexts) {
  if (!kHasFloatFromChars) GTEST_SKIP() << "this C++ library has no std::from_chars for floats";
  std::mt19937 random(1);
  constexpr std::string_view kCharacters = "0123456789.-+eExinfa ";
  for (int i = 0; i < 100000; ++i) {
    std::string text;
    for (size_t length = random() % 8; length > 0; --length) {
      text += kCharacters[random() % kCharacters.size()];
    }
    ExpectEqual(text);
  }
}

}  // namespace
}  // namespace weft
