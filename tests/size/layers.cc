// SPDX-License-Identifier: Apache-2.0
// Cost of single layers on a board: runs each of them twice and prints the SysTick ticks of the
// second run and its multiply-adds, without those in the padding. Data are channels last. Under an
// emulator that counts instructions a tick is a fixed number of instructions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "kernels/elementwise/binary_q8.h"
#include "kernels/matrix/conv.h"
#include "kernels/matrix/conv_i8.h"
#include "kernels/matrix/conv_q8.h"
#include "kernels/matrix/dense.h"
#include "kernels/matrix/dense_i4.h"
#include "kernels/matrix/dense_i8.h"
#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/depthwise.h"
#include "kernels/matrix/depthwise_i8.h"
#include "kernels/matrix/depthwise_q8.h"
#include "kernels/matrix/matmul.h"
#include "kernels/recurrent/lstm_q8.h"
#include "kernels/reduce/pool_q8.h"
#include "kernels/variants.h"
#include "tests/size/ticks.h"

namespace weft::kernels {
namespace {

constexpr size_t kFloats = 40000;
float x[kFloats], weights[kFloats], bias[1024], y[kFloats];
F16 halves[kFloats];
BF16 bfloats[kFloats];
alignas(kWeightsAlignment) int8_t integers[kFloats];
// Large enough for any layer.
alignas(kWeightsAlignment) int16_t
    integer_rows[std::max(DenseI8ScratchShorts(100, 144), DenseI4ScratchShorts(100, 64, 2))];

const float* WeightsOf(float) { return weights; }
const F16* WeightsOf(F16) { return halves; }
const BF16* WeightsOf(BF16) { return bfloats; }

void Fill(float* values, size_t count) {
  uint32_t state = 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = static_cast<float>(static_cast<int32_t>(state >> 12) - (1 << 19)) / (1 << 19);
  }
}

template <class Run>
void Measure(const char* name, uint32_t multiply_adds, const Run& run) {
  run();
  const uint32_t start = *kCount;
  run();
  const uint32_t ticks = TicksSince(start);
  std::printf("%s %u %u\n", name, static_cast<unsigned>(ticks),
              static_cast<unsigned>(multiply_adds));
}

template <class Weight = float>
void MeasureDense(const char* name, uint32_t rows, uint32_t inputs, uint32_t outputs) {
  const DenseShape shape = {rows, inputs, outputs, inputs, outputs, 0, {}};
  Measure(name, rows * inputs * outputs, [&] { Dense(shape, x, WeightsOf(Weight()), bias, y); });
}

void MeasureDenseI8(const char* name, uint32_t rows, uint32_t inputs, uint32_t outputs) {
  DenseI8Shape shape = {{rows, inputs, outputs, inputs, outputs, 0, {}}};
  shape.max = MaxFor(inputs);
  Measure(name, rows * inputs * outputs,
          [&] { DenseI8(shape, x, integers, weights, bias, y, integer_rows); });
}

// With groups of 32 inputs.
void MeasureDenseI4(const char* name, uint32_t rows, uint32_t inputs, uint32_t outputs) {
  DenseI4Shape shape;
  shape.rows = rows;
  shape.inputs = shape.x_row_stride = inputs;
  shape.outputs = shape.y_row_stride = outputs;
  shape.group_blocks = 2;
  shape.max = MaxForI4(inputs, shape.group_blocks);
  const DenseI4Weights nibbles = {reinterpret_cast<const uint8_t*>(integers), nullptr, halves,
                                  nullptr};
  Measure(name, rows * inputs * outputs,
          [&] { DenseI4(shape, x, nibbles, bias, y, integer_rows); });
}

// int8 layers; their data are those of the weights. Codes are computed with floats or by integers.
union Factor {
  float scale;
  int32_t number;
} mantissas[256], exponents[256];
struct CodesOfSums {
  ResultsQ8 results;
  FactorsQ8 factors;
};
const auto* const kFirst = reinterpret_cast<const int32_t*>(integers);
const CodesOfSums kByFloats = {{}, {weights, kFirst, bias}};
const CodesOfSums kByIntegers = {{{0, -128, 127, true}, false},
                                 {&mantissas->scale, kFirst, &exponents->scale}};
alignas(kWeightsAlignment) int8_t patches[ConvQ8ScratchBytes(false, 400)];

template <uint32_t kInputs, uint32_t kUnits>
void MeasureLstmQ8(const char* name, decltype(LstmQ8)* function) {
  static int32_t numbers[LstmQ8Numbers(kUnits, false, false, false)];
  static int8_t h[2 * kUnits];
  static int16_t c[2 * kUnits];
  LstmQ8Shape shape;
  shape.rows = 1;
  shape.inputs = kInputs;
  shape.cells = shape.outputs = kUnits;
  for (uint32_t gate = 0; gate < kLstmQ8Gates; ++gate) {
    shape.of_x[gate] = shape.of_h[gate] = {0x5A000000, -2};
  }
  shape.result = {0x5A000000, -22};
  shape.cell_power = -11;
  Measure(name, 4 * kUnits * (kInputs + kUnits), [&] {
    function(shape, integers, integers, numbers, h, c, h + kUnits, c + kUnits, integer_rows);
  });
}

void MeasureDenseQ8(const char* name, const CodesOfSums& codes, uint32_t rows, uint32_t inputs,
                    uint32_t outputs) {
  const DenseQ8Shape shape = {{rows, inputs, outputs, inputs, outputs, 0, {}}, codes.results};
  Measure(name, rows * inputs * outputs,
          [&] { DenseQ8(shape, integers, integers, codes.factors, y); });
}

void MeasureMatmul(const char* name, uint32_t side) {
  MatmulShape shape = {};
  shape.rows = shape.columns = shape.inner = side;
  shape.a_row_stride = shape.b_inner_stride = side;
  shape.a_inner_stride = shape.b_column_stride = 1;
  Measure(name, side * side * side, [&] { Matmul(shape, x, weights, y); });
}

struct Axis {
  uint32_t input, output, kernel, stride, dilation, pad;
};

MapStrides LastOf(uint32_t height, uint32_t width, uint32_t channels) {
  return {height * width * channels, width * channels, channels, 1};
}

// The fields that conv and depthwise share.
template <class Shape>
Shape WindowOf(const Axis& down, const Axis& across, uint32_t channels, uint32_t outputs) {
  Shape shape = {};
  shape.batch = 1;
  shape.in_height = down.input;
  shape.in_width = across.input;
  shape.out_height = down.output;
  shape.out_width = across.output;
  shape.kernel_height = down.kernel;
  shape.kernel_width = across.kernel;
  shape.stride_y = down.stride;
  shape.stride_x = across.stride;
  shape.dilation_y = down.dilation;
  shape.dilation_x = across.dilation;
  shape.pad_top = down.pad;
  shape.pad_left = across.pad;
  shape.x = LastOf(down.input, across.input, channels);
  shape.y = LastOf(down.output, across.output, outputs);
  return shape;
}

template <class Weight = float>
void MeasureConv(const char* name, const Axis& down, const Axis& across, uint32_t channels,
                 uint32_t outputs) {
  ConvShape shape = WindowOf<ConvShape>(down, across, channels, outputs);
  shape.activation.op = UnaryOp::kRelu;
  shape.groups = 1;
  shape.in_channels = channels;
  shape.out_channels = outputs;
  Measure(name, down.output * across.output * outputs * down.kernel * across.kernel * channels,
          [&] { Conv(shape, x, WeightsOf(Weight()), bias, y); });
}

template <class Weight = float>
void MeasureDepthwise(const char* name, const Axis& down, const Axis& across, uint32_t channels) {
  DepthwiseShape shape = WindowOf<DepthwiseShape>(down, across, channels, channels);
  shape.activation.op = UnaryOp::kRelu;
  shape.channels = channels;
  shape.multiplier = 1;
  Measure(name, down.output * across.output * channels * down.kernel * across.kernel,
          [&] { Depthwise(shape, x, WeightsOf(Weight()), bias, y); });
}

float floats[8192];  // patches, or weights of depthwise

void MeasureConvI8(const char* name, const Axis& down, const Axis& across, uint32_t channels,
                   uint32_t outputs) {
  ConvI8Shape shape = WindowOf<ConvI8Shape>(down, across, channels, outputs);
  shape.activation.op = UnaryOp::kRelu;
  shape.groups = 1;
  shape.in_channels = channels;
  shape.out_channels = outputs;
  shape.max = MaxFor(down.kernel * across.kernel * channels);
  Measure(name, down.output * across.output * outputs * down.kernel * across.kernel * channels,
          [&] { ConvI8(shape, x, integers, weights, bias, y, floats, integer_rows); });
}

void MeasureDepthwiseI8(const char* name, const Axis& down, const Axis& across, uint32_t channels) {
  DepthwiseShape shape = WindowOf<DepthwiseShape>(down, across, channels, channels);
  shape.activation.op = UnaryOp::kRelu;
  shape.channels = channels;
  shape.multiplier = 1;
  Measure(name, down.output * across.output * channels * down.kernel * across.kernel, [&] {
    DepthwiseShape own = shape;
    DepthwiseI8(own, true, x, {integers, weights}, bias, y, floats);
  });
}

void MeasureConvQ8(const char* name, const CodesOfSums& codes, const Axis& down, const Axis& across,
                   uint32_t channels, uint32_t outputs) {
  ConvQ8Shape shape = WindowOf<ConvQ8Shape>(down, across, channels, outputs);
  shape.results = codes.results;
  shape.groups = 1;
  shape.in_channels = channels;
  shape.out_channels = outputs;
  const bool is_direct = down.kernel == 1 && across.kernel == 1;
  Measure(
      name, down.output * across.output * outputs * down.kernel * across.kernel * channels,
      [&] { ConvQ8(shape, integers, integers, codes.factors, y, is_direct ? nullptr : patches); });
}

void MeasureDepthwiseQ8(const char* name, const CodesOfSums& codes, const Axis& down,
                        const Axis& across, uint32_t channels) {
  DepthwiseQ8Shape shape = WindowOf<DepthwiseQ8Shape>(down, across, channels, channels);
  shape.results = codes.results;
  shape.channels = channels;
  shape.multiplier = 1;
  Measure(name, down.output * across.output * channels * down.kernel * across.kernel,
          [&] { DepthwiseQ8(shape, integers, integers, codes.factors, y); });
}

void MeasureCodesOf(const CodesOfSums& codes, const char* const (&names)[7]) {
  MeasureDenseQ8(names[0], codes, 1, 64, 64);
  MeasureDenseQ8(names[1], codes, 1, 64, 256);
  MeasureDenseQ8(names[2], codes, 100, 32, 256);
  MeasureConvQ8(names[3], codes, {49, 25, 10, 2, 1, 4}, {10, 5, 4, 2, 1, 1}, 1, 64);
  MeasureConvQ8(names[4], codes, {25, 25, 1, 1, 1, 0}, {5, 5, 1, 1, 1, 0}, 64, 64);
  MeasureConvQ8(names[5], codes, {16, 16, 3, 1, 1, 1}, {16, 16, 3, 1, 1, 1}, 16, 16);
  MeasureDepthwiseQ8(names[6], codes, {25, 25, 3, 1, 1, 1}, {5, 5, 3, 1, 1, 1}, 64);
}

#if defined(__ARM_FEATURE_DSP)
// 16 channels on 16 x 16, in windows of `kernel` x `kernel`: per tap and channel.
void MeasurePool(const char* name, PoolOp op, uint32_t kernel, uint32_t stride) {
  PoolQ8Shape shape;
  const uint32_t outputs = (16 - kernel) / stride + 1;
  shape.batch = 1, shape.channels = 16, shape.op = op;
  shape.in_height = shape.in_width = 16;
  shape.out_height = shape.out_width = outputs;
  shape.kernel_height = shape.kernel_width = kernel;
  shape.stride_y = shape.stride_x = stride;
  shape.dilation_y = shape.dilation_x = 1;
  shape.x = {16 * 16 * 16, 16 * 16, 16, 1};
  shape.y = {outputs * outputs * 16, outputs * 16, 16, 1};
  shape.codes = kByIntegers.results.codes;
  Measure(name, outputs * outputs * 16 * kernel * kernel,
          [&] { PoolQ8(shape, integers, reinterpret_cast<int8_t*>(y)); });
}

// Few channels, and pairs of two maps: per element instead of per multiply-add.
void MeasureSmall() {
  MeasureConvQ8("conv_3x3_3_to_8_on_16x16_q8_integers", kByIntegers, {16, 16, 3, 1, 1, 1},
                {16, 16, 3, 1, 1, 1}, 3, 8);
  MeasureDenseQ8("dense_99_rows_8_to_16_q8_integers", kByIntegers, 99, 8, 16);
  MeasureDenseQ8("dense_99_rows_32_to_12_q8_integers", kByIntegers, 99, 32, 12);
  BinaryQ8Shape shape;
  shape.rank = 1;
  shape.dims[0] = 4096;
  shape.a_strides[0] = shape.b_strides[0] = 1;
  shape.codes = kByIntegers.results.codes;
  shape.a_multiplier = {1 << 30, 0};
  shape.b_multiplier = shape.multiplier = {0x5A000000, -2};
  const auto pair = [&] {
    BinaryQ8(shape, integers, integers + shape.dims[0], reinterpret_cast<int8_t*>(y));
  };
  Measure("add_4096_q8_integers", shape.dims[0], pair);
  shape.op = BinaryOp::kMultiply;
  Measure("multiply_4096_q8_integers", shape.dims[0], pair);
  MeasurePool("max_3x3_q8", PoolOp::kMax, 3, 1);
  MeasurePool("mean_2x2_q8_integers", PoolOp::kMeanExcludePad, 2, 2);
}
#endif

void MeasureCodes() {
  MeasureLstmQ8<40, 64>("lstm_40_to_64_q8", LstmQ8);
  MeasureLstmQ8<40, 64>("lstm_40_to_64_q8_litert", LstmQ8LiteRt);
  MeasureLstmQ8<40, 24>("lstm_40_to_24_q8", LstmQ8);
  MeasureCodesOf(kByFloats,
                 {"dense_64_to_64_q8", "dense_64_to_256_q8", "dense_100_rows_32_to_256_q8",
                  "conv_10x4_by_2_q8", "pointwise_64_on_25x5_q8", "conv_3x3_16_on_16x16_q8",
                  "depthwise_3x3_64_on_25x5_q8"});
  for (Factor& mantissa : mantissas) mantissa.number = 0x5A000000;
  for (Factor& exponent : exponents) exponent.number = -8;
  MeasureCodesOf(kByIntegers,
                 {"dense_64_to_64_q8_integers", "dense_64_to_256_q8_integers",
                  "dense_100_rows_32_to_256_q8_integers", "conv_10x4_by_2_q8_integers",
                  "pointwise_64_on_25x5_q8_integers", "conv_3x3_16_on_16x16_q8_integers",
                  "depthwise_3x3_64_on_25x5_q8_integers"});
#if defined(__ARM_FEATURE_DSP)
  MeasureSmall();
#endif
}

void MeasureFloats() {
  constexpr Axis kOne = {1, 1, 1, 1, 1, 0};
  MeasureDense("dense_64_to_64", 1, 64, 64);
  MeasureDense("dense_100_rows_32_to_256", 100, 32, 256);
  MeasureMatmul("matmul_64", 64);
  MeasureConv("conv_10x4_by_2", {49, 25, 10, 2, 1, 4}, {10, 5, 4, 2, 1, 1}, 1, 64);
  MeasureConv("pointwise_64_on_25x5", {25, 25, 1, 1, 1, 0}, {5, 5, 1, 1, 1, 0}, 64, 64);
  MeasureConv("conv_3x3_16_on_16x16", {16, 16, 3, 1, 1, 1}, {16, 16, 3, 1, 1, 1}, 16, 16);
  MeasureConv("conv_5_40_to_128_on_50", kOne, {50, 50, 5, 1, 1, 2}, 40, 128);
  MeasureConv("conv_3_dilated_64_on_50", kOne, {50, 50, 3, 1, 4, 8}, 64, 64);
  MeasureDepthwise("depthwise_3x3_64_on_25x5", {25, 25, 3, 1, 1, 1}, {5, 5, 3, 1, 1, 1}, 64);
  MeasureDepthwise("depthwise_3x3_by_2_16_on_16x16", {16, 8, 3, 2, 1, 1}, {16, 8, 3, 2, 1, 1}, 16);
  MeasureDepthwise("depthwise_3x3_100_on_10x10", {10, 10, 3, 1, 1, 1}, {10, 10, 3, 1, 1, 1}, 100);
  MeasureDepthwise("depthwise_3_64_on_100", kOne, {100, 100, 3, 1, 1, 1}, 64);
  MeasureDepthwise("depthwise_9_64_on_100", kOne, {100, 100, 9, 1, 1, 4}, 64);
}

// Layers with other weight types.
template <class Weight>
void MeasureNarrow(const char* const (&names)[4]) {
  MeasureDense<Weight>(names[0], 1, 64, 64);
  MeasureConv<Weight>(names[1], {25, 25, 1, 1, 1, 0}, {5, 5, 1, 1, 1, 0}, 64, 64);
  MeasureConv<Weight>(names[2], {16, 16, 3, 1, 1, 1}, {16, 16, 3, 1, 1, 1}, 16, 16);
  MeasureDepthwise<Weight>(names[3], {25, 25, 3, 1, 1, 1}, {5, 5, 3, 1, 1, 1}, 64);
}

}  // namespace
}  // namespace weft::kernels

int main() {
  using namespace weft::kernels;
  (void)AllVariants();  // links what computes the codes
  StartTicks();
  Fill(x, kFloats);
  Fill(weights, kFloats);
  Fill(bias, 1024);
  MeasureFloats();
  for (int8_t& one : integers) one = static_cast<int8_t>(&one - integers);
  MeasureCodes();
  MeasureDenseI8("dense_64_to_64_i8", 1, 64, 64);
  MeasureDenseI8("dense_64_to_256_i8", 1, 64, 256);
  MeasureDenseI8("dense_100_rows_32_to_256_i8", 100, 32, 256);
  MeasureConvI8("conv_10x4_by_2_i8", {49, 25, 10, 2, 1, 4}, {10, 5, 4, 2, 1, 1}, 1, 64);
  MeasureConvI8("conv_3x3_16_on_16x16_i8", {16, 16, 3, 1, 1, 1}, {16, 16, 3, 1, 1, 1}, 16, 16);
  MeasureDepthwiseI8("depthwise_3x3_64_on_25x5_i8", {25, 25, 3, 1, 1, 1}, {5, 5, 3, 1, 1, 1}, 64);
  MeasureDenseI4("dense_64_to_64_i4", 1, 64, 64);
  MeasureDenseI4("dense_64_to_256_i4", 1, 64, 256);
  MeasureDenseI4("dense_100_rows_32_to_256_i4", 100, 32, 256);
#define WEFT_WEIGHTS(name, Name, ...)                                          \
  MeasureNarrow<Name>({"dense_64_to_64_" #name, "pointwise_64_on_25x5_" #name, \
                       "conv_3x3_16_on_16x16_" #name, "depthwise_3x3_64_on_25x5_" #name});
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
  return 0;
}
