// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary.h"

#include <limits>

#include "kernels/integer.h"
#include "kernels/reference/binary.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

BinaryShape Flat(BinaryOp op, Element type, size_t count) {
  return {1, {static_cast<uint32_t>(count)}, {1}, {1}, op, type};
}

template <typename T>
std::vector<T> RunFlat(BinaryOp op, Element type, const std::vector<T>& a, const std::vector<T>& b,
                       size_t misalignment = 0) {
  const Array<T> x(a, misalignment);
  const Array<T> z(b, misalignment);
  return OnEveryTarget<T>(a.size(), misalignment,
                          [&](T* y) { Binary(Flat(op, type, a.size()), x.data(), z.data(), y); });
}

void ExpectReference(BinaryOp op, float a, float b, float is) {
  const double must = BinaryReference(op, a, b);
  if (op == BinaryOp::kPower) {
    const double kept = std::fabs(must) > 3.4028235e38 ? std::copysign(HUGE_VAL, must) : must;
    ASSERT_TRUE(IsClose(is, kept, kPowerTolerance)) << a << ", " << b << ": " << is << ", " << must;
  } else {
    ASSERT_TRUE(is == must || (std::isnan(is) && std::isnan(must)))
        << a << ", " << b << ": " << is << ", " << must;
  }
}

bool IsFloatOp(BinaryOp op) { return BinaryKnows(op, Element::kF32); }

TEST(Binary, MatchesItsReferenceForEverySizeAndMisalignment) {
  Random random(1);
  for (int index = 0; index < kBinaryOpCount; ++index) {
    const BinaryOp op = static_cast<BinaryOp>(index);
    if (!IsFloatOp(op)) continue;
    SCOPED_TRACE(index);
    for (size_t count = 0; count <= 2 * kWidestPanel + 1; ++count) {
      std::vector<float> a = random.Floats(count, 9);
      const std::vector<float> b = random.Floats(count, 5);
      if (op == BinaryOp::kPower) {
        for (float& value : a) value = std::fabs(value);
      }
      for (const size_t misalignment : kMisalignments) {
        const std::vector<float> y = RunFlat(op, Element::kF32, a, b, misalignment);
        for (size_t i = 0; i < count; ++i) ExpectReference(op, a[i], b[i], y[i]);
      }
    }
  }
}

// Every op over rank 3 with each operand complete, broadcast along each axis, or transposed.
TEST(Binary, WalksStrides) {
  Random random(2);
  const uint32_t dims[3] = {3, 4, 75};
  const std::vector<float> a = random.Floats(3 * 4 * 75, 7);
  const std::vector<float> b = random.Floats(3 * 4 * 75, 7);
  const uint32_t kStrides[][3] = {{300, 75, 1}, {0, 75, 1}, {300, 0, 1}, {4, 1, 0},
                                  {0, 0, 0},    {1, 3, 12}, {0, 0, 1},   {0, 1, 4}};
  for (const auto& a_strides : kStrides) {
    for (const auto& b_strides : kStrides) {
      BinaryShape shape = {3, {3, 4, 75}, {}, {}, BinaryOp::kSubtract, Element::kF32};
      std::copy(a_strides, a_strides + 3, shape.a_strides);
      std::copy(b_strides, b_strides + 3, shape.b_strides);
      const std::vector<float> y = OnEveryTarget<float>(
          a.size(), 1, [&](float* out) { Binary(shape, a.data(), b.data(), out); });
      for (size_t i = 0; i < y.size(); ++i) {
        const ptrdiff_t at_a = OffsetOf(i, 3, dims, a_strides);
        const ptrdiff_t at_b = OffsetOf(i, 3, dims, b_strides);
        ASSERT_EQ(y[i], a[static_cast<size_t>(at_a)] - b[static_cast<size_t>(at_b)]) << i;
      }
    }
  }
}

// One value per channel, for channels-last data.
TEST(Binary, RepeatsShortRows) {
  Random random(5);
  for (const uint32_t row : {1u, 3u, 8u, 17u, 100u, 128u, 129u}) {
    for (const uint32_t rows : {1u, 2u, 31u, 300u}) {
      const std::vector<float> a = random.Floats(2 * rows * row, 7), b = random.Floats(2 * row, 7);
      for (const uint32_t inner : {0u, 1u}) {
        const BinaryShape shape = {3,
                                   {2, rows, row},
                                   {rows * row, row, 1},
                                   {row, 0, inner},
                                   BinaryOp::kSubtract,
                                   Element::kF32};
        const std::vector<float> y = OnEveryTarget<float>(
            a.size(), 1, [&](float* out) { Binary(shape, a.data(), b.data(), out); });
        for (size_t i = 0; i < y.size(); ++i) {
          const size_t at = i / (rows * row) * row + i % row * inner;
          ASSERT_EQ(y[i], a[i] - b[at]) << row << ", " << rows << ": " << i;
        }
      }
    }
  }
}

TEST(Binary, TakesRankZeroRankEightAndEmptyDimensions) {
  const float a = 3;
  const float b = 4;
  float y = 0;
  Binary({0, {}, {}, {}, BinaryOp::kMultiply, Element::kF32}, &a, &b, &y);
  EXPECT_EQ(y, 12);
  const BinaryShape empty = {2, {3, 0}, {0, 0}, {0, 0}, BinaryOp::kAdd, Element::kF32};
  Binary(empty, &a, &b, &y);
  EXPECT_EQ(y, 12);
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  const BinaryShape deep = {8,
                            {1, 2, 1, 2, 1, 1, 2, 1},
                            {8, 4, 4, 2, 2, 2, 1, 1},
                            {8, 1, 4, 2, 2, 2, 4, 1},
                            BinaryOp::kAdd,
                            Element::kF32};
  std::vector<float> sums(8);
  Binary(deep, values.data(), values.data(), sums.data());
  EXPECT_EQ(sums, (std::vector<float>{2, 7, 6, 11, 7, 12, 11, 16}));
}

TEST(Binary, MayWriteOverAnOperandThatIsWalkedWhole) {
  Random random(3);
  const std::vector<float> a = random.Floats(100, 3);
  const std::vector<float> b = random.Floats(100, 3);
  const std::vector<float> must = RunFlat(BinaryOp::kSubtract, Element::kF32, a, b);
  for (const bool over_a : {true, false}) {
    const std::vector<float> y = OnEveryTarget<float>(100, 0, [&](float* out) {
      std::copy_n((over_a ? a : b).data(), 100, out);
      Binary(Flat(BinaryOp::kSubtract, Element::kF32, 100), over_a ? out : a.data(),
             over_a ? b.data() : out, out);
    });
    ExpectSame(y, must);
  }
}

TEST(Binary, GivesTheGreaterAndTheLesserUnlessOneIsNan) {
  const std::vector<float> a = {1, kNan, 2, kNan, -kInfinity};
  const std::vector<float> b = {2, 1, kNan, kNan, kInfinity};
  ExpectSame(RunFlat(BinaryOp::kMaximum, Element::kF32, a, b), {2, kNan, kNan, kNan, kInfinity});
  ExpectSame(RunFlat(BinaryOp::kMinimum, Element::kF32, a, b), {1, kNan, kNan, kNan, -kInfinity});
}

TEST(Binary, PowerHasCsSpecialValues) {
  const float kValues[] = {0.0f,   -0.0f,     1.0f,        -1.0f,       2.0f, -2.0f, 3.0f,
                           -3.0f,  kInfinity, -kInfinity,  kNan,        0.5f, -0.5f, 1e30f,
                           -1e30f, 1e-30f,    16777217.0f, 0.99999994f, 2.5f, -2.5f, 127.0f};
  std::vector<float> a;
  std::vector<float> b;
  for (const float x : kValues) {
    for (const float y : kValues) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  const std::vector<float> y = RunFlat(BinaryOp::kPower, Element::kF32, a, b);
  for (size_t i = 0; i < y.size(); ++i) {
    ExpectReference(BinaryOp::kPower, a[i], b[i], y[i]);
    const double must = std::pow(static_cast<double>(a[i]), static_cast<double>(b[i]));
    if (std::isnan(must)) continue;
    EXPECT_EQ(std::signbit(y[i]), std::signbit(must)) << a[i] << ", " << b[i];
  }
}

TEST(Binary, PowerStaysPreciseWhereTheResultIsLarge) {
  Random random(4);
  std::vector<float> a;
  std::vector<float> b;
  while (a.size() < 200000 / kThinning) {
    const float x =
        std::ldexp(1.0f + random.Float(1) * 0.5f, static_cast<int>(random.Below(200)) - 100);
    const float y = random.Float(60);
    if (std::fabs(std::log2(x) * y) > 125) continue;
    a.push_back(x);
    b.push_back(y);
  }
  const std::vector<float> y = RunFlat(BinaryOp::kPower, Element::kF32, a, b);
  for (size_t i = 0; i < y.size(); ++i) ExpectReference(BinaryOp::kPower, a[i], b[i], y[i]);
}

TEST(Binary, RemaindersAreExactUpToLargeQuotients) {
  Random random(5);
  std::vector<float> a;
  std::vector<float> b;
  for (int i = 0; i < 200000; ++i) {
    a.push_back(random.Float(8000));
    b.push_back(random.Float(i % 2 == 0 ? 1 : 200));
    if (std::fabs(a.back() / b.back()) >= 4194304.0f) b.back() = 3.0f;
    if (i % 5 == 0)
      a.back() = b.back() * static_cast<float>(random.Below(1000));  // nearly an integer quotient
  }
  for (const BinaryOp op : {BinaryOp::kMod, BinaryOp::kFloorMod}) {
    const std::vector<float> y = RunFlat(op, Element::kF32, a, b);
    for (size_t i = 0; i < y.size(); ++i) ExpectReference(op, a[i], b[i], y[i]);
  }
}

template <typename T>
void ExpectIntegers(Element type) {
  std::vector<T> values = {
      std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0, 1, 2, 3, 7, 11, 64, 100};
  for (const int negative : {-1, -2, -3, -7, -100}) {
    if (std::is_signed_v<T>) values.push_back(static_cast<T>(negative));
  }
  std::vector<T> a;
  std::vector<T> b;
  for (const T x : values) {
    for (const T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (int index = 0; index < kBinaryOpCount; ++index) {
    const BinaryOp op = static_cast<BinaryOp>(index);
    if (!BinaryKnows(op, type)) continue;
    const std::vector<T> y = RunFlat(op, type, a, b, 1);
    for (size_t i = 0; i < y.size(); ++i) {
      if (op == BinaryOp::kPower && b[i] > 100) continue;  // the reference loops up to b
      const T must = static_cast<T>(IntegerReference(op, a[i], b[i]));
      ASSERT_EQ(y[i], must) << "op " << index << ": " << +a[i] << ", " << +b[i];
    }
  }
}

TEST(Binary, IntegersWrapAroundAndNeverTrap) {
  ExpectIntegers<int32_t>(Element::kI32);
  ExpectIntegers<int64_t>(Element::kI64);
  ExpectIntegers<int8_t>(Element::kI8);
  ExpectIntegers<uint8_t>(Element::kU8);
}

TEST(Binary, BooleansTakeAnyByteAndGiveZeroOrOne) {
  const std::vector<uint8_t> a = {0, 0, 1, 255};
  const std::vector<uint8_t> b = {0, 2, 0, 1};
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(RunFlat(BinaryOp::kLogicalAnd, Element::kBoolean, a, b), (Bytes{0, 0, 0, 1}));
  EXPECT_EQ(RunFlat(BinaryOp::kLogicalOr, Element::kBoolean, a, b), (Bytes{0, 1, 1, 1}));
  EXPECT_EQ(RunFlat(BinaryOp::kLogicalXor, Element::kBoolean, a, b), (Bytes{0, 1, 1, 0}));
  for (const BinaryOp op : {BinaryOp::kLogicalAnd, BinaryOp::kLogicalOr, BinaryOp::kLogicalXor}) {
    EXPECT_EQ(RunFlat<uint8_t>(op, Element::kBoolean, {1}, {1})[0],
              LogicalReference(op, true, true));
    Bytes many_a, many_b;
    for (size_t i = 0; i < 100; ++i) {
      many_a.push_back(a[i % 4]);
      many_b.push_back(b[i / 4 % 4]);
    }
    const Bytes y = RunFlat(op, Element::kBoolean, many_a, many_b);
    for (size_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(y[i], LogicalReference(op, many_a[i] != 0, many_b[i] != 0)) << i;
    }
  }
}

template <typename T>
void ExpectOneAsRow(Element type, const std::vector<T>& values) {
  for (int index = 0; index < kBinaryOpCount; ++index) {
    const BinaryOp op = static_cast<BinaryOp>(index);
    if (!BinaryKnows(op, type)) continue;
    for (const T a : values) {
      for (const T b : values) {
        SCOPED_TRACE(::testing::Message() << "op " << index << ": " << +a << ", " << +b);
        ExpectSame(OnEveryTarget<T>(1, 0, [&](T* y) { BinaryOne(op, type, &a, &b, y); }),
                   RunFlat<T>(op, type, {a}, {b}));
      }
    }
  }
}

TEST(Binary, OneElementHasTheBitsOfARow) {
  ExpectOneAsRow<float>(Element::kF32, {0.0f, -0.0f, 1, -3, 2.5f, INFINITY, -INFINITY, 1e-30f});
  ExpectOneAsRow<int32_t>(Element::kI32, {0, 1, -1, INT32_MAX, INT32_MIN, 77});
  ExpectOneAsRow<int64_t>(Element::kI64, {0, 1, -1, INT64_MAX, INT64_MIN, int64_t{1} << 33});
  ExpectOneAsRow<uint8_t>(Element::kBoolean, {0, 1, 200});
  const float x = 1;
  float y = 9;
  BinaryOne(BinaryOp::kLogicalAnd, Element::kF32, &x, &x, &y);
  EXPECT_EQ(y, 9);
}

TEST(Binary, KnowsWhatItKnows) {
  EXPECT_TRUE(BinaryKnows(BinaryOp::kPower, Element::kI32));
  EXPECT_FALSE(BinaryKnows(BinaryOp::kLogicalAnd, Element::kF32));
  EXPECT_FALSE(BinaryKnows(BinaryOp::kAdd, Element::kBoolean));
  EXPECT_TRUE(BinaryKnows(BinaryOp::kBitwiseXor, Element::kI64));
  EXPECT_FALSE(BinaryKnows(BinaryOp::kBitwiseXor, Element::kU8));
  EXPECT_FALSE(BinaryKnows(BinaryOp::kBitwiseXor, Element::kF32));
  EXPECT_FALSE(BinaryKnows(BinaryOp::kAdd, Element::kF16));
}

TEST(Integer, DividesBitByBitAsTheProcessorDoes) {
  Random random(6);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t dividend = random.Next() >> random.Below(64);
    const uint64_t divisor = (random.Next() >> random.Below(64)) | 1;
    const Division division = DivideByBits(dividend, divisor);
    ASSERT_EQ(division.quotient, dividend / divisor);
    ASSERT_EQ(division.remainder, dividend % divisor);
  }
}

TEST(Binary, HasTheSameBitsOnEveryProcessor) {
  Random random(7);
  const std::vector<float> a = random.Floats(4096, 30);
  const std::vector<float> b = random.Floats(4096, 6);
  Fingerprint fingerprint;
  for (int index = 0; index < kBinaryOpCount; ++index) {
    const BinaryOp op = static_cast<BinaryOp>(index);
    if (IsFloatOp(op)) fingerprint.Add(RunFlat(op, Element::kF32, a, b));
  }
  EXPECT_EQ(fingerprint.value(), 0x4D6CA59792F69998u);
}

}  // namespace
}  // namespace weft::kernels
