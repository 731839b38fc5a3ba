// SPDX-License-Identifier: Apache-2.0
#include "converter/base/scaled_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/recurrent/cell.h"

namespace weft {
namespace {

std::vector<float> ProductsOf(const std::vector<int>& codes, float scale) {
  std::vector<float> weights;
  for (const int code : codes) weights.push_back(static_cast<float>(code) * scale);
  return weights;
}

void ExpectExact(const std::vector<float>& weights) {
  const std::optional<IntegerGrid> row = ExactGridOf(weights);
  ASSERT_TRUE(row);
  for (size_t i = 0; i < weights.size(); ++i) {
    const float widened = static_cast<float>(row->integers[i]) * row->scale;
    EXPECT_EQ(std::memcmp(&widened, &weights[i], sizeof widened), 0) << i;
  }
}

TEST(ExactGridOf, FindsCodesOfAnyScale) {
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const float scale = std::ldexp(1 + static_cast<float>(random() % (1 << 23)) * 0x1p-23f,
                                   static_cast<int>(random() % 40) - 30);
    const int limit = 1 + static_cast<int>(random() % 127), step = i % 5 == 0 ? 3 : 1;
    std::vector<int> codes(1 + random() % 60);
    for (int& code : codes) {
      code =
          (static_cast<int>(random() % static_cast<unsigned>(2 * limit + 1)) - limit) / step * step;
    }
    if (i % 7 == 0) codes.front() = -128;
    SCOPED_TRACE(i);
    ExpectExact(ProductsOf(codes, scale));
  }
  ExpectExact({0, 0, 0});
  ExpectExact({});
}

TEST(ExactGridOf, RejectsOtherWeights) {
  const std::vector<float> exact = ProductsOf({3, -127, 0, 64, 99}, 0.0123f);
  ASSERT_TRUE(ExactGridOf(exact));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float other : {-0.0f, kInfinity, NAN, 200 * 0.0123f, 0.0123f / 3,
                            std::nextafter(exact[4], 1.0f), 1e-40f}) {
    std::vector<float> weights = exact;
    weights[2] = other;
    EXPECT_FALSE(ExactGridOf(weights)) << other;
  }
  EXPECT_FALSE(ExactGridOf(std::vector<float>{-0.0f}));
  EXPECT_FALSE(ExactGridOf(ProductsOf({128, 1, -127}, 0.0123f)));
  EXPECT_FALSE(ExactGridOf(std::vector<float>{0.1f, 0.23f, 0.47f, 0.9f}));
  EXPECT_FALSE(ExactGridOf(ProductsOf({1, 2, 3}, 1e-39f))) << "the scale is subnormal";
}

// Each weight is 1, so a row holds as many codes as the output has weights, padding included.
TEST(ScaledParts, HoldEveryWeightOnce) {
  const auto expect = [](const std::vector<ScaledPart>& parts, size_t weights, size_t bytes) {
    std::vector<float> numbers(weights);
    for (size_t i = 0; i < weights; ++i) numbers[i] = static_cast<float>(i % 100);
    const auto memory = ScaledMemory(numbers, parts, ExactGridOf);
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->size(), bytes);
    EXPECT_EQ(WidenScaled(*memory, parts), numbers);
    EXPECT_TRUE(WidenScaled(std::span(*memory).first(bytes - 1), parts).empty());
    numbers.back() = 0.3f;
    EXPECT_FALSE(ScaledMemory(numbers, parts, ExactGridOf));
  };
  format::DenseParams dense;
  dense.mutate_inputs(7);
  dense.mutate_outputs(20);
  expect(ScaledPartsOf(dense), 32 * 7, 32 * (7 + 4));
  format::ConvParams conv;
  conv.mutate_groups(2);
  conv.mutate_in_channels(3);
  conv.mutate_out_channels(17);
  conv.mutate_kernel_height(2);
  conv.mutate_kernel_width(5);
  expect(ScaledPartsOf(conv), 2 * 32 * 30, 2 * 32 * (30 + 4));
  for (const uint32_t hidden : {5u, 16u, 37u}) {
    const uint32_t row = static_cast<uint32_t>(kernels::CellRow(4, hidden));
    expect(ScaledPartsOf(format::LstmCellParams(3, hidden, 0, format::ElementType::f32, 0, 0)),
           row * (3 + hidden), row * (3 + hidden + 8));
  }
  const auto row = static_cast<uint32_t>(kernels::CellRow(2, 21) + kernels::CellRow(1, 21));
  expect(ScaledPartsOf(format::GruResetCellParams(4, 21, 0, format::ElementType::f32, 0, 0)),
         row * 25, row * (25 + 8));
}

}  // namespace
}  // namespace weft
