// SPDX-License-Identifier: Apache-2.0
// Requantisation by integers, against codes of tflite-micro and against its definition.
#include <gtest/gtest.h>

#include "kernels/reference/quantize.h"
#include "tests/kernels/codes_cases.h"

namespace weft::kernels {
namespace {

// Numbers near powers of two, and random ones of every length.
std::vector<int32_t> NumbersOfEveryLength() {
  Random random(1);
  std::vector<int32_t> numbers = {0, 1, -1, 2, -2, 3, -3, 0x7FFFFFFF, -0x7FFFFFFF, -0x7FFFFFFF - 1};
  for (uint32_t bit = 0; bit < 31; ++bit) {
    for (const int32_t near : {-1, 0, 1}) {
      numbers.push_back((1 << bit) + near);
      numbers.push_back(-(1 << bit) - near);
    }
  }
  for (int32_t i = 0; i < 200; ++i) {
    numbers.push_back(static_cast<int32_t>(random.Next()) >> random.Below(31));
  }
  return numbers;
}

// On every core, also one that computes it by products of 64 bits.
TEST(Requantise, MultipliesByProductsOf32Bits) {
  const std::vector<int32_t> numbers = NumbersOfEveryLength();
  for (const int32_t mantissa : numbers) {
    for (const int32_t x : numbers) {
      const int64_t product = int64_t{x} * mantissa, unit = int64_t{1} << 31;
      int64_t rounded = product / unit;  // towards 0
      const int64_t rest = product - rounded * unit;
      if (rest >= unit / 2) ++rounded;
      if (rest < -unit / 2) --rounded;
      ASSERT_EQ(HighProductBy32(x, mantissa), static_cast<int32_t>(rounded))
          << x << ' ' << mantissa;
      ASSERT_EQ(HighProductBy64(x, mantissa), static_cast<int32_t>(rounded))
          << x << ' ' << mantissa;
    }
  }
}

TEST(Requantise, MatchesItsReferenceForEveryExponent) {
  const std::vector<int32_t> numbers = NumbersOfEveryLength();
  for (int32_t exponent = -31; exponent <= 30; ++exponent) {
    for (const int32_t mantissa : {0, 0x40000000, 0x40000001, 0x5A827999, 0x7FFFFFFE, 0x7FFFFFFF}) {
      for (const int32_t x : numbers) {
        const Multiplier by = {mantissa, exponent};
        ASSERT_EQ(Rescaled(x, by), RescaledReference(x, by))
            << x << ' ' << mantissa << ' ' << exponent;
        if (!SmallFactor::Fits(by)) continue;
        ASSERT_EQ(SmallFactor(by)(x), RescaledReference(x, by))
            << x << ' ' << mantissa << ' ' << exponent;
      }
    }
  }
}

// Computed by the integer kernels of TensorFlow Lite for Microcontrollers.
TEST(Requantise, RoundsTwice) {
  struct Case {
    int32_t x, mantissa, exponent, y;
  };
  for (const Case& c :
       {Case{3, 0x40000000, 0, 2}, Case{-3, 0x40000000, 0, -1}, Case{1, 0x40000000, 0, 1},
        Case{-1, 0x40000000, 0, 0}, Case{5, 0x40000000, -1, 2}, Case{-5, 0x40000000, -1, -1},
        Case{6, 0x40000000, -1, 2}, Case{-6, 0x40000000, -1, -2}, Case{-7, 0x40000000, -1, -2},
        Case{1000, 0x5A827999, -4, 44}, Case{-1000, 0x5A827999, -4, -44},
        Case{123456, 0x6ABCDEF1, -9, 201}, Case{-123456, 0x6ABCDEF1, -9, -201},
        Case{77, 0x7FFFFFFF, 2, 308}, Case{-77, 0x40000001, 3, -308}}) {
    EXPECT_EQ(Rescaled(c.x, {c.mantissa, c.exponent}), c.y) << c.x;
  }
}

TEST(Requantise, LimitsCodesBeforeTheyOverflow) {
  const CodeRange codes = {100, -100, 120};
  EXPECT_EQ(CodeOfInteger(0x7FFFFFFF, codes), 120);
  EXPECT_EQ(CodeOfInteger(-0x7FFFFFFF - 1, codes), -100);
  EXPECT_EQ(CodeOfInteger(19, codes), 119);
  EXPECT_EQ(CodeOfInteger(21, codes), 120);
}

}  // namespace
}  // namespace weft::kernels
