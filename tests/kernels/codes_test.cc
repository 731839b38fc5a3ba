// SPDX-License-Identifier: Apache-2.0
// Quantised steps: between floats and integers, and from integers to integers.
#include <algorithm>

#include "kernels/reference/binary_q8.h"
#include "kernels/reference/dequantize.h"
#include "kernels/reference/lookup.h"
#include "kernels/reference/quantize.h"
#include "tests/kernels/codes_cases.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {
namespace {

std::vector<int8_t> RunQuantize(const QuantizeShape& shape, const std::vector<float>& x,
                                size_t misalignment) {
  const Array<float> placed(x, misalignment);
  return OnEveryTarget<int8_t>(x.size(), misalignment,
                               [&](int8_t* y) { Quantize(shape, placed.data(), y); });
}

void ExpectReferences(QuantizeShape shape, const std::vector<float>& x, size_t misalignment) {
  shape.count = static_cast<uint32_t>(x.size());
  std::vector<int8_t> must;
  for (const float number : x) must.push_back(QuantizeReference(shape, number));
  ExpectSame(RunQuantize(shape, x, misalignment), must);
}

TEST(Quantize, MatchesItsReferenceForEveryCount) {
  Random random(1);
  for (uint32_t count = 0; count < 70; ++count) {
    QuantizeShape shape;
    shape.inverse = 0.125f * static_cast<float>(1 + random.Below(100));
    shape.codes = CodesCase(&random);
    ExpectReferences(shape, random.Floats(count, 40), kMisalignments[count % 3]);
  }
}

// Ties, values outside the range, and NaN.
TEST(Quantize, DecidesEveryEdge) {
  std::vector<float> x = {0.0f,  -0.0f,   kInfinity, -kInfinity, kNan,
                          -kNan, 3.0e38f, -3.0e38f,  1e-40f};
  for (int32_t half = -600; half <= 600; ++half) {
    const float number = static_cast<float>(half) * 0.5f;
    for (const float overlap :
         {number, std::nextafter(number, 1000.0f), std::nextafter(number, -1000.0f)})
      x.push_back(overlap);
  }
  for (const CodeRange& codes :
       {CodeRange{0, -128, 127}, CodeRange{-128, -128, 127}, CodeRange{127, -128, 127},
        CodeRange{3, 0, 1}, CodeRange{-7, 5, 5}, CodeRange{100, -128, -100}}) {
    QuantizeShape shape;
    shape.codes = codes;
    ExpectReferences(shape, x, 0);
    shape.inverse = kMaxScale;
    ExpectReferences(shape, x, 1);
    shape.inverse = kMinScale;
    ExpectReferences(shape, x, 3);
  }
}

TEST(Dequantize, MatchesItsReferenceForEveryLevel) {
  const std::vector<int8_t> codes = EveryCode();
  const Array<int8_t> x(codes, 1);
  for (const float scale : {1.0f, 0.1f, 3.0e-5f, kMinScale, kMaxScale}) {
    for (const int8_t zero : {int8_t{0}, int8_t{-128}, int8_t{127}, int8_t{5}}) {
      for (const uint32_t count : {0u, 1u, 7u, 33u, 256u}) {
        const DequantizeShape shape = {count, scale, zero};
        std::vector<float> must;
        for (uint32_t i = 0; i < count; ++i) must.push_back(DequantizeReference(shape, codes[i]));
        ExpectSame(
            OnEveryTarget<float>(count, 0, [&](float* y) { Dequantize(shape, x.data(), y); }),
            must);
      }
    }
  }
}

TEST(Lookup, MatchesItsReferenceAlsoOverItsInput) {
  Random random(2);
  const std::vector<int8_t> codes = EveryCode(), table = CodesAtRandom(&random, 256);
  for (const uint32_t count : {0u, 1u, 17u, 256u}) {
    std::vector<int8_t> x(codes.begin(), codes.begin() + count), must;
    for (const int8_t code : x) must.push_back(LookupReference(table.data(), code));
    std::vector<int8_t> y(count);
    Lookup(count, x.data(), table.data(), y.data());
    ExpectSame(y, must);
    Lookup(count, x.data(), table.data(), x.data());
    ExpectSame(x, must);
  }
}

BinaryQ8Shape PairShape(Random* random, std::vector<uint32_t> dims) {
  BinaryQ8Shape shape;
  shape.rank = static_cast<uint32_t>(dims.size());
  std::copy(dims.begin(), dims.end(), shape.dims);
  shape.a_scale = random->Float(1);
  shape.b_scale = random->Float(1);
  shape.codes = CodesCase(random);
  shape.a_zero = CodeAtRandom(random);
  shape.b_zero = CodeAtRandom(random);
  return shape;
}

void MakeIntegers(Random* random, size_t op, BinaryQ8Shape* shape) {
  constexpr BinaryOp kOps[] = {BinaryOp::kAdd,      BinaryOp::kSubtract,
                               BinaryOp::kMultiply, BinaryOp::kSquaredDifference,
                               BinaryOp::kPrelu,    BinaryOp::kDivide};
  shape->op = kOps[op % std::size(kOps)];
  shape->codes.by_integers = true;
  shape->a_multiplier = MultiplierCase(random, 1);
  shape->b_multiplier = MultiplierCase(random, 1);
  shape->multiplier = MultiplierCase(random, 1);
}

// Sets the strides of a contiguous operand that is broadcast along some axes. Returns its element
// count.
size_t SetStrides(Random* random, const BinaryQ8Shape& shape, uint32_t* strides) {
  uint32_t next = 1;
  for (uint32_t d = shape.rank; d-- > 0;) {
    const bool is_broadcast = random->Below(3) == 0;
    strides[d] = is_broadcast ? 0 : next;
    if (!is_broadcast) next *= shape.dims[d];
  }
  return next;
}

TEST(BinaryQ8, MatchesItsReferenceForAnyBroadcast) {
  Random random(3);
  for (uint32_t i = 0; i < 400; ++i) {
    std::vector<uint32_t> dims(random.Below(5));
    for (uint32_t& dim : dims) dim = random.Below(i % 9 == 0 ? 3 : 20) + (i % 9 == 0 ? 0 : 1);
    BinaryQ8Shape shape = PairShape(&random, dims);
    shape.op = i % 2 == 0 ? BinaryOp::kMultiply : BinaryOp::kAdd;
    if (i % 3 == 0) MakeIntegers(&random, i / 3, &shape);
    const size_t count = CountOf(shape.dims, shape.rank);
    const Array<int8_t> a(CodesAtRandom(&random, SetStrides(&random, shape, shape.a_strides)), 1);
    const Array<int8_t> b(CodesAtRandom(&random, SetStrides(&random, shape, shape.b_strides)), 3);
    std::vector<int8_t> must;
    for (size_t k = 0; k < count; ++k) {
      must.push_back(BinaryQ8Reference(
          shape, a[static_cast<size_t>(OffsetOf(k, shape.rank, shape.dims, shape.a_strides))],
          b[static_cast<size_t>(OffsetOf(k, shape.rank, shape.dims, shape.b_strides))]));
    }
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(
        ExpectSame(OnEveryTarget<int8_t>(
                       count, i % 3, [&](int8_t* y) { BinaryQ8(shape, a.data(), b.data(), y); }),
                   must));
  }
}

// Two lines of every pair of codes.
struct EveryPair {
  EveryPair() {
    const std::vector<int8_t> codes = EveryCode();
    for (const int8_t code : codes) {
      a.insert(a.end(), codes.size(), code);
      b.insert(b.end(), codes.begin(), codes.end());
    }
  }
  BinaryQ8Shape Shape() const {
    BinaryQ8Shape shape;
    shape.rank = 1;
    shape.dims[0] = static_cast<uint32_t>(a.size());
    shape.a_strides[0] = shape.b_strides[0] = 1;
    return shape;
  }
  void ExpectReference(const BinaryQ8Shape& shape) const {
    std::vector<int8_t> must;
    for (size_t k = 0; k < a.size(); ++k) must.push_back(BinaryQ8Reference(shape, a[k], b[k]));
    ExpectSame(OnEveryTarget<int8_t>(a.size(), 0,
                                     [&](int8_t* y) { BinaryQ8(shape, a.data(), b.data(), y); }),
               must);
  }

  std::vector<int8_t> a, b;
};

// In TFLite's sums, the operand with the larger scale is halved.
TEST(BinaryQ8, AddsEveryPairIfOneMultiplierIsHalf) {
  constexpr Multiplier kHalf = {0x40000000, 0};
  const EveryPair pairs;
  Random random(5);
  BinaryQ8Shape shape = pairs.Shape();
  for (int32_t i = 0; i < 24; ++i) {
    const auto mantissa = static_cast<int32_t>(0x40000000u + random.Below(0x40000000u));
    const Multiplier others[] = {kHalf, {mantissa, -1}, {0x7FFFFFFF, -i}, {mantissa, -31}};
    const Multiplier other = others[i % 4];
    const bool is_swapped = i % 3 == 0;
    shape.a_multiplier = is_swapped ? other : kHalf;
    shape.b_multiplier = is_swapped ? kHalf : other;
    shape.multiplier = {i % 5 == 0 ? 0x7FFFFFFF : mantissa, i < 8 ? -17 - i : -15 - i % 4};
    if (i % 6 == 5) shape.a_multiplier = shape.b_multiplier = {mantissa, -2};
    shape.codes = {CodeAtRandom(&random), -128, 127};
    if (i % 4 == 1) shape.codes = CodesCase(&random);
    shape.codes.by_integers = true;
    shape.a_zero = CodeAtRandom(&random);
    shape.b_zero = CodeAtRandom(&random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(pairs.ExpectReference(shape));
  }
}

TEST(BinaryQ8, MultipliesEveryPair) {
  const EveryPair pairs;
  Random random(6);
  BinaryQ8Shape shape = pairs.Shape();
  shape.op = BinaryOp::kMultiply;
  constexpr int32_t kMantissas[] = {1 << 30, 0x7FFFFFFF, 0, 0x5A827999};
  for (int32_t i = 0; i < 26; ++i) {
    shape.multiplier = {kMantissas[i % 4], 2 - i};
    shape.codes = {CodeAtRandom(&random), -128, 127};
    if (i % 5 == 1) shape.codes = CodesCase(&random);
    shape.codes.by_integers = true;
    shape.a_zero = CodeAtRandom(&random);
    shape.b_zero = CodeAtRandom(&random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(pairs.ExpectReference(shape));
  }
}

TEST(BinaryQ8, WritesOverAnOperand) {
  Random random(4);
  BinaryQ8Shape shape = PairShape(&random, {61});
  shape.a_strides[0] = shape.b_strides[0] = 1;
  const std::vector<int8_t> a = CodesAtRandom(&random, 61), b = CodesAtRandom(&random, 61);
  std::vector<int8_t> must;
  for (size_t k = 0; k < 61; ++k) must.push_back(BinaryQ8Reference(shape, a[k], b[k]));
  const std::vector<int8_t> over = OnEveryTarget<int8_t>(61, 0, [&](int8_t* y) {
    std::copy(a.begin(), a.end(), y);
    BinaryQ8(shape, y, b.data(), y);
  });
  ExpectSame(over, must);
}

}  // namespace
}  // namespace weft::kernels
