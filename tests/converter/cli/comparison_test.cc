// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace weft::cli {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <typename T>
Array ArrayOf(ElementType type, Dims dims, const std::vector<T>& elements) {
  Array array{.type = {type, std::move(dims)}, .bytes = {}};
  array.bytes.resize(elements.size() * sizeof(T));
  std::memcpy(array.bytes.data(), elements.data(), array.bytes.size());
  return array;
}

Array Floats(const std::vector<float>& elements) {
  return ArrayOf(ElementType::f32, {static_cast<int64_t>(elements.size())}, elements);
}

TEST(Comparison, HoldsFloatsToTheLooserTolerance) {
  const Tolerance tolerance{.relative = 0.01, .absolute = 0.1};
  EXPECT_EQ(Compare(Floats({0.09f, 101.0f}), Floats({0.0f, 100.0f}), tolerance).mismatch_count, 0);
  EXPECT_EQ(Compare(Floats({0.11f, 101.1f}), Floats({0.0f, 100.0f}), tolerance).mismatch_count, 2);
}

TEST(Comparison, LetsNanEqualNanAndInfinityItself) {
  const Tolerance loose{.relative = 1e9, .absolute = 1e9};
  EXPECT_EQ(Compare(Floats({kNan, kInf, -kInf}), Floats({kNan, kInf, -kInf}), loose).mismatch_count,
            0);
  const Comparison differ =
      Compare(Floats({kNan, 1, kInf, kInf, 3e38f}), Floats({1, kNan, -kInf, 3e38f, kInf}), loose);
  EXPECT_EQ(differ.mismatch_count, 5);
  EXPECT_TRUE(std::isinf(differ.largest_difference));
}

TEST(Comparison, OfZeroToleranceIsExactButForTheSignOfZero) {
  const Tolerance exact{.relative = 0, .absolute = 0};
  EXPECT_EQ(Compare(Floats({-0.0f, 1}), Floats({0.0f, 1}), exact).mismatch_count, 0);
  EXPECT_EQ(Compare(Floats({1.0000001f}), Floats({1}), exact).mismatch_count, 1);
}

TEST(Comparison, ComparesIntegersExactly) {
  const int64_t big = int64_t{1} << 60;
  const Tolerance loose{.relative = 1, .absolute = 1e18};
  const Comparison result = Compare(ArrayOf<int64_t>(ElementType::i64, {2}, {big, big + 1}),
                                    ArrayOf<int64_t>(ElementType::i64, {2}, {big, big}), loose);
  EXPECT_EQ(result.mismatch_count, 1);
  EXPECT_EQ(result.first->is, "1152921504606846977");
  EXPECT_EQ(result.first->must, "1152921504606846976");
}

TEST(Comparison, SaysWhere) {
  Array is = ArrayOf<float>(ElementType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Array must = ArrayOf<float>(ElementType::f32, {2, 3}, {1, 2, 3, 4.5f, 5, 8});
  const Comparison result = Compare(is, must, {});
  EXPECT_EQ(result.count, 6);
  EXPECT_EQ(result.mismatch_count, 2);
  EXPECT_EQ(result.first->index, (Dims{1, 0}));
  EXPECT_EQ(result.first->is, "4");
  EXPECT_EQ(result.first->must, "4.5");
  EXPECT_EQ(result.largest_difference, 2);
  EXPECT_EQ(result.largest_index, (Dims{1, 2}));
}

TEST(Comparison, ReadsHalves) {
  // 0x3C00 is 1, 0x3C01 is the next larger half, 1 + 2^-10.
  const Array is = ArrayOf<uint16_t>(ElementType::f16, {1}, {0x3C01});
  const Array must = ArrayOf<uint16_t>(ElementType::f16, {1}, {0x3C00});
  EXPECT_EQ(Compare(is, must, {.relative = 0, .absolute = 0x1p-10}).mismatch_count, 0);
  EXPECT_EQ(Compare(is, must, {.relative = 0, .absolute = 0x1p-11}).mismatch_count, 1);
}

}  // namespace
}  // namespace weft::cli
