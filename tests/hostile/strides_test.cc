// SPDX-License-Identifier: Apache-2.0
// Unused strides, dilations and pads may have any value in a valid file: no output depends on them.
// On 32 bits a pointer that is advanced by such a stride wraps around although it is not
// dereferenced; the program weft_pointers_tests detects that.
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <vector>

#include "tests/hostile/survive.h"

namespace weft::test {
namespace {

using format::Kind;

constexpr ElementType kF32 = ElementType::f32;
constexpr uint32_t kFar[] = {0x1FFFFFFF, 0x20000000, 0x3FFFFFFF, 0x40000001, 0x7FFFFFFF};
const format::Activation kTanh = Activate(format::UnaryOp::tanh, 0, 0, 5.0f);

// A step with a parameter, `far`, that must not affect its results.
struct Idle {
  const char* name;
  StepSample (*make)(uint32_t far);
};

constexpr int32_t Signed(uint32_t number) { return static_cast<int32_t>(number); }

StepSample Dense(uint32_t rows, uint32_t inputs, uint32_t x, uint32_t y, uint32_t start) {
  return StepSample(Kind::dense,
                    {{kF32, rows * inputs}, {kF32, 16 * inputs}, {kF32, 5}, {kF32, rows * 5}})
      .With(
          format::DenseParams(rows, inputs, 5, x, y, start, kTanh, format::ElementType::f32, 0, 0));
}

StepSample DenseI8(uint32_t rows, uint32_t inputs, uint32_t x, uint32_t y, uint32_t start) {
  const uint32_t padded = (inputs + 15) / 16 * 16;
  return StepSample(Kind::dense_i8, {{kF32, rows * inputs},
                                     {ElementType::i8, 16 * padded},
                                     {kF32, 16},
                                     {kF32, 5},
                                     {kF32, rows * 5},
                                     {ElementType::i16, rows * padded}})
      .With(format::DenseI8Params(rows, inputs, 5, x, y, start, kTanh, 32767));
}

StepSample DenseOfShorts(uint32_t rows, uint32_t inputs, uint32_t x) {
  const uint32_t padded = (inputs + 15) / 16 * 16;
  return StepSample(Kind::dense_i8, {{ElementType::i16, rows * inputs},
                                     {ElementType::i8, 16 * padded},
                                     {kF32, 16},
                                     {kF32, 5},
                                     {kF32, rows * 5},
                                     {ElementType::i16, rows * padded}})
      .With(format::DenseI8Params(rows, inputs, 5, x, 5, 0, kTanh, 0));
}

StepSample DenseI4(uint32_t rows, uint32_t inputs, uint32_t x, uint32_t y, uint32_t start) {
  const uint32_t padded = (inputs + 15) / 16 * 16, groups = padded / 16;
  return StepSample(Kind::dense_i4,
                    {{kF32, rows * inputs},
                     {ElementType::u4, 16 * padded},
                     {ElementType::f16, 16 * groups},
                     {ElementType::u8, 16 * groups},
                     {kF32, 5},
                     {kF32, rows * 5},
                     {ElementType::i16, rows * (padded + 2 * groups) + 8 * (groups == 0 ? 0 : 16)}})
      .With(format::DenseI4Params(rows, inputs, 5, x, y, start, kTanh, 32767, 1, ElementType::f16,
                                  0, 0));
}

constexpr ElementType kI8 = ElementType::i8, kI32 = ElementType::i32;
const format::Activation kPlain;
const format::CodeRange kCodes(3, -100, 120, format::Results::codes);

StepSample DenseQ8(uint32_t rows, uint32_t inputs, uint32_t x, uint32_t y, uint32_t start) {
  const uint32_t padded = (inputs + 15) / 16 * 16;
  return StepSample(Kind::dense_q8, {{kI8, rows * inputs},
                                     {kI8, 16 * padded},
                                     {kF32, 5},
                                     {kI32, 5},
                                     {kF32, 5},
                                     {kI8, rows * 5}})
      .With(format::DenseQ8Params(rows, inputs, 5, x, y, start, kPlain, kCodes));
}

StepSample Matmul(uint32_t inner, uint32_t a_row, uint32_t a_inner, uint32_t b_inner,
                  uint32_t b_column, uint32_t batch) {
  const uint32_t dims[6] = {1}, strides[6] = {batch};
  return StepSample(Kind::matmul, {{kF32, inner}, {kF32, inner * 20}, {kF32, 20}})
      .With(format::MatmulParams(1, dims, strides, strides, 1, 20, inner, a_row, a_inner, b_inner,
                                 b_column, format::ElementType::f32, 0, 0));
}

// One row, with seven time steps of a ring and a new one as columns.
StepSample RingMatmul(uint32_t inner, uint32_t a_row, uint32_t past_inner, uint32_t x_inner,
                      uint32_t x_column, uint32_t batch) {
  const uint32_t dims[6] = {1}, strides[6] = {batch};
  return StepSample(
             Kind::ring_matmul,
             {{kF32, inner}, {kF32, inner * 7}, {kF32, inner}, {ElementType::i32, 1}, {kF32, 8}})
      .With(format::RingMatmulParams(1, dims, strides, strides, strides, 1, 8, inner, 1, a_row, 1,
                                     past_inner, 1, x_inner, x_column, format::RingAlong::columns,
                                     0, 0));
}
// One row and column, with one time step of a ring and a new one as terms.
StepSample RingTerms(uint32_t past, uint32_t x, uint32_t column) {
  const uint32_t none[6] = {};
  return StepSample(Kind::ring_matmul,
                    {{kF32, 2}, {kF32, 1}, {kF32, 1}, {ElementType::i32, 1}, {kF32, 1}})
      .With(format::RingMatmulParams(0, none, none, none, none, 1, 1, 2, 1, 2, 1, past, column, x,
                                     column, format::RingAlong::inner, 0, 0));
}

// A window of `taps` x `taps` over 3 x 3 pixels, at `out` x `out` positions.
struct Window {
  uint32_t out, taps, stride, dilation, pad;
};

StepSample Conv(const Window& w) {
  const uint32_t taps = w.taps * w.taps, positions = w.out * w.out;
  return StepSample(Kind::conv,
                    {{kF32, 18}, {kF32, 16 * 2 * taps}, {kF32, 3}, {kF32, 3 * positions}})
      .With(format::ConvParams(1, 1, 2, 3, 3, 3, w.out, w.out, w.taps, w.taps, w.stride, w.stride,
                               w.dilation, w.dilation, w.pad, w.pad,
                               format::MapStrides(18, 3, 1, 9),
                               format::MapStrides(3 * positions, w.out, 1, positions), kTanh,
                               format::ElementType::f32, 0, 0));
}
StepSample ConvI8(const Window& w) {
  const uint32_t inputs = w.taps * w.taps * 2, padded = (inputs + 15) / 16 * 16;
  const uint32_t positions = w.out * w.out, pixels = positions < 4 ? positions : 4;
  return StepSample(Kind::conv_i8, {{kF32, 18},
                                    {ElementType::i8, 16 * padded},
                                    {kF32, 16},
                                    {kF32, 3},
                                    {kF32, 3 * positions},
                                    {kF32, pixels * (inputs + 3)},
                                    {ElementType::i16, pixels * padded}})
      .With(format::ConvI8Params(
          1, 1, 2, 3, 3, 3, w.out, w.out, w.taps, w.taps, w.stride, w.stride, w.dilation,
          w.dilation, w.pad, w.pad, format::MapStrides(18, 3, 1, 9),
          format::MapStrides(3 * positions, w.out, 1, positions), kTanh, 32767));
}
StepSample DepthwiseI8(const Window& w) {
  const uint32_t taps = w.taps * w.taps, positions = w.out * w.out;
  return StepSample(Kind::depthwise_i8, {{kF32, 18},
                                         {ElementType::i8, 16 * taps},
                                         {kF32, 16},
                                         {kF32, 16},
                                         {kF32, 2},
                                         {kF32, 2 * positions},
                                         {kF32, 16 * taps}})
      .With(format::DepthwiseI8Params(
          1, 2, 1, 3, 3, w.out, w.out, w.taps, w.taps, w.stride, w.stride, w.dilation, w.dilation,
          w.pad, w.pad, format::MapStrides(18, 3, 1, 9),
          format::MapStrides(2 * positions, w.out, 1, positions), kTanh));
}
// A map of one axis with stride 1; the strides of the others are `far`.
format::MapStrides Line(bool pixels, uint32_t far) {
  return format::MapStrides(far, far, pixels ? 1 : far, pixels ? far : 1);
}
StepSample ConvOfLine(bool pixels, uint32_t far) {
  const uint32_t width = pixels ? 9 : 1, channels = pixels ? 1 : 20, taps = pixels ? 3 : 1;
  return StepSample(Kind::conv, {{kF32, width * channels},
                                 {kF32, (pixels ? 16 : 32) * channels * taps},
                                 {kF32, channels},
                                 {kF32, width * channels}})
      .With(format::ConvParams(1, 1, channels, channels, 1, width, 1, width, 1, taps, 1, 1, 1, 1, 0,
                               taps / 2, Line(pixels, far), Line(pixels, far), kTanh,
                               format::ElementType::f32, 0, 0));
}
StepSample ConvI8OfLine(bool pixels, uint32_t far) {
  const uint32_t width = pixels ? 9 : 1, channels = pixels ? 1 : 20, taps = pixels ? 3 : 1;
  const uint32_t inputs = channels * taps, padded = (inputs + 15) / 16 * 16;
  const uint32_t outputs = pixels ? 16 : 32, positions = pixels ? 4 : 1;
  return StepSample(Kind::conv_i8, {{kF32, width * channels},
                                    {kI8, outputs * padded},
                                    {kF32, outputs},
                                    {kF32, channels},
                                    {kF32, width * channels},
                                    {kF32, positions * inputs + (pixels ? 0 : 20)},
                                    {ElementType::i16, positions * padded}})
      .With(format::ConvI8Params(1, 1, channels, channels, 1, width, 1, width, 1, taps, 1, 1, 1, 1,
                                 0, taps / 2, Line(pixels, far), Line(pixels, far), kTanh, 32767));
}
StepSample ConvQ8(const Window& w) {
  const uint32_t taps = w.taps * w.taps, positions = w.out * w.out;
  return StepSample(Kind::conv_q8, {{kI8, 18},
                                    {kI8, 16 * 16 * ((2 * taps + 15) / 16)},
                                    {kF32, 3},
                                    {kI32, 3},
                                    {kF32, 3},
                                    {kI8, 3 * positions},
                                    {kI8, 4 * 16 * ((2 * taps + 15) / 16)}})
      .With(format::ConvQ8Params(1, 1, 2, 3, 3, 3, w.out, w.out, w.taps, w.taps, w.stride, w.stride,
                                 w.dilation, w.dilation, w.pad, w.pad, {18, 6, 2, 1},
                                 {3 * positions, 3 * w.out, 3, 1}, kPlain, kCodes, 9, 0, 0));
}
StepSample ConvQ8OfLine(bool pixels, uint32_t far) {
  const uint32_t width = pixels ? 9 : 1, channels = pixels ? 1 : 20, taps = pixels ? 3 : 1;
  return StepSample(Kind::conv_q8, {{kI8, width * channels},
                                    {kI8, pixels ? 16 * 16 : 32 * 32},
                                    {kF32, channels},
                                    {kI32, channels},
                                    {kF32, channels},
                                    {kI8, width * channels},
                                    {kI8, pixels ? 4 * 16 : 0}})
      .With(format::ConvQ8Params(1, 1, channels, channels, 1, width, 1, width, 1, taps, 1, 1, 1, 1,
                                 0, taps / 2, Line(pixels, far), Line(pixels, far), kPlain, kCodes,
                                 9, 0, 0));
}
StepSample DepthwiseQ8(const Window& w) {
  const uint32_t taps = w.taps * w.taps, positions = w.out * w.out;
  return StepSample(
             Kind::depthwise_q8,
             {{kI8, 18}, {kI8, 16 * taps}, {kF32, 2}, {kI32, 2}, {kF32, 2}, {kI8, 2 * positions}})
      .With(format::DepthwiseQ8Params(1, 2, 1, 3, 3, w.out, w.out, w.taps, w.taps, w.stride,
                                      w.stride, w.dilation, w.dilation, w.pad, w.pad, {18, 3, 1, 9},
                                      {2 * positions, w.out, 1, positions}, kPlain, kCodes, 9, 0,
                                      0));
}
StepSample PoolQ8(const Window& w) {
  const uint32_t positions = w.out * w.out;
  return StepSample(Kind::pool_q8, {{kI8, 18}, {kI8, 2 * positions}})
      .With(format::PoolQ8Params(1, 2, 3, 3, w.out, w.out, w.taps, w.taps, w.stride, w.stride,
                                 w.dilation, w.dilation, w.pad, w.pad, 0, 0, {18, 3, 1, 9},
                                 {2 * positions, w.out, 1, positions}, 0.5f, kCodes,
                                 format::PoolOp::mean_exclude_pad, 9, 0, {}));
}
StepSample Depthwise(const Window& w) {
  const uint32_t taps = w.taps * w.taps, positions = w.out * w.out;
  return StepSample(Kind::depthwise,
                    {{kF32, 18}, {kF32, 16 * taps}, {kF32, 2}, {kF32, 2 * positions}})
      .With(format::DepthwiseParams(1, 2, 1, 3, 3, w.out, w.out, w.taps, w.taps, w.stride, w.stride,
                                    w.dilation, w.dilation, w.pad, w.pad, {18, 3, 1, 9},
                                    {2 * positions, w.out, 1, positions}, kTanh,
                                    format::ElementType::f32, 0, 0));
}
StepSample Pool(const Window& w) {
  const uint32_t positions = w.out * w.out;
  return StepSample(Kind::pool, {{kF32, 18}, {kF32, 2 * positions}})
      .With(format::PoolParams(1, 2, 3, 3, w.out, w.out, w.taps, w.taps, w.stride, w.stride,
                               w.dilation, w.dilation, w.pad, w.pad, 0, 0, {18, 3, 1, 9},
                               {2 * positions, w.out, 1, positions}, format::PoolOp::max, 0, 0));
}

// Maps with one element on the axes whose stride is `far`. Windows of 2 taps, so that every loop
// runs. The strides are passed by reference: GCC 12 at -O1 corrupts them by value on AArch64 and
// RISC-V.
format::MapStrides Far(uint32_t far, const format::MapStrides& strides) {
  const auto or_far = [far](uint32_t stride) { return stride == 0 ? far : stride; };
  return {or_far(strides.image()), or_far(strides.row()), or_far(strides.pixel()),
          or_far(strides.channel())};
}
// 3 channels in a row of 4 pixels, or in one pixel; planes, or channels last.
StepSample DepthwiseRow(uint32_t far, const format::MapStrides& x, const format::MapStrides& y,
                        uint32_t channels, uint32_t width) {
  const uint32_t taps = width > 1 ? 2 : 1, out = width + 1 - taps;
  return StepSample(Kind::depthwise, {{kF32, channels * width},
                                      {kF32, 16 * taps},
                                      {kF32, channels},
                                      {kF32, channels * out}})
      .With(format::DepthwiseParams(1, channels, 1, 1, width, 1, out, 1, taps, 1, 1, 1, 1, 0, 0,
                                    Far(far, x), Far(far, y), kTanh, format::ElementType::f32, 0,
                                    0));
}
StepSample PoolRow(uint32_t far, const format::MapStrides& x, const format::MapStrides& y,
                   uint32_t channels, uint32_t width) {
  const uint32_t taps = width > 1 ? 2 : 1, out = width + 1 - taps;
  return StepSample(Kind::pool, {{kF32, channels * width}, {kF32, channels * out}})
      .With(format::PoolParams(1, channels, 1, width, 1, out, 1, taps, 1, 1, 1, 1, 0, 0, 0, 0,
                               Far(far, x), Far(far, y), format::PoolOp::max, 0, 0));
}

// dims {1, 3, 1}; the axes of one element have the stride `far`.
StepSample Binary(uint32_t far) {
  const uint32_t dims[8] = {1, 3, 1}, strides[8] = {far, 1, far};
  return StepSample(Kind::binary, {{kF32, 3}, {kF32, 3}, {kF32, 3}})
      .With(format::BinaryParams(3, dims, strides, strides, format::BinaryOp::add, kF32, 0));
}
StepSample BinaryQ8(uint32_t far) {
  const uint32_t dims[8] = {1, 3, 1}, strides[8] = {far, 1, far};
  return StepSample(Kind::binary_q8, {{kI8, 3}, {kI8, 3}, {kI8, 3}})
      .With(format::BinaryQ8Params(3, dims, strides, strides, 0.5f, 0.5f, kCodes, 1, 2,
                                   format::BinaryOp::add, 0, {}, {}, {}));
}
StepSample DepthwiseQ8Row(uint32_t far, const format::MapStrides& x, const format::MapStrides& y,
                          uint32_t channels, uint32_t width) {
  const uint32_t taps = width > 1 ? 2 : 1, out = width + 1 - taps;
  return StepSample(Kind::depthwise_q8, {{kI8, channels * width},
                                         {kI8, 16 * taps},
                                         {kF32, channels},
                                         {kI32, channels},
                                         {kF32, channels},
                                         {kI8, channels * out}})
      .With(format::DepthwiseQ8Params(1, channels, 1, 1, width, 1, out, 1, taps, 1, 1, 1, 1, 0, 0,
                                      Far(far, x), Far(far, y), kPlain, kCodes, 9, 0, 0));
}
StepSample PoolQ8Row(uint32_t far, const format::MapStrides& x, const format::MapStrides& y,
                     uint32_t channels, uint32_t width) {
  const uint32_t taps = width > 1 ? 2 : 1, out = width + 1 - taps;
  return StepSample(Kind::pool_q8, {{kI8, channels * width}, {kI8, channels * out}})
      .With(format::PoolQ8Params(1, channels, 1, width, 1, out, 1, taps, 1, 1, 1, 1, 0, 0, 0, 0,
                                 Far(far, x), Far(far, y), 0.5f, kCodes,
                                 format::PoolOp::mean_exclude_pad, 9, 0, {}));
}
StepSample Chain(uint32_t far) {
  format::ChainParams params = samples::ChainOfTanh();
  params.mutate_rank(3);
  for (uint16_t d = 0; d < 3; ++d) params.mutable_dims()->Mutate(d, d == 1 ? 3 : 1);
  for (uint16_t i = 0; i < 24; ++i) params.mutable_strides()->Mutate(i, i % 4 == 1 ? 1 : far);
  params.mutate_staged(1);
  return StepSample(Kind::chain,
                    {{kF32, 3}, {kF32, 3}, {kF32, 3}, {kF32, 3}, {kF32, 3}, {kF32, 3}, {kF32, 3}})
      .With(params);
}
StepSample Compare(uint32_t far) {
  const uint32_t dims[8] = {1, 3, 1}, strides[8] = {far, 1, far};
  return StepSample(Kind::compare, {{kF32, 3}, {kF32, 3}, {ElementType::boolean, 3}})
      .With(format::CompareParams(3, dims, strides, strides, format::CompareOp::less, kF32, 0));
}
StepSample Select(uint32_t far) {
  const uint32_t dims[8] = {1, 3, 1}, strides[8] = {far, 1, far};
  return StepSample(Kind::select, {{ElementType::boolean, 3}, {kF32, 3}, {kF32, 3}, {kF32, 3}})
      .With(format::SelectParams(3, dims, strides, strides, strides, 4));
}
StepSample Reduce(uint32_t far) {
  const uint32_t dims[8] = {1, 3, 1, 2}, strides[8] = {far, 2, far, 1};
  return StepSample(Kind::reduce, {{kF32, 6}, {kF32, 3}})
      .With(format::ReduceParams(2, 2, dims, strides, format::ReduceOp::sum, kF32,
                                 format::ReduceOrder::by_strides, 0));
}
StepSample Fourier(uint32_t far) {
  const uint8_t factors[12] = {4};
  return StepSample(Kind::fourier, {{kF32, 8}, {kF32, 0}, {kF32, 8}, {kF32, 8}})
      .With(format::FourierParams(1, 4, far, far, 1, factors, format::FourierOp::forward, 0, 0));
}
// The axis of one element is axis `axis` of three.
StepSample Copy(uint32_t axis, int32_t from, int32_t to) {
  uint32_t dims[8] = {2, 2, 2};
  int32_t source[8] = {4, 2, 1}, target[8] = {1, 2, 4};
  dims[axis] = 1;
  source[axis] = from;
  target[axis] = to;
  return StepSample(Kind::copy, {{kF32, 8}, {kF32, 8}})
      .With(format::CopyParams(3, dims, source, target, 0, 0, 4));
}

const Idle kIdle[] = {
    {"dense x of one row", [](uint32_t far) { return Dense(1, 3, far, 5, 0); }},
    {"dense x without inputs", [](uint32_t far) { return Dense(3, 0, far, 5, 0); }},
    {"dense y of one row", [](uint32_t far) { return Dense(1, 3, 3, far | 7, 0); }},
    {"dense start of one row", [](uint32_t far) { return Dense(1, 3, 3, 5, far); }},
    {"dense_i8 x of one row", [](uint32_t far) { return DenseI8(1, 3, far, 5, 0); }},
    {"dense_i8 x without inputs", [](uint32_t far) { return DenseI8(3, 0, far, 5, 0); }},
    {"dense_i8 y of one row", [](uint32_t far) { return DenseI8(1, 3, 3, far | 7, 0); }},
    {"dense_i8 x of i16 of one row", [](uint32_t far) { return DenseOfShorts(1, 3, far); }},
    {"dense_i8 x of i16 without inputs", [](uint32_t far) { return DenseOfShorts(3, 0, far); }},
    {"dense_i8 start of one row", [](uint32_t far) { return DenseI8(1, 3, 3, 5, far); }},
    {"dense_i4 x of one row", [](uint32_t far) { return DenseI4(1, 3, far, 5, 0); }},
    {"dense_i4 x without inputs", [](uint32_t far) { return DenseI4(3, 0, far, 5, 0); }},
    {"dense_i4 y of one row", [](uint32_t far) { return DenseI4(1, 3, 3, far | 7, 0); }},
    {"dense_i4 start of one row", [](uint32_t far) { return DenseI4(1, 3, 3, 5, far); }},
    {"matmul rows of a", [](uint32_t far) { return Matmul(3, far, 1, 20, 1, 0); }},
    {"matmul inner of a", [](uint32_t far) { return Matmul(1, 1, far, 20, 1, 0); }},
    {"matmul inner of b", [](uint32_t far) { return Matmul(1, 1, 1, far, 1, 0); }},
    {"matmul batch", [](uint32_t far) { return Matmul(3, 3, 1, 1, 3, far); }},
    {"ring product rows of a", [](uint32_t far) { return RingMatmul(3, far, 7, 1, 1, 0); }},
    {"ring product inner of the past", [](uint32_t far) { return RingMatmul(1, 1, far, 1, 1, 0); }},
    {"ring product inner of x", [](uint32_t far) { return RingMatmul(1, 1, 7, far, 1, 0); }},
    {"ring product column of x", [](uint32_t far) { return RingMatmul(3, 3, 7, 1, far, 0); }},
    {"ring product batch", [](uint32_t far) { return RingMatmul(3, 3, 7, 1, 1, far); }},
    {"ring product of one time step", [](uint32_t far) { return RingTerms(far, far, 1); }},
    {"ring product of one column", [](uint32_t far) { return RingTerms(1, 1, far); }},
    {"conv_i8 map of one row", [](uint32_t far) { return ConvI8OfLine(true, far); }},
    {"conv_i8 map of one pixel", [](uint32_t far) { return ConvI8OfLine(false, far); }},
    {"conv map of one row", [](uint32_t far) { return ConvOfLine(true, far); }},
    {"conv map of one pixel", [](uint32_t far) { return ConvOfLine(false, far); }},
    {"pool_q8 stride",
     [](uint32_t far) {
       return PoolQ8({1, 2, far, 1, 0});
     }},
    {"pool_q8 dilation",
     [](uint32_t far) {
       return PoolQ8({3, 1, 1, far, 0});
     }},
    {"pool_q8 dilation at the edge",
     [](uint32_t far) {
       return PoolQ8({1, 2, 1, far, 0});
     }},
    {"pool_q8 tap after the pad",
     [](uint32_t far) {
       return PoolQ8({1, 2, 1, far - 3, far - 3});
     }},
    {"pool_q8 pad",
     [](uint32_t far) {
       return PoolQ8({1, 2, 1, 1, far - 3});
     }},
    {"conv_q8 map of one row", [](uint32_t far) { return ConvQ8OfLine(true, far); }},
    {"conv_q8 map of one pixel", [](uint32_t far) { return ConvQ8OfLine(false, far); }},
    {"dense_q8 x of one row", [](uint32_t far) { return DenseQ8(1, 3, far, 5, 0); }},
    {"dense_q8 x without inputs", [](uint32_t far) { return DenseQ8(3, 0, far, 5, 0); }},
    {"dense_q8 y of one row", [](uint32_t far) { return DenseQ8(1, 3, 3, far | 7, 0); }},
    {"dense_q8 start of one row", [](uint32_t far) { return DenseQ8(1, 3, 3, 5, far); }},
    {"binary_q8", [](uint32_t far) { return BinaryQ8(far); }},
    {"pool stride",
     [](uint32_t far) {
       return Pool({1, 2, far, 1, 0});
     }},
    {"pool dilation",
     [](uint32_t far) {
       return Pool({3, 1, 1, far, 0});
     }},
    {"pool dilation at the edge",
     [](uint32_t far) {
       return Pool({1, 2, 1, far, 0});
     }},
    {"pool tap after the pad",
     [](uint32_t far) {
       return Pool({1, 2, 1, far - 3, far - 3});
     }},
    {"pool pad",
     [](uint32_t far) {
       return Pool({1, 2, 1, 1, far - 3});
     }},
    {"depthwise row of planes",
     [](uint32_t far) {
       return DepthwiseRow(far, {0, 0, 1, 4}, {0, 0, 1, 3}, 3, 4);
     }},
    {"depthwise row, channels last",
     [](uint32_t far) {
       return DepthwiseRow(far, {0, 0, 3, 1}, {0, 0, 3, 1}, 3, 4);
     }},
    {"depthwise pixel",
     [](uint32_t far) {
       return DepthwiseRow(far, {0, 0, 0, 1}, {0, 0, 0, 1}, 3, 1);
     }},
    {"depthwise channel",
     [](uint32_t far) {
       return DepthwiseRow(far, {0, 0, 1, 0}, {0, 0, 1, 0}, 1, 4);
     }},
    {"pool row of planes",
     [](uint32_t far) {
       return PoolRow(far, {0, 0, 1, 4}, {0, 0, 1, 3}, 3, 4);
     }},
    {"pool row, channels last",
     [](uint32_t far) {
       return PoolRow(far, {0, 0, 3, 1}, {0, 0, 3, 1}, 3, 4);
     }},
    {"pool pixel",
     [](uint32_t far) {
       return PoolRow(far, {0, 0, 0, 1}, {0, 0, 0, 1}, 3, 1);
     }},
    {"pool channel",
     [](uint32_t far) {
       return PoolRow(far, {0, 0, 1, 0}, {0, 0, 1, 0}, 1, 4);
     }},
    {"depthwise_q8 row of planes",
     [](uint32_t far) {
       return DepthwiseQ8Row(far, {0, 0, 1, 4}, {0, 0, 1, 3}, 3, 4);
     }},
    {"depthwise_q8 row, channels last",
     [](uint32_t far) {
       return DepthwiseQ8Row(far, {0, 0, 3, 1}, {0, 0, 3, 1}, 3, 4);
     }},
    {"depthwise_q8 pixel",
     [](uint32_t far) {
       return DepthwiseQ8Row(far, {0, 0, 0, 1}, {0, 0, 0, 1}, 3, 1);
     }},
    {"depthwise_q8 channel",
     [](uint32_t far) {
       return DepthwiseQ8Row(far, {0, 0, 1, 0}, {0, 0, 1, 0}, 1, 4);
     }},
    {"pool_q8 row of planes",
     [](uint32_t far) {
       return PoolQ8Row(far, {0, 0, 1, 4}, {0, 0, 1, 3}, 3, 4);
     }},
    {"pool_q8 row, channels last",
     [](uint32_t far) {
       return PoolQ8Row(far, {0, 0, 3, 1}, {0, 0, 3, 1}, 3, 4);
     }},
    {"pool_q8 pixel",
     [](uint32_t far) {
       return PoolQ8Row(far, {0, 0, 0, 1}, {0, 0, 0, 1}, 3, 1);
     }},
    {"pool_q8 channel",
     [](uint32_t far) {
       return PoolQ8Row(far, {0, 0, 1, 0}, {0, 0, 1, 0}, 1, 4);
     }},
    {"binary", Binary},
    {"chain", Chain},
    {"compare", Compare},
    {"select", Select},
    {"reduce", Reduce},
    {"fourier", Fourier},
    {"copy outer source", [](uint32_t far) { return Copy(0, Signed(far), 1); }},
    {"copy outer target", [](uint32_t far) { return Copy(0, 1, Signed(0u - far)); }},
    {"copy middle source", [](uint32_t far) { return Copy(1, Signed(0u - far), 1); }},
    {"copy middle target", [](uint32_t far) { return Copy(1, 1, Signed(far)); }},
    {"copy inner source", [](uint32_t far) { return Copy(2, Signed(far), 1); }},
    {"copy inner target", [](uint32_t far) { return Copy(2, 1, Signed(0u - far)); }},
    {"lstm_gates",
     [](uint32_t far) {
       return StepSample(Kind::lstm_gates, {{kF32, 12}, {kF32, 3}, {kF32, 3}, {kF32, 3}})
           .With(format::LstmGatesParams(1, 3, far, kTanh, kTanh, kTanh));
     }},
    {"lstm_gates without units",
     [](uint32_t far) {
       return StepSample(Kind::lstm_gates, {{kF32, 0}, {kF32, 0}, {kF32, 0}, {kF32, 0}})
           .With(format::LstmGatesParams(4, 0, far, kTanh, kTanh, kTanh));
     }},
    {"gru_gates",
     [](uint32_t far) {
       return StepSample(Kind::gru_gates, {{kF32, 9}, {kF32, 9}, {kF32, 3}, {kF32, 3}})
           .With(format::GruGatesParams(1, 3, far, far, kTanh, kTanh));
     }},
    {"gru_reset",
     [](uint32_t far) {
       return StepSample(Kind::gru_reset, {{kF32, 6}, {kF32, 3}, {kF32, 3}, {kF32, 3}})
           .With(format::GruResetParams(1, 3, far, kTanh));
     }},
    {"gru_update",
     [](uint32_t far) {
       return StepSample(Kind::gru_update, {{kF32, 3}, {kF32, 3}, {kF32, 3}, {kF32, 3}})
           .With(format::GruUpdateParams(1, 3, far, kTanh));
     }},
};

struct IdleWindow {
  const char* name;
  Window (*of)(uint32_t far);
};
const IdleWindow kIdleWindows[] = {
    {"stride",
     [](uint32_t far) {
       return Window{1, 2, far, 1, 0};
     }},
    {"dilation",
     [](uint32_t far) {
       return Window{3, 1, 1, far, 0};
     }},
    {"dilation at the edge",
     [](uint32_t far) {
       return Window{1, 2, 1, far, 0};
     }},
    {"tap after the pad",
     [](uint32_t far) {
       return Window{1, 2, 1, far - 3, far - 3};
     }},
    {"pad",
     [](uint32_t far) {
       return Window{1, 2, 1, 1, far};
     }},
};
StepSample (*const kWindowed[])(const Window& window) = {Conv,      ConvI8,      ConvQ8,
                                                         Depthwise, DepthwiseI8, DepthwiseQ8};

std::vector<unsigned char> OutputsOf(StepSample sample, const char* name) {
  Loaded model(sample.builder.Finish());
  EXPECT_TRUE(model.fault.ok()) << name << ": " << model.Text();
  if (!model.fault.ok()) return {};
  FillInputs(model.engine);
  EXPECT_TRUE(model.engine.Run().ok());
  std::vector<unsigned char> bytes;
  for (uint32_t i = 0; i < model.engine.output_count(); ++i) {
    const Tensor output = model.engine.output(i);
    const auto* first = output.as<unsigned char>();
    bytes.insert(bytes.end(), first, first + output.bytes);
  }
  return bytes;
}

TEST(Strides, ThatLeadNowhereMakeNoDifference) {
  for (const Idle& idle : kIdle) {
    const std::vector<unsigned char> expected = OutputsOf(idle.make(kFar[0]), idle.name);
    for (const uint32_t far : kFar) {
      EXPECT_EQ(OutputsOf(idle.make(far), idle.name), expected) << idle.name << ' ' << far;
    }
  }
}

TEST(Strides, OfWindowsThatLeadNowhereMakeNoDifference) {
  for (size_t i = 0; i < std::size(kWindowed); ++i) {
    SCOPED_TRACE(i);
    const auto make = kWindowed[i];
    for (const IdleWindow& idle : kIdleWindows) {
      const std::vector<unsigned char> expected = OutputsOf(make(idle.of(kFar[0])), idle.name);
      for (const uint32_t far : kFar) {
        EXPECT_EQ(OutputsOf(make(idle.of(far)), idle.name), expected) << idle.name << ' ' << far;
      }
    }
  }
}

}  // namespace
}  // namespace weft::test
