// SPDX-License-Identifier: Apache-2.0
#include "converter/base/quantisation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/converter/quantised.h"

namespace weft {
namespace {

void ExpectHolds(const std::vector<float>& codes, float scale, IntegerRange range = kRangeOfI8) {
  const CodedFloats numbers = Quantised(codes, scale);
  ASSERT_NE(numbers.quantisation, nullptr);
  const auto grid = GridOf(numbers.floats, numbers.quantisation->scales(), range);
  ASSERT_TRUE(grid.has_value());
  ASSERT_EQ(grid->integers.size(), codes.size());
  for (size_t i = 0; i < codes.size(); ++i) {
    EXPECT_GE(grid->integers[i], range.min);
    EXPECT_LE(grid->integers[i], range.largest);
    EXPECT_EQ(static_cast<float>(grid->integers[i] - grid->offset) * grid->scale,
              numbers.floats[i]);
  }
}

std::optional<IntegerGrid> GridOfCodes(const std::vector<float>& codes,
                                       const std::vector<float>& scales,
                                       IntegerRange range = kRangeOfI8) {
  return GridOf(Quantised(codes, scales).floats, scales, range);
}
std::optional<IntegerGrid> GridOfCodes(const std::vector<float>& codes, float scale,
                                       IntegerRange range = kRangeOfI8) {
  return GridOfCodes(codes, std::vector<float>(codes.size(), scale), range);
}

TEST(Quantisation, BecomesIntegersOfAnyScale) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const float scale = std::ldexp(1.0f + static_cast<float>(random() % 8388608) / 8388608.0f,
                                   static_cast<int>(random() % 60) - 40);
    std::vector<float> codes(33);
    for (float& code : codes) code = static_cast<float>(random() % 256) - 128;
    ExpectHolds(codes, round % 2 == 0 ? scale : -scale);
  }
}

TEST(Quantisation, KeepsSymmetricIntegersWithoutOffset) {
  const auto grid = GridOfCodes({-127, 5, 127, 0}, 0.013f);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->offset, 0);
  EXPECT_EQ(grid->scale, 0.013f);
  EXPECT_EQ(grid->integers, (std::vector<int8_t>{-127, 5, 127, 0}));
}

TEST(Quantisation, KeepsANegativeScaleForMinus128) {
  const auto grid = GridOfCodes({-128, 3, 127}, -0.25f);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->offset, 0);
  EXPECT_EQ(grid->scale, -0.25f);
  EXPECT_EQ(grid->integers, (std::vector<int8_t>{-128, 3, 127}));
}

TEST(Quantisation, HasAnOffsetIfDifferencesExceedTheRange) {
  for (const float zero : {0, 1, 100, 120, 128, 140, 254, 255}) {
    std::vector<float> codes;
    for (int32_t code = 0; code < 256; ++code) codes.push_back(static_cast<float>(code) - zero);
    ExpectHolds(codes, 0.00371f);
  }
  EXPECT_EQ(GridOfCodes({-120, 135, 1}, 0.5f)->offset, -8);
}

TEST(Quantisation, HoldsFourBits) {
  ExpectHolds({-8, 7, 1, 0, 3}, -0.07f, kRangeOfI4);
  ExpectHolds({-3, 12, 1, 0, 5}, 0.07f, kRangeOfI4);
  EXPECT_FALSE(GridOfCodes({-8, 8, 1}, 0.07f, kRangeOfI4).has_value());
}

TEST(Quantisation, OfZerosHasAnyScale) {
  EXPECT_EQ(GridOfCodes({0, 0, 0}, 0.5f)->scale, 0.0f);
  EXPECT_TRUE(GridOf({}, {})->integers.empty());
  const auto one = GridOfCodes({1, 0, 1}, {0.3f, 0.7f, 0.3f});
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->scale, 0.3f);
  EXPECT_EQ(one->integers, (std::vector<int8_t>{1, 0, 1}));
}

TEST(Quantisation, KeepsTheSignOfZero) {
  const auto grid = GridOfCodes({0, -1, 2}, -1.5f);
  EXPECT_EQ(grid->scale, -1.5f);
  EXPECT_EQ(grid->integers, (std::vector<int8_t>{0, -1, 2}));
}

TEST(Quantisation, TakesTheCoarsestScaleThatIsExact) {
  const auto grid = GridOfCodes({-96, 0, 112}, 0.25f, kRangeOfI4);
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->scale, 4.0f);
  EXPECT_EQ(grid->integers, (std::vector<int8_t>{-6, 0, 7}));
  const float odd = 1 + 0x1p-23f;
  EXPECT_EQ(GridOfCodes({-9, 6, 3}, odd)->scale, odd) << "3 * odd has too many bits";
}

TEST(Quantisation, OfSeveralScalesOrTooManyCodesIsNoGrid) {
  EXPECT_FALSE(GridOfCodes({1, 2}, {0.3f, 0.4f}).has_value());
  EXPECT_FALSE(GridOfCodes({-200, 200, 1}, 1).has_value());
  EXPECT_FALSE(GridOfCodes({1}, std::numeric_limits<float>::denorm_min()).has_value());
}

TEST(Quantisation, IsExact) {
  EXPECT_NE(Quantised({1, -255}, 0.1f).quantisation, nullptr);
  EXPECT_EQ(Quantised({1, 256}, 0.1f).quantisation, nullptr);
  EXPECT_EQ(Quantised({1.5f, 2}, 0.1f).quantisation, nullptr);
  const float next = std::nextafter(0.1f, 1.0f), none = std::nanf("");
  EXPECT_EQ(QuantisationOf(std::vector<float>{next}, 0.1f), nullptr);
  EXPECT_EQ(QuantisationOf(std::vector<float>{none}, none), nullptr);
}

TEST(Quantisation, ReturnsOneScalePerNumber) {
  std::vector<std::vector<float>> all = {{},
                                         {3},
                                         {1, 1, 1},
                                         {1, 1, 2, 2, 2, 2, 3, 3},
                                         {1, 2, 3, 1, 2, 3},
                                         {1, 1, 0, 1, 1, 0, 2, 2, 0, 2, 2, 0},
                                         {1, 2, 1, 3, 1, 2},
                                         {1, 2, 3, 4, 5}};
  std::vector<float> panel;  // 3 panels of 16 outputs and 5 inputs, padded after output 37
  for (int i = 0; i < 240; ++i) panel.push_back(i / 80 * 16 + i % 16 > 37 ? 0 : 0.5f);
  all.push_back(panel);
  for (size_t i = 0; i < 240; ++i) panel[i] *= static_cast<float>(i / 80 * 16 + i % 16);
  all.push_back(panel);
  for (const std::vector<float>& scales : all) {
    const Quantisation quantisation(scales);
    EXPECT_EQ(quantisation.count(), scales.size());
    EXPECT_EQ(quantisation.scales(), scales);
  }
  EXPECT_EQ(Quantisation(0.5f, 3).scales(), std::vector<float>(3, 0.5f));
}

TEST(Quantisation, StoresAScaleOncePerAxis) {
  std::vector<float> scales;
  for (int i = 0; i < 600; ++i) scales.push_back(static_cast<float>(i / 100));
  EXPECT_EQ(Quantisation(scales).stored(), 6);
  for (int i = 0; i < 600; ++i) scales[static_cast<size_t>(i)] = static_cast<float>(i % 100);
  EXPECT_EQ(Quantisation(scales).stored(), 100);
  for (int i = 0; i < 600; ++i) {
    scales[static_cast<size_t>(i)] = static_cast<float>(i / 300 * 20 + i % 20);
  }
  EXPECT_EQ(Quantisation(scales).stored(), 40);
}

TEST(CodedFloats, AreQuantisedTogether) {
  CodedFloats numbers = Quantised({1, 2}, 0.5f);
  numbers.Append(CodedFloats::Zeros(1));
  numbers.Append(Quantised({3}, 0.1f));
  EXPECT_EQ(numbers.floats, (std::vector<float>{0.5f, 1, 0, 3 * 0.1f}));
  ASSERT_NE(numbers.quantisation, nullptr);
  EXPECT_EQ(CodesOf(numbers.floats, *numbers.quantisation), (std::vector<float>{1, 2, 0, 3}));
  EXPECT_EQ(numbers.Part(1, 2).quantisation->scales(), (std::vector<float>{0.5f, 0}));
  numbers.MultiplyBy(std::vector<float>{1, 1, 1, 0.7f});
  EXPECT_EQ(numbers.floats[3], 3 * (0.1f * 0.7f)) << "the code times the new scale";
  numbers.Append({1.0f});
  EXPECT_EQ(numbers.quantisation, nullptr);
}

}  // namespace
}  // namespace weft
