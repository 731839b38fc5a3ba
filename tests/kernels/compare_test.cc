// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/compare.h"

#include <limits>

#include "kernels/reference/compare.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

template <typename T>
void ExpectTwin(Element type, const std::vector<T>& values) {
  for (int index = 0; index < kCompareOpCount; ++index) {
    const CompareOp op = static_cast<CompareOp>(index);
    const uint32_t side = static_cast<uint32_t>(values.size());
    // All pairs: a along the rows, b along the columns.
    const CompareShape shape = {2, {side, side}, {1, 0}, {0, 1}, op, type};
    const std::vector<uint8_t> y = OnEveryTarget<uint8_t>(
        size_t{side} * side, 1,
        [&](uint8_t* out) { Compare(shape, values.data(), values.data(), out); });
    for (size_t i = 0; i < y.size(); ++i) {
      const T a = values[i / side];
      const T b = values[i % side];
      ASSERT_EQ(y[i], CompareTwin(op, a, b)) << "op " << index << ": " << +a << ", " << +b;
      uint8_t one = 9;
      CompareOne(op, type, &a, &b, &one);
      ASSERT_EQ(one, y[i]) << "op " << index << ": " << +a << ", " << +b;
    }
  }
}

TEST(Compare, MeetsItsTwinForEveryPairAndType) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ExpectTwin<float>(Element::kF32, {0.0f, -0.0f, 1, -1, 2.5f, nan, INFINITY, -INFINITY, 1e-30f});
  ExpectTwin<int32_t>(Element::kI32, {0, 1, -1, INT32_MAX, INT32_MIN, 77});
  ExpectTwin<int64_t>(Element::kI64, {0, 1, -1, INT64_MAX, INT64_MIN, int64_t{1} << 33});
  ExpectTwin<int8_t>(Element::kI8, {0, 1, -1, 127, -128});
  ExpectTwin<uint8_t>(Element::kU8, {0, 1, 127, 128, 255});
  ExpectTwin<uint8_t>(Element::kBoolean, {0, 1});
}

TEST(Compare, TakesAnyByteThatIsNotZeroAsTrue) {
  const uint8_t a = 1;
  const uint8_t b = 200;
  uint8_t y = 9;
  Compare({0, {}, {}, {}, CompareOp::kEqual, Element::kBoolean}, &a, &b, &y);
  EXPECT_EQ(y, 1);
}

TEST(Compare, TakesEverySize) {
  Random random(1);
  for (uint32_t count = 0; count <= 300; count += count < 40 ? 1 : 37) {
    std::vector<float> a = random.Floats(count, 1);
    std::vector<float> b = random.Floats(count, 1);
    for (size_t i = 0; i < count; i += 3) b[i] = a[i];
    const CompareShape shape = {1, {count}, {1}, {1}, CompareOp::kLessEqual, Element::kF32};
    const std::vector<uint8_t> y = OnEveryTarget<uint8_t>(
        count, count % 3, [&](uint8_t* out) { Compare(shape, a.data(), b.data(), out); });
    for (size_t i = 0; i < count; ++i) ASSERT_EQ(y[i], a[i] <= b[i]);
  }
}

TEST(Compare, KnowsItsTypes) {
  EXPECT_TRUE(CompareKnows(Element::kI64));
  EXPECT_FALSE(CompareKnows(Element::kF16));
  EXPECT_FALSE(CompareKnows(Element::kI4));
}

}  // namespace
}  // namespace weft::kernels
