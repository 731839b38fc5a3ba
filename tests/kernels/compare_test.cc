// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/compare.h"

#include <limits>

#include "kernels/reference/compare.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

template <typename T>
void ExpectReference(Element type, const std::vector<T>& values) {
  for (int index = 0; index < kCompareOpCount; ++index) {
    const CompareOp op = static_cast<CompareOp>(index);
    const uint32_t side = static_cast<uint32_t>(values.size());
    // All pairs: a varies along the rows, b along the columns.
    const CompareShape shape = {2, {side, side}, {1, 0}, {0, 1}, op, type};
    const std::vector<uint8_t> y = OnEveryTarget<uint8_t>(
        size_t{side} * side, 1,
        [&](uint8_t* out) { Compare(shape, values.data(), values.data(), out); });
    for (size_t i = 0; i < y.size(); ++i) {
      const T a = values[i / side];
      const T b = values[i % side];
      ASSERT_EQ(y[i], CompareReference(op, a, b)) << "op " << index << ": " << +a << ", " << +b;
      uint8_t one = 9;
      CompareOne(op, type, &a, &b, &one);
      ASSERT_EQ(one, y[i]) << "op " << index << ": " << +a << ", " << +b;
    }
  }
}

TEST(Compare, MatchesItsReferenceForEveryPairAndType) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ExpectReference<float>(Element::kF32,
                         {0.0f, -0.0f, 1, -1, 2.5f, nan, INFINITY, -INFINITY, 1e-30f});
  ExpectReference<int32_t>(Element::kI32, {0, 1, -1, INT32_MAX, INT32_MIN, 77});
  ExpectReference<int64_t>(Element::kI64, {0, 1, -1, INT64_MAX, INT64_MIN, int64_t{1} << 33});
  ExpectReference<int8_t>(Element::kI8, {0, 1, -1, 127, -128});
  ExpectReference<uint8_t>(Element::kU8, {0, 1, 127, 128, 255});
  ExpectReference<uint8_t>(Element::kBoolean, {0, 1});
}

TEST(Compare, TakesAnyByteThatIsNotZeroAsTrue) {
  const uint8_t a = 1;
  const uint8_t b = 200;
  uint8_t y = 9;
  Compare({0, {}, {}, {}, CompareOp::kEqual, Element::kBoolean}, &a, &b, &y);
  EXPECT_EQ(y, 1);
}

// Few different values, at the limits of the type and around 0, so that many are equal.
template <typename T>
std::vector<T> Repeating(size_t count, Random* random) {
  const T values[] = {0, 1, 2, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  std::vector<T> result(count);
  for (T& value : result) value = values[random->Below(5)];
  return result;
}

template <typename T>
void ExpectReferenceOfEverySize(Element type) {
  Random random(static_cast<uint64_t>(type));
  for (uint32_t count = 0; count <= 300; count += count < 70 ? 1 : 37) {
    const std::vector<T> a = Repeating<T>(count, &random), b = Repeating<T>(count, &random);
    const auto op = static_cast<CompareOp>(count % kCompareOpCount);
    const uint32_t stride_of_b = count % 4 == 3 ? 0 : 1;
    const CompareShape shape = {1, {count}, {1}, {stride_of_b}, op, type};
    const std::vector<uint8_t> y = OnEveryTarget<uint8_t>(
        count, count % 3, [&](uint8_t* out) { Compare(shape, a.data(), b.data(), out); });
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(y[i], CompareReference(op, a[i], b[i * stride_of_b])) << count << ": " << i;
    }
  }
}

TEST(Compare, TakesEverySizeOfEveryType) {
  ExpectReferenceOfEverySize<float>(Element::kF32);
  ExpectReferenceOfEverySize<int32_t>(Element::kI32);
  ExpectReferenceOfEverySize<int64_t>(Element::kI64);
  ExpectReferenceOfEverySize<int8_t>(Element::kI8);
  ExpectReferenceOfEverySize<uint8_t>(Element::kU8);
}

TEST(Compare, ComparesAColumnWithARow) {
  constexpr uint32_t kRows = 5;
  for (const uint32_t columns : {1u, 15u, 16u, 17u, 70u, 1100u}) {
    const CompareShape shape = {2,      {kRows, columns},  {1, 0},
                                {0, 1}, CompareOp::kEqual, Element::kI32};
    std::vector<int32_t> column(kRows), row(columns);
    for (uint32_t i = 0; i < kRows; ++i) column[i] = static_cast<int32_t>(i * columns / kRows);
    for (uint32_t i = 0; i < columns; ++i) row[i] = static_cast<int32_t>(i);
    const std::vector<uint8_t> y = OnEveryTarget<uint8_t>(
        kRows * columns, 1, [&](uint8_t* out) { Compare(shape, column.data(), row.data(), out); });
    for (uint32_t i = 0; i < kRows * columns; ++i) {
      ASSERT_EQ(y[i], column[i / columns] == row[i % columns]) << columns << ": " << i;
    }
  }
}

TEST(Compare, MayWriteOverAnOperandOfBytes) {
  Random random(4);
  const std::vector<uint8_t> a = Repeating<uint8_t>(100, &random);
  const std::vector<uint8_t> b = Repeating<uint8_t>(100, &random);
  const CompareShape shape = {1, {100}, {1}, {1}, CompareOp::kLess, Element::kU8};
  for (const bool is_over_a : {true, false}) {
    const std::vector<uint8_t> y = OnEveryTarget<uint8_t>(100, 1, [&](uint8_t* out) {
      std::memcpy(out, (is_over_a ? a : b).data(), 100);
      Compare(shape, is_over_a ? out : a.data(), is_over_a ? b.data() : out, out);
    });
    for (size_t i = 0; i < 100; ++i) ASSERT_EQ(y[i], a[i] < b[i]) << i;
  }
}

TEST(Compare, KnowsItsTypes) {
  EXPECT_TRUE(CompareKnows(Element::kI64));
  EXPECT_FALSE(CompareKnows(Element::kF16));
  EXPECT_FALSE(CompareKnows(Element::kI4));
}

}  // namespace
}  // namespace weft::kernels
