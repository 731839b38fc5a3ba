// SPDX-License-Identifier: Apache-2.0
// The nearest 8-bit integers of an output's weights.
#include "converter/program/integer_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace weft::program {
namespace {

double SquaredError(const std::vector<float>& weights, const std::vector<double>& numbers) {
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i) sum += std::pow(weights[i] - numbers[i], 2);
  return sum;
}
std::vector<double> NumbersOf(const IntegerGrid& grid) {
  std::vector<double> numbers;
  for (const int8_t integer : grid.integers) numbers.push_back(double{grid.scale} * integer);
  return numbers;
}
float LargestOf(const std::vector<float>& weights) {
  float largest = 0;
  for (const float weight : weights) largest = std::max(largest, std::fabs(weight));
  return largest;
}
// Rounds with the scale that maps the largest weight to 127.
std::vector<double> ByLargest(const std::vector<float>& weights) {
  const double scale = static_cast<float>(LargestOf(weights) / 127.0);
  std::vector<double> numbers;
  for (const float weight : weights) numbers.push_back(std::nearbyint(weight / scale) * scale);
  return numbers;
}

TEST(NearestIntegers, AreOffNoMoreThanWith127ForTheGreatestAndLessByHalfADecibelInTheMean) {
  std::mt19937 random(1);
  double ratio = 0;
  for (int row = 0; row < 100; ++row) {
    std::vector<float> weights;
    for (int i = 0; i < 64; ++i) weights.push_back(static_cast<float>(random() * 0x1p-31 - 1));
    const IntegerGrid grid = NearestIntegers(weights);
    const double before = SquaredError(weights, ByLargest(weights));
    const double error = SquaredError(weights, NumbersOf(grid));
    ASSERT_LE(error, before) << row;
    ASSERT_EQ(std::ranges::count(grid.integers, -128), 0) << row;
    ASSERT_NEAR(LargestOf(weights) / grid.scale, 127, 8.001) << row;
    ratio += 10 * std::log10(before / error) / 100;
  }
  EXPECT_GT(ratio, 0.5);
}

TEST(NearestIntegers, AreThoseThatWeightsAreMadeOf) {
  const std::vector<float> weights = {0.25f * 127, 0.25f * 3, -0.25f * 100, 0};
  const IntegerGrid grid = NearestIntegers(weights);
  EXPECT_EQ(grid.scale, 0.25f);
  EXPECT_EQ(grid.integers, (std::vector<int8_t>{127, 3, -100, 0}));
}

TEST(NearestIntegers, OfNothingAboveZeroAreZeros) {
  for (const float tiny : {0.0f, 1e-37f, -1e-40f}) {
    const IntegerGrid grid = NearestIntegers(std::vector<float>{0, tiny});
    EXPECT_EQ(grid.scale, 0) << tiny;
    EXPECT_EQ(grid.integers, (std::vector<int8_t>{0, 0})) << tiny;
  }
}

}  // namespace
}  // namespace weft::program
