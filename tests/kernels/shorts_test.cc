// SPDX-License-Identifier: Apache-2.0
// Steps with int16 values, against their references; and functions of one quantised value.
#include "kernels/reference/binary_q8.h"
#include "kernels/reference/depthwise_q8.h"
#include "kernels/reference/pool_q8.h"
#include "kernels/reference/softmax_q16.h"
#include "kernels/reference/unary_q8.h"
#include "tests/kernels/codes_cases.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

// Often an extreme code.
std::vector<int16_t> ShortCodesAtRandom(Random* random, size_t count) {
  std::vector<int16_t> codes(count);
  for (int16_t& code : codes) {
    code = static_cast<int16_t>(random->Below(65536) - 32768);
    if (random->Below(8) == 0) code = code < 0 ? int16_t{-32768} : int16_t{32767};
  }
  return codes;
}

// Results for which sums of `terms` products span the codes.
struct ShortResultsCase {
  ShortResultsCase(Random* random, size_t outputs, uint32_t terms) {
    const auto usual = static_cast<int32_t>(std::log2(1.0 + terms) / 2) + 7;
    for (size_t n = 0; n < outputs; ++n) {
      mantissas.push_back(random->Below(5) == 0 ? 0x7FFFFFFF
                                                : 0x40000000 + random->Below(0x40000000));
      exponents.push_back(random->Below(9) == 0 ? 14 - static_cast<int32_t>(random->Below(46))
                                                : -usual - static_cast<int32_t>(random->Below(4)));
      first.push_back(static_cast<int64_t>(random->Next()) >> (24 + random->Below(30)));
    }
    given = {mantissas.data(), random->Below(3) == 0 ? nullptr : first.data(), exponents.data()};
    given.has_sums32 = random->Below(2) == 0;
    if (random->Below(2) == 0) given.low = -static_cast<int32_t>(random->Below(9000));
    if (random->Below(2) == 0) given.high = static_cast<int32_t>(random->Below(9000));
  }
  ShortResultsCase(const ShortResultsCase&) = delete;
  ShortResultsCase& operator=(const ShortResultsCase&) = delete;

  std::vector<int32_t> mantissas, exponents;
  std::vector<int64_t> first;
  ShortResults given;
};

// Elements outside of `positions` keep their initial bytes.
template <class Run>
void ExpectShorts(const std::vector<int16_t>& all, const std::vector<size_t>& positions,
                  size_t count, size_t misalignment, const Run& run) {
  std::vector<int16_t> must(count, static_cast<int16_t>(0xA5A5));
  for (size_t i = 0; i < positions.size(); ++i) must[positions[i]] = all[i];
  ExpectSame(OnEveryTarget<int16_t>(count, misalignment, run), must);
}

void ExpectDenseShorts(uint32_t rows, uint32_t inputs, uint32_t outputs, Random* random,
                       int8_t weight = 0) {
  DenseQ8Shape shape;
  shape.rows = rows;
  shape.inputs = inputs;
  shape.outputs = outputs;
  shape.x_row_stride = inputs + 3;
  shape.y_row_stride = outputs + 2;
  std::vector<int8_t> unpacked = CodesAtRandom(random, size_t{inputs} * outputs);
  std::vector<int16_t> codes = ShortCodesAtRandom(random, size_t{rows} * shape.x_row_stride);
  if (weight != 0) {  // the largest products
    std::fill(unpacked.begin(), unpacked.end(), weight);
    std::fill(codes.begin(), codes.end(), int16_t{-32768});
  }
  std::vector<int8_t> packed(PackedDenseI8Bytes(outputs, inputs));
  PackDenseI8(unpacked.data(), outputs, inputs, packed.data());
  const Array<int8_t> weights(packed, 4);
  const Array<int16_t> x(codes, 1);
  const ShortResultsCase results(random, outputs, inputs);
  std::vector<int16_t> all;
  std::vector<size_t> positions;
  for (size_t i = 0; i < size_t{rows} * outputs; ++i) {
    const size_t row = i / outputs, n = i % outputs;
    all.push_back(
        DenseShortsReference(shape, codes.data(), unpacked.data(), results.given, row, n));
    positions.push_back(row * shape.y_row_stride + n);
  }
  ExpectShorts(all, positions, size_t{rows} * shape.y_row_stride, 3, [&](int16_t* y) {
    DenseQ8Shorts(shape, x.data(), weights.data(), results.given, y);
  });
}

TEST(DenseQ8Shorts, MatchesItsReferenceForEveryExtent) {
  Random random(1);
  for (uint32_t i = 0; i < 34 * 34; i += i % 7 == 0 ? 1 : kThinning) {
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectDenseShorts(random.Below(4), i / 34, i % 34, &random));
  }
  for (const uint32_t inputs : {161u, 495u, 496u, 497u, 992u, 1100u}) {
    for (const uint32_t outputs : {3u, 7u, 16u, 37u}) {
      ASSERT_NO_FATAL_FAILURE(ExpectDenseShorts(2, inputs, outputs, &random));
      ASSERT_NO_FATAL_FAILURE(
          ExpectDenseShorts(1, inputs, outputs, &random, outputs == 7 ? -128 : 127));
    }
  }
}

void ExpectConvShorts(ConvQ8Shape shape, MapOrder x_order, MapOrder y_order, Random* random) {
  const uint32_t outputs = shape.groups * shape.out_channels;
  const uint32_t inputs = shape.kernel_height * shape.kernel_width * shape.in_channels;
  const Maps<ConvQ8Shape> maps(&shape, x_order, y_order, shape.groups * shape.in_channels, outputs);
  const std::vector<int16_t> codes = ShortCodesAtRandom(random, maps.x.floats);
  const std::vector<int8_t> rows = CodesAtRandom(random, size_t{outputs} * inputs);
  const size_t group = PackedDenseI8Bytes(shape.out_channels, inputs);
  std::vector<int8_t> packed(shape.groups * group);
  for (uint32_t g = 0; g < shape.groups; ++g) {
    PackDenseI8(rows.data() + size_t{g} * shape.out_channels * inputs, shape.out_channels, inputs,
                packed.data() + g * group);
  }
  const Array<int8_t> weights(packed, 4);
  const Array<int16_t> x(codes, 1);
  const ShortResultsCase results(random, outputs, inputs);
  std::vector<int16_t> all;
  std::vector<size_t> positions;
  maps.ForOutputs([&](size_t b, size_t c, uint32_t py, uint32_t px, size_t position) {
    all.push_back(
        ConvShortsReference(shape, codes.data(), rows.data(), results.given, b, c, py, px));
    positions.push_back(position);
  });
  const bool is_direct = ConvQ8IsDirect(WindowParams{shape});
  Array<int16_t> scratch(static_cast<size_t>(ConvQ8ScratchBytes(is_direct, inputs)) / 2, 0);
  ExpectShorts(all, positions, maps.y.floats, 1, [&](int16_t* y) {
    ConvQ8Shorts(shape, x.data(), weights.data(), results.given, y,
                 is_direct ? nullptr : scratch.data());
  });
}

TEST(ConvQ8Shorts, MatchesItsReferenceForAnyWindow) {
  Random random(5);
  for (uint32_t i = 0; i < 200; i += i % 5 == 0 ? 1 : kThinning) {
    ConvQ8Shape shape;
    SetConvolution(&random, i, 12, &shape);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(
        ExpectConvShorts(shape, kMapOrders[i % 3], kMapOrders[i / 4 % 4], &random));
  }
}

TEST(DepthwiseQ8Shorts, MatchesItsReferenceForAnyWindow) {
  Random random(6);
  for (uint32_t i = 0; i < 200; i += i % 5 == 0 ? 1 : kThinning) {
    DepthwiseQ8Shape shape;
    AxisCase across(&random, i % 2 == 0 ? 12 : 9, i % 7 == 0 ? 9 : 4);
    SetWindow(&shape, AxisCase(&random, i == 25 ? 130 : 6, i == 25 ? 110 : 4), across,
              1 + random.Below(2));
    shape.multiplier = i % 3 == 0 ? 1 + random.Below(3) : 1;
    shape.channels = shape.multiplier * (1 + random.Below(i % 5 == 0 ? 40 : 5));
    const Maps<DepthwiseQ8Shape> maps(&shape, kMapOrders[i % 4], kMapOrders[i / 4 % 4],
                                      shape.channels / shape.multiplier, shape.channels);
    const uint32_t taps = shape.kernel_height * shape.kernel_width;
    const std::vector<int16_t> codes = ShortCodesAtRandom(&random, maps.x.floats);
    const std::vector<int8_t> rows = CodesAtRandom(&random, size_t{shape.channels} * taps);
    std::vector<int8_t> packed(
        PackedDepthwiseFloats(shape.channels, shape.kernel_height, shape.kernel_width));
    PackDepthwiseI8(rows.data(), shape.channels, shape.kernel_height, shape.kernel_width,
                    packed.data());
    const Array<int8_t> weights(packed, 4);
    const Array<int16_t> x(codes, 3);
    const ShortResultsCase results(&random, shape.channels, taps);
    std::vector<int16_t> all;
    std::vector<size_t> positions;
    maps.ForOutputs([&](size_t b, size_t c, uint32_t py, uint32_t px, size_t position) {
      all.push_back(
          DepthwiseShortsReference(shape, codes.data(), rows.data(), results.given, b, c, py, px));
      positions.push_back(position);
    });
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectShorts(all, positions, maps.y.floats, 1, [&](int16_t* y) {
      DepthwiseQ8Shorts(shape, x.data(), weights.data(), results.given, y);
    }));
  }
}

TEST(PoolQ8Shorts, MatchesItsReferenceForAnyWindow) {
  Random random(7);
  for (uint32_t i = 0; i < 300; i += i % 5 == 0 ? 1 : kThinning) {
    PoolQ8Shape shape;
    const AxisCase down(&random, 6), across(&random, i % 2 == 0 ? 20 : 9, i % 7 == 0 ? 20 : 4);
    SetWindow(&shape, down, across, 1 + random.Below(2));
    shape.channels = 1 + random.Below(i % 5 == 0 ? 40 : 5);
    shape.op = i % 3 == 0 ? PoolOp::kMax : PoolOp::kMeanExcludePad;
    if (i % 4 == 0) shape.multiplier = MultiplierCase(&random, 1);
    const Maps<PoolQ8Shape> maps(&shape, kMapOrders[i % 4], kMapOrders[i / 4 % 4], shape.channels,
                                 shape.channels);
    const std::vector<int16_t> codes = ShortCodesAtRandom(&random, maps.x.floats);
    const Array<int16_t> x(codes, 1);
    std::vector<int16_t> all;
    std::vector<size_t> positions;
    maps.ForOutputs([&](size_t b, size_t c, uint32_t py, uint32_t px, size_t position) {
      all.push_back(PoolShortsReference(shape, codes.data(), b, c, py, px));
      positions.push_back(position);
    });
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectShorts(all, positions, maps.y.floats, 3,
                                         [&](int16_t* y) { PoolQ8Shorts(shape, x.data(), y); }));
  }
}

TEST(BinaryQ8Shorts, MatchesItsReferenceForAnyBroadcast) {
  constexpr BinaryOp kOps[] = {BinaryOp::kAdd, BinaryOp::kSubtract, BinaryOp::kMultiply,
                               BinaryOp::kSquaredDifference, BinaryOp::kPrelu};
  Random random(3);
  for (uint32_t i = 0; i < 200; ++i) {
    BinaryQ8Shape shape;
    shape.rank = 2;
    shape.dims[0] = 1 + random.Below(6);
    shape.dims[1] = 1 + random.Below(40);
    shape.a_strides[0] = shape.dims[1];
    shape.a_strides[1] = 1;
    shape.b_strides[0] = i % 2 == 0 ? shape.dims[1] : 0;
    shape.b_strides[1] = i % 3 == 0 ? 0 : 1;
    shape.op = kOps[i % 5];
    shape.a_multiplier = MultiplierCase(&random, 1);
    shape.b_multiplier = MultiplierCase(&random, 1);
    shape.multiplier = MultiplierCase(&random, 1);
    const size_t count = CountOf(shape.dims, shape.rank);
    const Array<int16_t> a(ShortCodesAtRandom(&random, count), 1),
        b(ShortCodesAtRandom(&random, count), 3);
    std::vector<int16_t> must;
    for (size_t k = 0; k < count; ++k) {
      must.push_back(BinaryQ8ShortsReference(
          shape, a[static_cast<size_t>(OffsetOf(k, shape.rank, shape.dims, shape.a_strides))],
          b[static_cast<size_t>(OffsetOf(k, shape.rank, shape.dims, shape.b_strides))]));
    }
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(
        OnEveryTarget<int16_t>(count, i % 3,
                               [&](int16_t* y) { BinaryQ8Shorts(shape, a.data(), b.data(), y); }),
        must));
  }
}

template <typename From, typename To>
void ExpectRescaled(UnaryQ8Shape shape, Element from, Element to, Random* random,
                    bool has_limits = true) {
  shape.from = from;
  shape.to = to;
  const int32_t max = to == Element::kI8 ? 127 : to == Element::kI16 ? 32767 : 0;
  shape.low = max == 0 ? 0 : -max - 1;
  if (has_limits) shape.low = -static_cast<int32_t>(random->Below(static_cast<uint32_t>(max) + 1));
  shape.high = max;
  std::vector<From> codes(shape.count);
  for (From& code : codes) code = static_cast<From>(random->Next());
  const Array<From> x(codes, 1);
  std::vector<To> must;
  for (const From code : codes) must.push_back(static_cast<To>(RescaleReference(shape, code)));
  ExpectSame(OnEveryTarget<To>(shape.count, 3, [&](To* y) { UnaryQ8(shape, x.data(), y); }), must);
}

TEST(UnaryQ8, MatchesItsReferenceForEveryType) {
  using E = Element;
  Random random(8);
  for (uint32_t count = 0; count < 60; ++count) {
    UnaryQ8Shape shape;
    shape.count = count;
    shape.x_zero = CodeAtRandom(&random);
    shape.zero = CodeAtRandom(&random);
    shape.above = MultiplierCase(&random, 1);
    shape.below = MultiplierCase(&random, 1);
    if (count % 3 == 0) shape.below.mantissa = -shape.below.mantissa;
    SCOPED_TRACE(count);
    ExpectRescaled<int8_t, int16_t>(shape, E::kI8, E::kI16, &random);
    ExpectRescaled<int8_t, int32_t>(shape, E::kI8, E::kI32, &random);
    ExpectRescaled<int16_t, int8_t>(shape, E::kI16, E::kI8, &random);
    ExpectRescaled<int16_t, int16_t>(shape, E::kI16, E::kI16, &random);
    ExpectRescaled<int16_t, int32_t>(shape, E::kI16, E::kI32, &random);
    ExpectRescaled<int32_t, int8_t>(shape, E::kI32, E::kI8, &random);
    ASSERT_NO_FATAL_FAILURE((ExpectRescaled<int32_t, int16_t>(shape, E::kI32, E::kI16, &random)));
  }
}

// The operands of a product, and its sums.
TEST(UnaryQ8, MatchesItsReferenceForOneFactor) {
  Random random(10);
  for (uint32_t count = 0; count < 60; ++count) {
    UnaryQ8Shape shape;
    shape.count = count;
    shape.x_zero = CodeAtRandom(&random);
    shape.above = shape.below = {1 << 30, 1};
    SCOPED_TRACE(count);
    ExpectRescaled<int8_t, int16_t>(shape, Element::kI8, Element::kI16, &random, false);
    shape.x_zero = count % 3 == 0 ? static_cast<int32_t>(random.Next()) : 0;
    shape.zero = CodeAtRandom(&random);
    shape.above = MultiplierCase(&random, 1u << count % 24);
    shape.below = shape.above;
    ExpectRescaled<int32_t, int8_t>(shape, Element::kI32, Element::kI8, &random, count % 5 == 0);
    ASSERT_FALSE(HasFailure());
  }
}

TEST(UnaryQ8, MatchesItsReferenceForLongSums) {
  Random random(9);
  for (uint32_t count = 0; count < 60; ++count) {
    UnaryQ8Shape shape;
    shape.count = count;
    shape.from = Element::kI64;
    shape.above = MultiplierCase(&random, 1);
    shape.above.exponent = std::min(shape.above.exponent, kMaxShortExponent);
    shape.low = -static_cast<int32_t>(random.Below(0x8001));
    shape.high = 0x7FFF;
    std::vector<int64_t> sums(count);
    for (int64_t& sum : sums) sum = int64_t{static_cast<int32_t>(random.Next())} << (count % 15);
    const Array<int64_t> x(sums, 1);
    std::vector<int16_t> must;
    for (const int64_t sum : sums) must.push_back(RescaledSumReference(shape, sum));
    SCOPED_TRACE(count);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(
        OnEveryTarget<int16_t>(count, 3, [&](int16_t* y) { UnaryQ8(shape, x.data(), y); }), must));
  }
}

TEST(UnaryQ8, FunctionsAreCloseToTheirReferences) {
  std::vector<int16_t> codes;
  for (int32_t code = -32768; code < 32768; code += 13) codes.push_back(static_cast<int16_t>(code));
  const Array<int16_t> x(codes, 1);
  for (const CodeFunction op : {CodeFunction::kSigmoid, CodeFunction::kTanh}) {
    for (const Multiplier by : {Multiplier{3, 0}, Multiplier{6, 0}, Multiplier{20001, -12},
                                Multiplier{16384, -31}, Multiplier{32767, -13}}) {
      UnaryQ8Shape shape;
      shape.count = static_cast<uint32_t>(codes.size());
      shape.op = op;
      shape.above = by;
      const std::vector<int16_t> y = OnEveryTarget<int16_t>(
          codes.size(), 3, [&](int16_t* to) { UnaryQ8(shape, x.data(), to); });
      for (size_t i = 0; i < codes.size(); ++i) {
        ASSERT_NEAR(y[i], GateReference(shape, codes[i]), kGateError) << codes[i];
      }
    }
  }
}

TEST(SoftmaxQ16, IsCloseToItsReference) {
  std::vector<int16_t> tables;
  for (int32_t i = 0; i <= 512; ++i) {
    const double e = std::exp(10 * (i / 512.0 - 1)) * 32768;
    tables.push_back(static_cast<int16_t>(std::fmin(std::round(e), 32767)));
  }
  for (int32_t i = 0; i <= 512; ++i) {
    const double r = 32768 / (1 + i / 512.0);
    tables.push_back(static_cast<int16_t>(std::fmin(std::round(r), 32767)));
  }
  Random random(9);
  for (uint32_t i = 0; i < 100; ++i) {
    const uint32_t length = 1 + random.Below(i % 20 == 0 ? 400 : 40);
    const Multiplier by = {static_cast<int32_t>(0x40000000u + random.Below(0x40000000u)),
                           1 - static_cast<int32_t>(random.Below(6))};
    const SoftmaxQ16Shape shape = {2, length, by};
    const std::vector<int16_t> x = ShortCodesAtRandom(&random, size_t{2} * length);
    std::vector<int16_t> y(x.size()), over = x;
    SoftmaxQ16(shape, x.data(), tables.data(), y.data());
    SoftmaxQ16(shape, over.data(), tables.data(), over.data());
    EXPECT_EQ(over, y);
    for (size_t k = 0; k < y.size(); ++k) {
      const double must = SoftmaxQ16Reference(shape, x.data() + k / length * length, k % length);
      ASSERT_NEAR(y[k], must, 12) << i << ' ' << k;  // codes of 2^-15
    }
  }
}

}  // namespace
}  // namespace weft::kernels
