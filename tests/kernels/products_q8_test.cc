// SPDX-License-Identifier: Apache-2.0
// Quantised products: dense, convolution and depthwise convolution, and pooling.
#include "kernels/reference/conv_q8.h"
#include "kernels/reference/dense_q8.h"
#include "kernels/reference/depthwise_q8.h"
#include "kernels/reference/pool_q8.h"
#include "tests/kernels/codes_cases.h"
#include "tests/kernels/harness.h"
#include "tests/kernels/window_cases.h"

namespace weft::kernels {
namespace {

ResultsQ8 ResultsCase(Random* random) {
  ResultsQ8 results;
  results.is_float = random->Below(3) == 0;
  if (!results.is_float) results.codes = CodesCase(random);
  results.codes.by_integers = !results.is_float && random->Below(3) == 0;
  return results;
}

DenseQ8Shape DenseShapeOf(uint32_t rows, uint32_t inputs, uint32_t outputs) {
  DenseQ8Shape shape;
  shape.rows = rows;
  shape.inputs = inputs;
  shape.outputs = outputs;
  shape.x_row_stride = inputs + 3;
  shape.y_row_stride = outputs + 2;
  shape.start_row_stride = outputs;
  return shape;
}

void ExpectDense(const DenseQ8Shape& shape, const std::vector<int8_t>& x,
                 const std::vector<int8_t>& rows, const FactorsQ8& factors, size_t misalignment) {
  std::vector<int8_t> packed(PackedDenseI8Bytes(shape.outputs, shape.inputs));
  PackDenseI8(rows.data(), shape.outputs, shape.inputs, packed.data());
  const Array<int8_t> weights(packed, 4), placed(x, misalignment);
  std::vector<ResultQ8> numbers;
  std::vector<size_t> positions;
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t n = 0; n < shape.outputs; ++n) {
      numbers.push_back(DenseQ8Reference(shape, x.data(), rows.data(), factors, row, n));
      positions.push_back(row * shape.y_row_stride + n);
    }
  }
  ExpectResults(shape.results, numbers, positions, size_t{shape.rows} * shape.y_row_stride,
                misalignment,
                [&](auto* y) { DenseQ8(shape, placed.data(), weights.data(), factors, y); });
}

TEST(DenseQ8, MatchesItsReferenceForEveryExtent) {
  Random random(1);
  for (uint32_t i = 0; i < 34 * 34; i += i % 7 == 0 ? 1 : kThinning) {
    DenseQ8Shape shape = DenseShapeOf(random.Below(6), i / 34, i % 34);
    if (i % 50 == 0) shape.inputs += 500, shape.x_row_stride += 500;
    shape.results = ResultsCase(&random);
    if (i % 3 == 0) shape.start_row_stride = 0;
    const FactorsCase factors(&random, shape.outputs, shape.rows + 1, shape.inputs, shape.results);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(
        ExpectDense(shape, CodesAtRandom(&random, size_t{shape.rows} * shape.x_row_stride),
                    CodesAtRandom(&random, size_t{shape.inputs} * shape.outputs), factors.given,
                    kMisalignments[i % 3]));
  }
}

TEST(DenseQ8, MatchesItsReferenceForManyRows) {
  Random random(10);
  for (const uint32_t inputs : {5u, 16u, 33u, 130u, 192u, 1030u, 1536u, 1540u}) {
    for (const uint32_t outputs : {1u, 8u, 12u, 16u, 24u, 40u, 257u}) {
      const uint32_t rows = outputs < 50 ? 15 + inputs % 3 * 14 : 71;
      DenseQ8Shape shape = DenseShapeOf(inputs > 1000 && outputs > 24 ? 10 : rows, inputs, outputs);
      shape.start_row_stride = 0;
      shape.results = ResultsCase(&random);
      const FactorsCase factors(&random, outputs, 1, inputs, shape.results);
      ASSERT_NO_FATAL_FAILURE(
          ExpectDense(shape, CodesAtRandom(&random, size_t{shape.rows} * shape.x_row_stride),
                      CodesAtRandom(&random, size_t{inputs} * outputs), factors.given,
                      kMisalignments[inputs % 3]));
    }
  }
}

// Panels of every width, alone and after others, with more inputs than a board widens at the same
// time.
TEST(DenseQ8, MatchesItsReferenceForEveryWidthOfTheLastPanel) {
  Random random(12);
  for (uint32_t outputs = 1; outputs <= 33; ++outputs) {
    for (const uint32_t inputs : {67u, 147u, 325u}) {
      DenseQ8Shape shape = DenseShapeOf(1 + outputs % 7, inputs, outputs);
      shape.results = ResultsCase(&random);
      const FactorsCase factors(&random, outputs, shape.rows + 1, inputs, shape.results);
      SCOPED_TRACE(testing::Message() << outputs << "x" << inputs);
      ASSERT_NO_FATAL_FAILURE(
          ExpectDense(shape, CodesAtRandom(&random, size_t{shape.rows} * shape.x_row_stride),
                      CodesAtRandom(&random, size_t{inputs} * outputs), factors.given,
                      kMisalignments[inputs % 3]));
    }
  }
}

// All products at their maximum magnitude; and a sum that wraps around when `first` is added.
TEST(DenseQ8, HoldsTheGreatestSums) {
  for (const uint32_t inputs : std::vector<uint32_t>{1, 16, 4097, kMaxProducts}) {
    if (kIsMicrocontroller && inputs > 5000) continue;
    for (const auto& [code, weight] : {std::pair<int, int>{-128, -128}, {127, -128}}) {
      DenseQ8Shape shape = DenseShapeOf(1, inputs, 2);
      shape.results.is_float = true;
      const std::vector<float> scales = {1.0f, 0.5f};
      const std::vector<int32_t> first = {code, 0x7FFFFFFF};
      const FactorsQ8 factors = {scales.data(), first.data(), nullptr};
      ExpectDense(shape, std::vector<int8_t>(inputs, static_cast<int8_t>(code)),
                  std::vector<int8_t>(size_t{inputs} * 2, static_cast<int8_t>(weight)), factors, 1);
    }
  }
}

TEST(DenseQ8, RoundsHalvesToTheEvenLevelAndTakesNoNumberForTheLowest) {
  DenseQ8Shape shape = DenseShapeOf(1, 1, 33);
  shape.results.codes = {5, -90, 100};
  std::vector<int8_t> rows;
  for (int8_t i = -16; i <= 16; ++i) rows.push_back(i);
  std::vector<float> scales(33, 0.5f), start(33, 0.0f);
  scales[3] = kNan, scales[4] = kInfinity, start[5] = kNan, start[6] = -kInfinity;
  ExpectDense(shape, {1, 0, 0, 0}, rows, {scales.data(), nullptr, start.data()}, 0);
}

// Sums around the ties of both roundings, and the extremes, in tiles of every size.
TEST(DenseQ8, RoundsTwiceForEveryExponent) {
  Random random(17);
  for (int32_t exponent = -31; exponent <= 2; ++exponent) {
    std::vector<int32_t> sums = {0, 1, -1, 0x7FFFFFFF, -0x7FFFFFFF, -0x7FFFFFFF - 1};
    const int64_t level = int64_t{1} << (exponent < 0 ? 1 - exponent : 1);
    while (sums.size() < 200) {
      const int64_t tie = (int64_t{random.Below(300)} - 150) * level / 2 + random.Below(5) - 2;
      sums.push_back(static_cast<int32_t>(tie));
    }
    const auto outputs = static_cast<uint32_t>(sums.size());
    for (const int32_t mantissa : {0, 0x40000000, 0x40000001, 0x5A827999, 0x7FFFFFFF}) {
      DenseQ8Shape shape = DenseShapeOf(1 + random.Below(40), 1, outputs);
      shape.start_row_stride = 0;
      shape.results.codes = CodesCase(&random);
      shape.results.codes.by_integers = true;
      const std::vector<int32_t> mantissas(outputs, mantissa), exponents(outputs, exponent);
      const FactorsQ8 factors = {reinterpret_cast<const float*>(mantissas.data()), sums.data(),
                                 reinterpret_cast<const float*>(exponents.data())};
      SCOPED_TRACE(testing::Message() << mantissa << " 2^" << exponent);
      ASSERT_NO_FATAL_FAILURE(
          ExpectDense(shape, std::vector<int8_t>(size_t{shape.rows} * shape.x_row_stride),
                      std::vector<int8_t>(outputs), factors, 1));
    }
  }
}

TEST(DenseQ8, AddsTheStartThatItWritesOver) {
  Random random(3);
  DenseQ8Shape shape = DenseShapeOf(6, 33, 40);
  shape.start_row_stride = shape.y_row_stride = 40;
  shape.results.is_float = true;
  const std::vector<int8_t> x = CodesAtRandom(&random, size_t{6} * shape.x_row_stride);
  const std::vector<int8_t> rows = CodesAtRandom(&random, size_t{33} * 40);
  std::vector<int8_t> packed(PackedDenseI8Bytes(40, 33));
  PackDenseI8(rows.data(), 40, 33, packed.data());
  const Array<int8_t> weights(packed, 4);
  FactorsCase factors(&random, 40, 6, 33);
  factors.given.start = factors.start.data();
  std::vector<float> must;
  for (size_t i = 0; i < 240; ++i) {
    const size_t row = i / 40, n = i % 40;
    must.push_back(DenseQ8Reference(shape, x.data(), rows.data(), factors.given, row, n).number);
  }
  const std::vector<float> over = OnEveryTarget<float>(240, 0, [&](float* y) {
    std::memcpy(y, factors.start.data(), 240 * sizeof(float));
    DenseQ8(shape, x.data(), weights.data(), {factors.scales.data(), factors.given.first, y}, y);
  });
  ExpectSame(over, must);
}

TEST(DenseQ8, EndsInItsActivation) {
  Random random(4);
  DenseQ8Shape shape = DenseShapeOf(3, 20, 18);
  shape.results.is_float = true;
  shape.y_row_stride = 18;
  shape.activation.op = UnaryOp::kRelu;
  const std::vector<int8_t> x = CodesAtRandom(&random, size_t{3} * shape.x_row_stride);
  const std::vector<int8_t> rows = CodesAtRandom(&random, size_t{20} * 18);
  std::vector<int8_t> packed(PackedDenseI8Bytes(18, 20));
  PackDenseI8(rows.data(), 18, 20, packed.data());
  const Array<int8_t> weights(packed, 4);
  const FactorsCase factors(&random, 18, 3, 20);
  std::vector<float> must;
  for (size_t i = 0; i < 54; ++i) {
    const float v =
        DenseQ8Reference(shape, x.data(), rows.data(), factors.given, i / 18, i % 18).number;
    must.push_back(v < 0 ? 0.0f : v);
  }
  ExpectSame(
      OnEveryTarget<float>(
          54, 0, [&](float* y) { DenseQ8(shape, x.data(), weights.data(), factors.given, y); }),
      must);
}

TEST(DenseQ8, DoesNothingWithoutOutputs) {
  int8_t y = 7;
  DenseQ8Shape shape;
  shape.rows = 0xFFFFFFFFu;
  shape.inputs = 3;
  DenseQ8(shape, nullptr, nullptr, {}, &y);
  EXPECT_EQ(y, 7);
}

void ExpectConv(ConvQ8Shape shape, MapOrder x_order, MapOrder y_order, size_t misalignment,
                Random* random) {
  const uint32_t outputs = shape.groups * shape.out_channels;
  const uint32_t inputs = shape.kernel_height * shape.kernel_width * shape.in_channels;
  const Maps<ConvQ8Shape> maps(&shape, x_order, y_order, shape.groups * shape.in_channels, outputs);
  const std::vector<int8_t> codes = CodesAtRandom(random, maps.x.floats);
  const std::vector<int8_t> rows = CodesAtRandom(random, size_t{outputs} * inputs);
  const size_t group = PackedDenseI8Bytes(shape.out_channels, inputs);
  std::vector<int8_t> packed(shape.groups * group);
  for (uint32_t g = 0; g < shape.groups; ++g) {
    PackDenseI8(rows.data() + size_t{g} * shape.out_channels * inputs, shape.out_channels, inputs,
                packed.data() + g * group);
  }
  const Array<int8_t> weights(packed, 4), x(codes, misalignment);
  const FactorsCase factors(random, outputs, 1, inputs, shape.results);
  std::vector<ResultQ8> numbers;
  std::vector<size_t> positions;
  maps.ForOutputs([&](size_t b, size_t c, uint32_t py, uint32_t px, size_t position) {
    numbers.push_back(
        ConvQ8Reference(shape, codes.data(), rows.data(), factors.given, b, c, py, px));
    positions.push_back(position);
  });
  const bool is_direct = ConvQ8IsDirect(WindowParams{shape});
  Array<int8_t> scratch(static_cast<size_t>(ConvQ8ScratchBytes(is_direct, inputs)), 1);
  ExpectResults(shape.results, numbers, positions, maps.y.floats, misalignment, [&](auto* y) {
    ConvQ8(shape, x.data(), weights.data(), factors.given, y, is_direct ? nullptr : scratch.data());
  });
}

TEST(ConvQ8, MatchesItsReferenceForAnyWindow) {
  Random random(5);
  for (uint32_t i = 0; i < 500; i += i % 5 == 0 ? 1 : kThinning) {
    ConvQ8Shape shape;
    SetConvolution(&random, i, 20, &shape);
    shape.results = ResultsCase(&random);
    shape.x_zero = CodeAtRandom(&random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectConv(shape, kMapOrders[i % 3], kMapOrders[i / 4 % 4],
                                       kMisalignments[i % 3], &random));
  }
}

// Channels are contiguous and fill complete blocks, so that parts of x are read in place.
TEST(ConvQ8, MatchesItsReferenceForPiecesOfWholeBlocks) {
  Random random(9);
  for (uint32_t i = 0; i < 60; i += i % 5 == 0 ? 1 : kThinning) {
    ConvQ8Shape shape;
    AxisCase down(&random, 9), across(&random, 14);
    if (i % 3 != 0) across.axis.dilation = 1;
    if (i % 3 == 0) down = AxisCase(&random, 1, 1);
    SetWindow(&shape, down, across, 1 + random.Below(2));
    shape.groups = 1 + random.Below(2);
    shape.in_channels = 16 * (1 + random.Below(3));
    shape.out_channels = 1 + random.Below(i % 6 == 0 ? 300 : 40);
    shape.results = ResultsCase(&random);
    shape.x_zero = CodeAtRandom(&random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectConv(shape,
                                       i % 4 == 0 ? MapOrder::kLastWithGaps : MapOrder::kLast,
                                       kMapOrders[i / 4 % 4], kMisalignments[i % 3], &random));
  }
}

// A window of as many taps as the input has, and one or two outputs more: rows, columns and areas.
TEST(ConvQ8, MatchesItsReferenceForFewOutputs) {
  Random random(22);
  for (uint32_t i = 0; i < 120; i += i % 5 == 0 ? 1 : kThinning) {
    ConvQ8Shape shape;
    AxisCase down(&random, 1, 1), across(&random, 1, 1);
    for (AxisCase* axis : {&down, &across}) {
      const uint32_t kernel = (axis == &down) == (i % 3 == 1) ? 1 : 1 + random.Below(6);
      const uint32_t dilation = i % 5 == 4 ? 2 : 1, output = 1 + random.Below(3);
      axis->axis = {(kernel - 1) * dilation + output, output, kernel, 1, dilation, 0};
    }
    SetWindow(&shape, down, across, 1);
    shape.groups = 1 + i / 3 % 2;
    shape.in_channels = 1 + random.Below(45);
    shape.out_channels = 1 + random.Below(40);
    shape.results = ResultsCase(&random);
    shape.x_zero = CodeAtRandom(&random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectConv(shape,
                                       i % 4 == 0 ? MapOrder::kLastWithGaps : MapOrder::kLast,
                                       kMapOrders[i / 4 % 4], kMisalignments[i % 3], &random));
  }
}

// More lines than are copied at a time, and more outputs than weights are copied at a time.
TEST(ConvQ8, MatchesItsReferenceForManyLines) {
  Random random(21);
  for (uint32_t i = 0; i < 16; i += i % 4 == 0 ? 1 : kThinning) {
    ConvQ8Shape shape;
    AxisCase down(&random, 30, 3), across(&random, 30, 3);
    for (AxisCase* axis : {&down, &across}) {
      axis->axis.input = 14 + random.Below(16);
      axis->axis.pad = random.Below(3);
      axis->axis.dilation = i % 4 == 3 ? 2 : 1;
      axis->axis.output = 12 / axis->axis.stride;
    }
    SetWindow(&shape, down, across, 1);
    shape.in_channels = std::vector<uint32_t>{3, 30, 64, 100}[i / 4];
    shape.out_channels = 1 + random.Below(50);
    shape.groups = 1 + i % 2;
    shape.results = ResultsCase(&random);
    shape.x_zero = CodeAtRandom(&random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectConv(shape,
                                       i % 3 == 0 ? MapOrder::kLastWithGaps : MapOrder::kLast,
                                       kMapOrders[i / 4 % 4], kMisalignments[i % 3], &random));
  }
}

void ExpectDepthwise(DepthwiseQ8Shape shape, MapOrder x_order, MapOrder y_order,
                     size_t misalignment, Random* random) {
  const Maps<DepthwiseQ8Shape> maps(&shape, x_order, y_order, shape.channels / shape.multiplier,
                                    shape.channels);
  const uint32_t taps = shape.kernel_height * shape.kernel_width;
  const std::vector<int8_t> codes = CodesAtRandom(random, maps.x.floats);
  const std::vector<int8_t> rows = CodesAtRandom(random, size_t{shape.channels} * taps);
  std::vector<int8_t> packed(
      PackedDepthwiseFloats(shape.channels, shape.kernel_height, shape.kernel_width));
  PackDepthwiseI8(rows.data(), shape.channels, shape.kernel_height, shape.kernel_width,
                  packed.data());
  const Array<int8_t> weights(packed, 4), x(codes, misalignment);
  const FactorsCase factors(random, shape.channels, 1, taps, shape.results);
  std::vector<ResultQ8> numbers;
  std::vector<size_t> positions;
  maps.ForOutputs([&](size_t b, size_t c, uint32_t py, uint32_t px, size_t position) {
    numbers.push_back(
        DepthwiseQ8Reference(shape, codes.data(), rows.data(), factors.given, b, c, py, px));
    positions.push_back(position);
  });
  ASSERT_NO_FATAL_FAILURE(ExpectResults(
      shape.results, numbers, positions, maps.y.floats, misalignment,
      [&](auto* y) { DepthwiseQ8(shape, x.data(), weights.data(), factors.given, y); }));
}

TEST(DepthwiseQ8, MatchesItsReferenceForAnyWindow) {
  Random random(6);
  for (uint32_t i = 0; i < 500; i += i % 5 == 0 ? 1 : kThinning) {
    DepthwiseQ8Shape shape;
    SetWindow(&shape, AxisCase(&random, 6),
              AxisCase(&random, i % 2 == 0 ? 20 : 9, i % 7 == 0 ? 9 : 4), 1 + random.Below(2));
    shape.multiplier = i % 3 == 0 ? 1 + random.Below(3) : 1;
    shape.channels = shape.multiplier * (1 + random.Below(i % 5 == 0 ? 40 : 5));
    shape.results = ResultsCase(&random);
    shape.x_zero = CodeAtRandom(&random);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectDepthwise(shape, kMapOrders[i % 4], kMapOrders[i / 4 % 4],
                                            kMisalignments[i % 3], &random));
  }
}

// As many taps as are processed together, and more; with a row, a column or all taps outside the
// input.
TEST(DepthwiseQ8, MatchesItsReferenceForAnyCountOfTaps) {
  Random random(16);
  for (uint32_t height = 1; height <= 5; ++height) {
    for (uint32_t width = 1; width <= 5; ++width) {
      DepthwiseQ8Shape shape;
      AxisCase down(&random, 1, height), across(&random, 1, width);
      down.axis = {2 + random.Below(4), 0, height, 1, 1, random.Below(height)};
      across.axis = {2 + random.Below(4), 0, width, 1, 1, random.Below(width)};
      down.axis.output = down.axis.input + 1;
      across.axis.output = across.axis.input + 2;
      SetWindow(&shape, down, across, 1);
      shape.multiplier = 1;
      shape.channels = 4 + random.Below(20);
      shape.results = ResultsCase(&random);
      shape.results.is_float = false;
      shape.x_zero = height == width ? int8_t{0} : CodeAtRandom(&random);
      SCOPED_TRACE(testing::Message() << height << "x" << width);
      ASSERT_NO_FATAL_FAILURE(ExpectDepthwise(shape, MapOrder::kLast, MapOrder::kLast,
                                              kMisalignments[width % 3], &random));
    }
  }
}

// Lines of windows of 3 x 3 on either axis, with as many columns as are widened together, and more;
// with one or two rows or columns outside the input.
TEST(DepthwiseQ8, MatchesItsReferenceForLinesOfWindows) {
  Random random(20);
  const uint32_t outputs[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 65};
  for (uint32_t i = 0; i < 160; i += i % 5 == 0 ? 1 : kThinning) {
    DepthwiseQ8Shape shape;
    const auto axis_of = [&](uint32_t count, uint32_t stride, uint32_t pad) {
      AxisCase some(&random, 1);
      const uint32_t reach = (count - 1) * stride + 3;
      some.axis = {reach > 2 * pad ? reach - 2 * pad : 1, count, 3, stride, 1, pad};
      return some;
    };
    const AxisCase down = axis_of(1 + i % 5, 1 + i / 2 % 2, i % 3);
    const AxisCase across = axis_of(outputs[i % 10], 1 + i % 2, i / 3 % 3);
    SetWindow(&shape, i % 4 < 2 ? down : across, i % 4 < 2 ? across : down, 1 + i % 2);
    shape.multiplier = 1;
    shape.channels = 4 + random.Below(10);
    shape.results.codes = CodesCase(&random);
    shape.results.codes.by_integers = i % 8 != 0;
    shape.x_zero = CodeAtRandom(&random);
    const MapOrder order = i % 7 == 0 ? MapOrder::kLastWithGaps : MapOrder::kLast;
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectDepthwise(shape, order, order, kMisalignments[i % 3], &random));
  }
}

// One output, and a few more, with many taps: a step of a stream.
TEST(DepthwiseQ8, MatchesItsReferenceForFewOutputs) {
  Random random(23);
  constexpr uint32_t kChannels[] = {1, 5, 8, 16, 24, 32, 64, 96, 130};
  for (const uint32_t channels : kChannels) {
    for (uint32_t i = 0; i < 12; i += i % 3 == 0 ? 1 : kThinning) {
      DepthwiseQ8Shape shape;
      AxisCase down(&random, 1, 1), across(&random, 1, 1);
      const uint32_t kernel = 1 + random.Below(24), outputs = 1 + i;
      (i % 2 == 0 ? down : across).axis = {kernel + outputs - 1, outputs, kernel, 1, 1, 0};
      (i % 2 == 0 ? across : down).axis = {1, 1, 1, 1, 1, 0};
      SetWindow(&shape, down, across, 1);
      shape.multiplier = 1;
      shape.channels = channels;
      shape.results = ResultsCase(&random);
      shape.x_zero = CodeAtRandom(&random);
      SCOPED_TRACE(testing::Message() << channels << ' ' << i);
      ASSERT_NO_FATAL_FAILURE(
          ExpectDepthwise(shape, MapOrder::kLast, MapOrder::kLast, kMisalignments[i % 3], &random));
    }
  }
}

// Channels that fill vectors, or adjacent pixels that do.
// Lines are copied to buffers, a part of a map at a time.
TEST(DepthwiseQ8, MatchesItsReferenceForLargeMaps) {
  struct Case {
    WindowAxis down, across;
    uint32_t channels;
  };
  const Case cases[] = {
      {{60, 60, 3, 1, 1, 1}, {40, 40, 3, 1, 1, 1}, 16},
      {{21, 11, 3, 2, 1, 1}, {150, 75, 3, 2, 1, 1}, 8},
      {{9, 9, 5, 1, 1, 2}, {90, 90, 5, 1, 1, 2}, 64},
      {{30, 26, 3, 1, 2, 0}, {30, 30, 3, 1, 3, 3}, 33},
      {{1, 1, 1, 1, 1, 0}, {700, 700, 9, 1, 1, 4}, 24},
      {{300, 296, 5, 1, 1, 0}, {1, 1, 1, 1, 1, 0}, 70},
      {{40, 39, 2, 1, 1, 0}, {70, 70, 1, 1, 1, 0}, 32},
      {{5, 5, 9, 1, 1, 4}, {6, 6, 9, 1, 1, 4}, 5},
  };
  Random random(18);
  for (const Case& c : cases) {
    for (const bool by_integers : {false, true}) {
      DepthwiseQ8Shape shape;
      AxisCase down(&random, 1), across(&random, 1);
      down.axis = c.down, across.axis = c.across;
      SetWindow(&shape, down, across, 1);
      shape.multiplier = 1;
      shape.channels = c.channels;
      shape.results.codes = CodesCase(&random);
      shape.results.codes.by_integers = by_integers;
      shape.x_zero = by_integers ? int8_t{-128} : int8_t{127};
      SCOPED_TRACE(testing::Message() << c.channels << ' ' << c.down.kernel << by_integers);
      ASSERT_NO_FATAL_FAILURE(ExpectDepthwise(shape, MapOrder::kLast, MapOrder::kLast, 1, &random));
    }
  }
}

TEST(DepthwiseQ8, MatchesItsReferenceForVectorsOfChannels) {
  Random random(8);
  constexpr uint32_t kChannels[] = {4, 8, 16, 32, 12, 48, 64, 65, 100, 128, 190, 1, 2, 15, 17, 24};
  for (uint32_t i = 0; i < 160; i += i % 5 == 0 ? 1 : kThinning) {
    DepthwiseQ8Shape shape;
    AxisCase across(&random, 24, i % 7 == 0 ? 40 : 4);
    if (i % 3 != 0) {
      across = AxisCase(&random, 1, 3);
      across.axis.stride = 1;
      across.axis.input = 18 + random.Below(9);
      across.axis.output =
          across.axis.input + across.axis.pad - (across.axis.kernel - 1) * across.axis.dilation;
    }
    if (i % 13 == 0) {  // outputs of a vector that are far from each other
      across.axis.stride = 4 + random.Below(3);
      across.axis.output = (across.axis.output - 1) / across.axis.stride + 1;
    }
    SetWindow(&shape, AxisCase(&random, 5), across, 1 + random.Below(2));
    shape.multiplier = 1;
    shape.channels = kChannels[i % 16];
    shape.results = ResultsCase(&random);
    shape.x_zero = CodeAtRandom(&random);
    const MapOrder order = i % 4 == 0 ? MapOrder::kLastWithGaps : MapOrder::kLast;
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectDepthwise(shape, order, order, kMisalignments[i % 3], &random));
  }
}

// Eight channels of adjacent pixels fill a vector. Codes may begin at the zero, and the sums of two
// products may exceed 16 bits.
TEST(DepthwiseQ8, MatchesItsReferenceForPairsOfPixels) {
  Random random(19);
  for (const uint32_t channels : {8u, 16u, 24u}) {
    for (const uint32_t columns : {1u, 2u, 3u, 6u, 9u}) {
      for (const bool is_rectified : {false, true}) {
        DepthwiseQ8Shape shape;
        AxisCase down(&random, 1), across(&random, 1);
        down.axis = {4, 4, 3, 1, 1, 1};
        across.axis = {columns, columns, 3, 1, 1, 1};
        SetWindow(&shape, down, across, 1 + random.Below(2));
        shape.multiplier = 1;
        shape.channels = channels;
        shape.results.codes = CodesCase(&random);
        shape.results.codes.by_integers = true;
        if (is_rectified) shape.results.codes.zero = shape.results.codes.low;
        shape.x_zero = CodeAtRandom(&random);
        SCOPED_TRACE(testing::Message() << channels << ' ' << columns << is_rectified);
        ASSERT_NO_FATAL_FAILURE(
            ExpectDepthwise(shape, MapOrder::kLast, MapOrder::kLast, columns % 3, &random));
      }
    }
  }
}

// Compares PoolQ8 with its reference; x and y begin `misalignment` bytes after a boundary.
void ExpectReferenceOf(const PoolQ8Shape& shape, const Maps<PoolQ8Shape>& maps,
                       const std::vector<int8_t>& codes, size_t misalignment) {
  const Array<int8_t> x(codes, misalignment);
  std::vector<int8_t> must(maps.y.floats, static_cast<int8_t>(0xA5));
  maps.ForOutputs([&](size_t b, size_t c, uint32_t py, uint32_t px, size_t position) {
    must[position] = PoolQ8Reference(shape, codes.data(), b, c, py, px);
  });
  ExpectSame(OnEveryTarget<int8_t>(must.size(), misalignment,
                                   [&](int8_t* y) { PoolQ8(shape, x.data(), y); }),
             must);
}

// Codes of one sign at the ends of their range have the largest sums.
TEST(PoolQ8, MatchesItsReferenceForAdjacentChannels) {
  Random random(8);
  constexpr PoolOp kOps[] = {PoolOp::kMax, PoolOp::kMeanExcludePad, PoolOp::kMeanIncludePad};
  constexpr uint32_t kWindows[][2] = {{1, 1}, {2, 2}, {3, 3}, {1, 7}, {16, 16}, {17, 16}};
  for (uint32_t i = 0; i < 20 * std::size(kWindows); ++i) {
    const uint32_t* const window = kWindows[i / 20];
    PoolQ8Shape shape;
    shape.batch = 1;
    shape.stride_y = shape.stride_x = shape.dilation_y = shape.dilation_x = 1;
    shape.kernel_height = window[0], shape.kernel_width = window[1];
    shape.in_height = window[0] + 1, shape.in_width = window[1] + 2;
    shape.out_height = 2, shape.out_width = 3;
    shape.channels = i % 20 == 19 ? 37 : i % 20 + 1;
    shape.op = kOps[i % 3];
    shape.scale = random.Float(2);
    shape.codes = CodesCase(&random);
    shape.codes.by_integers = shape.op == PoolOp::kMeanExcludePad;
    if (i % 2 == 0) shape.multiplier = MultiplierCase(&random, 1);
    shape.x_zero = CodeAtRandom(&random);
    const Maps<PoolQ8Shape> maps(&shape, MapOrder::kLast, MapOrder::kLast, shape.channels,
                                 shape.channels);
    std::vector<int8_t> codes = CodesAtRandom(&random, maps.x.floats);
    if (i % 4 == 3) codes.assign(codes.size(), i % 8 == 3 ? int8_t{-128} : int8_t{127});
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReferenceOf(shape, maps, codes, kMisalignments[i % 3]));
  }
}

TEST(PoolQ8, MatchesItsReferenceForAnyWindow) {
  Random random(7);
  constexpr PoolOp kOps[] = {PoolOp::kMax, PoolOp::kMeanExcludePad, PoolOp::kMeanIncludePad};
  for (uint32_t i = 0; i < 600; i += i % 5 == 0 ? 1 : kThinning) {
    PoolQ8Shape shape;
    const AxisCase down(&random, 6), across(&random, i % 2 == 0 ? 20 : 9, i % 7 == 0 ? 20 : 4);
    SetWindow(&shape, down, across, 1 + random.Below(2));
    shape.pad_bottom = down.pad_after;
    shape.pad_right = across.pad_after;
    shape.channels = 1 + random.Below(i % 5 == 0 ? 40 : 5);
    shape.op = kOps[i % 3];
    shape.scale = random.Float(2);
    shape.codes = CodesCase(&random);
    shape.codes.by_integers = shape.op == PoolOp::kMeanExcludePad && i % 2 == 0;
    if (i % 4 == 0) shape.multiplier = MultiplierCase(&random, 1);
    shape.x_zero = CodeAtRandom(&random);
    const Maps<PoolQ8Shape> maps(&shape, kMapOrders[i % 4], kMapOrders[i / 4 % 4], shape.channels,
                                 shape.channels);
    const std::vector<int8_t> codes = CodesAtRandom(&random, maps.x.floats);
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(ExpectReferenceOf(shape, maps, codes, kMisalignments[i % 3]));
  }
}

}  // namespace
}  // namespace weft::kernels
