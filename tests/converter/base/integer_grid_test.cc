// SPDX-License-Identifier: Apache-2.0
#include "converter/base/integer_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace weft {
namespace {

std::vector<float> NumbersOf(const std::vector<int32_t>& integers, float scale) {
  std::vector<float> numbers;
  for (const int32_t integer : integers) numbers.push_back(static_cast<float>(integer) * scale);
  return numbers;
}

void ExpectHolds(const std::vector<float>& numbers, IntegerRange range = kRangeOfI8) {
  const auto grid = GridOf(numbers, range);
  ASSERT_TRUE(grid.has_value());
  ASSERT_EQ(grid->integers.size(), numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_GE(grid->integers[i], range.min);
    EXPECT_LE(grid->integers[i], range.largest);
    EXPECT_EQ(static_cast<float>(grid->integers[i] - grid->offset) * grid->scale, numbers[i]);
  }
}

TEST(IntegerGrid, FindsTheIntegersOfAnyScale) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const float scale = std::ldexp(1.0f + static_cast<float>(random() % 8388608) / 8388608.0f,
                                   static_cast<int>(random() % 60) - 40);
    std::vector<int32_t> integers(33);
    for (int32_t& integer : integers) integer = static_cast<int32_t>(random() % 256) - 128;
    ExpectHolds(NumbersOf(integers, round % 2 == 0 ? scale : -scale));
  }
}

TEST(IntegerGrid, KeepsSymmetricIntegersWithoutOffset) {
  const auto grid = GridOf(NumbersOf({-127, 5, 127, 0}, 0.013f));
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->offset, 0);
  EXPECT_EQ(grid->scale, 0.013f);
  EXPECT_EQ(grid->integers, (std::vector<int8_t>{-127, 5, 127, 0}));
}

TEST(IntegerGrid, NegatesTheScaleForMinus128OfANegativeOne) {
  const auto grid = GridOf(NumbersOf({-128, 3, 127}, -0.25f));
  ASSERT_TRUE(grid.has_value());
  EXPECT_EQ(grid->offset, 0);
  EXPECT_EQ(grid->scale, -0.25f);
  EXPECT_EQ(grid->integers, (std::vector<int8_t>{-128, 3, 127}));
}

TEST(IntegerGrid, HasAnOffsetWhereDifferencesLeaveTheRange) {
  for (const int32_t zero : {0, 1, 100, 120, 128, 140, 254, 255}) {
    std::vector<int32_t> integers;
    for (int32_t integer = 0; integer < 256; ++integer) integers.push_back(integer - zero);
    ExpectHolds(NumbersOf(integers, 0.00371f));
  }
  EXPECT_EQ(GridOf(NumbersOf({-120, 135, 1}, 0.5f))->offset, -8);
}

TEST(IntegerGrid, HoldsFourBits) {
  ExpectHolds(NumbersOf({-8, 7, 1, 0, 3}, -0.07f), kRangeOfI4);
  ExpectHolds(NumbersOf({-3, 12, 1, 0, 5}, 0.07f), kRangeOfI4);
  EXPECT_FALSE(GridOf(NumbersOf({-8, 8, 1}, 0.07f), kRangeOfI4).has_value());
}

TEST(IntegerGrid, HoldsZerosAndSingleNumbers) {
  EXPECT_EQ(GridOf(std::vector<float>(5, 0.0f))->scale, 0.0f);
  EXPECT_TRUE(GridOf({})->integers.empty());
  const auto one = GridOf(std::vector<float>{0.3f, 0.3f, 0.0f});
  EXPECT_EQ(one->scale, 0.3f);
  EXPECT_EQ(one->integers, (std::vector<int8_t>{1, 1, 0}));
}

TEST(IntegerGrid, TakesANegativeScaleWhereZeroIsNegative) {
  const auto grid = GridOf(std::vector<float>{-0.0f, 1.5f, -3.0f});
  EXPECT_EQ(grid->scale, -1.5f);
  EXPECT_EQ(grid->integers, (std::vector<int8_t>{0, -1, 2}));
}

TEST(IntegerGrid, RefusesWhatIsNoGrid) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(GridOf(std::vector<float>{1, infinity}).has_value());
  EXPECT_FALSE(GridOf(std::vector<float>{1, std::nanf("")}).has_value());
  EXPECT_FALSE(GridOf(std::vector<float>{1, std::sqrt(2.0f), 0.1f}).has_value());
  EXPECT_FALSE(GridOf(std::vector<float>{256, 1}).has_value());
  EXPECT_FALSE(GridOf(std::vector<float>{-200, 200, 1}).has_value());
  EXPECT_FALSE(GridOf(std::vector<float>{std::numeric_limits<float>::denorm_min()}).has_value());
}

}  // namespace
}  // namespace weft
