// SPDX-License-Identifier: Apache-2.0
// Valid models that tests modify: one per step kind, with slots exactly as large as the step's
// geometry, and one with every feature of sections, ports, variables and names.
#ifndef WEFT_TESTS_RUNTIME_SAMPLES_H_
#define WEFT_TESTS_RUNTIME_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "tests/runtime/recurrent_samples.h"
#include "tests/runtime/shorts_samples.h"
#include "tests/runtime/signal_samples.h"
#include "tests/runtime/step_sample.h"

namespace weft::test {

namespace samples {

inline const format::Activation kSigmoid = Activate(format::UnaryOp::sigmoid);
inline const format::Activation kTanh = Activate(format::UnaryOp::tanh, 0, 0, 5.0f);
// Elementwise geometry: two rows of three, and one row for both.
inline constexpr uint32_t kPlane[8] = {2, 3}, kWhole[8] = {3, 1}, kRows[8] = {0, 1};

template <>
inline StepSample SampleOf<format::Kind::dense>() {
  return StepSample(format::Kind::dense, {{kF32, 6}, {kF32, 16 * 3}, {kF32, 5}, {kF32, 10}})
      .With(format::DenseParams(2, 3, 5, 3, 5, 0, kTanh, format::ElementType::f32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::matmul>() {
  const uint32_t dims[6] = {2}, a_strides[6] = {6}, b_strides[6] = {0};
  return StepSample(format::Kind::matmul, {{kF32, 12}, {kF32, 6}, {kF32, 8}})
      .With(format::MatmulParams(1, dims, a_strides, b_strides, 2, 2, 3, 3, 1, 2, 1, kF32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::conv>() {
  return StepSample(format::Kind::conv, {{kF32, 32}, {kF32, 16 * 2 * 4}, {kF32, 3}, {kF32, 27}})
      .With(format::ConvParams(1, 1, 2, 3, 4, 4, 3, 3, 2, 2, 1, 1, 1, 1, 0, 0,
                               format::MapStrides(32, 4, 1, 16), format::MapStrides(27, 9, 3, 1),
                               kTanh, format::ElementType::f32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::depthwise>() {
  return StepSample(format::Kind::depthwise, {{kF32, 32}, {kF32, 16 * 9}, {kF32, 2}, {kF32, 32}})
      .With(format::DepthwiseParams(1, 2, 1, 4, 4, 4, 4, 3, 3, 1, 1, 1, 1, 1, 1, {32, 4, 1, 16},
                                    {32, 8, 2, 1}, kTanh, format::ElementType::f32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::pool>() {
  return StepSample(format::Kind::pool, {{kF32, 32}, {kF32, 8}})
      .With(format::PoolParams(1, 2, 4, 4, 2, 2, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, {32, 4, 1, 16},
                               {8, 4, 2, 1}, format::PoolOp::mean_exclude_pad, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::unary>() {
  return StepSample(format::Kind::unary, {{kF32, 19}, {kF32, 19}})
      .With(format::UnaryParams(19, kTanh, kF32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::binary>() {
  return StepSample(format::Kind::binary, {{kF32, 6}, {kF32, 3}, {kF32, 6}})
      .With(format::BinaryParams(2, kPlane, kWhole, kRows, format::BinaryOp::multiply, kF32, 0));
}

template <>
inline StepSample SampleOf<format::Kind::compare>() {
  return StepSample(format::Kind::compare, {{kF32, 6}, {kF32, 3}, {ElementType::boolean, 6}})
      .With(format::CompareParams(2, kPlane, kWhole, kRows, format::CompareOp::less, kF32, 0));
}

template <>
inline StepSample SampleOf<format::Kind::select>() {
  return StepSample(format::Kind::select,
                    {{ElementType::boolean, 6}, {kF32, 6}, {kF32, 3}, {kF32, 6}})
      .With(format::SelectParams(2, kPlane, kWhole, kWhole, kRows, 4));
}

template <>
inline StepSample SampleOf<format::Kind::reduce>() {
  return StepSample(format::Kind::reduce, {{kF32, 6}, {kF32, 2}})
      .With(format::ReduceParams(1, 1, kPlane, kWhole, format::ReduceOp::sum, kF32,
                                 format::ReduceOrder::by_strides, 0));
}

template <>
inline StepSample SampleOf<format::Kind::softmax>() {
  return StepSample(format::Kind::softmax, {{kF32, 12}, {kF32, 12}})
      .With(format::SoftmaxParams(2, 3, 2, 0, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::normalize>() {
  return StepSample(format::Kind::normalize, {{kF32, 12}, {kF32, 12}})
      .With(format::NormalizeParams(2, 3, 2, 0.125f, format::NormalizeOp::standard_inside, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::top>() {
  return StepSample(format::Kind::top, {{kF32, 12}, {kF32, 8}, {ElementType::i32, 8}})
      .With(format::TopParams(2, 3, 2, 2, kF32, ElementType::i32, 0, 0));
}

// Two lines of 24 real numbers, with a window: 24 + 12 + 18 floats of tables.
template <>
inline StepSample SampleOf<format::Kind::fourier>() {
  const uint8_t factors[12] = {4, 3};
  return StepSample(format::Kind::fourier, {{kF32, 29}, {kF32, 54}, {kF32, 53}, {kF32, 24}})
      .With(format::FourierParams(2, 24, 5, 27, 0.5f, factors, format::FourierOp::forward_real, 1,
                                  0));
}

template <>
inline StepSample SampleOf<format::Kind::suppress>() {
  constexpr ElementType kI32 = ElementType::i32;
  return StepSample(format::Kind::suppress,
                    {{kF32, 24}, {kF32, 12}, {kI32, 24}, {kF32, 24}, {kI32, 1}, {kI32, 6}})
      .With(format::SuppressParams(2, 2, 3, 2, 0.5f, 0.25f, -0.5f, 0, 1, 0));
}

template <>
inline StepSample SampleOf<format::Kind::detect>() {
  return StepSample(format::Kind::detect,
                    {{kF32, 72}, {kF32, 18}, {kF32, 56}, {ElementType::i32, 6}})
      .With(format::DetectParams(2, 3, 3, 3, 2, 3, 4, 0, 0.25f, 0.5f, 0, 1, 0));
}

template <>
inline StepSample SampleOf<format::Kind::region>() {
  return StepSample(format::Kind::region,
                    {{kF32, 36}, {kF32, 8}, {ElementType::i32, 2}, {kF32, 16}})
      .With(format::RegionParams(2, 2, 3, 3, 2, 2, 2, 0.5f, 0, -0.5f, 2, 0, format::RegionOp::max,
                                 ElementType::i32));
}

template <>
inline StepSample SampleOf<format::Kind::copy>() {
  const int32_t from[8] = {-3, 1}, to[8] = {1, 2};  // rows last first, transposed
  return StepSample(format::Kind::copy, {{kF32, 6}, {kF32, 6}})
      .With(format::CopyParams(2, kPlane, from, to, 3, 0, 4));
}

template <>
inline StepSample SampleOf<format::Kind::fill>() {
  return StepSample(format::Kind::fill, {{kF32, 7}}).With(format::FillParams(7, 4, 0x3F800000, 0));
}

template <>
inline StepSample SampleOf<format::Kind::gather>() {
  return StepSample(format::Kind::gather, {{kF32, 8}, {ElementType::i32, 3}, {kF32, 6}})
      .With(format::GatherParams(1, 1, 4, 2, 3, 4, ElementType::i32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::compact>() {
  return StepSample(format::Kind::compact, {{kF32, 12}, {ElementType::i32, 1}, {kF32, 12}})
      .With(format::CompactParams(2, 3, 2, 4));
}

// Three channels, four past and two new time steps. A window reads three of them, two apart.
template <>
inline StepSample SampleOf<format::Kind::ring>() {
  return StepSample(format::Kind::ring, {{kF32, 6},
                                         {kF32, 12},
                                         {ElementType::i32, 1},
                                         {kF32, 18},
                                         {kF32, 12},
                                         {ElementType::i32, 1}})
      .With(format::RingParams(3, 4, 2, 1, 0, 3, 2, 2, 4, format::RingOrder::positions_outer_inner,
                               0, 0));
}

// Two products of two rows with three time steps of a ring, and a new one, as columns.
template <>
inline StepSample SampleOf<format::Kind::ring_matmul>() {
  const uint32_t dims[6] = {2}, a_strides[6] = {10}, past_strides[6] = {15}, x_strides[6] = {5};
  return StepSample(format::Kind::ring_matmul,
                    {{kF32, 20}, {kF32, 30}, {kF32, 10}, {ElementType::i32, 1}, {kF32, 16}})
      .With(format::RingMatmulParams(1, dims, a_strides, past_strides, x_strides, 2, 4, 5, 1, 5, 1,
                                     3, 1, 1, 5, format::RingAlong::columns, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::positions>() {
  return StepSample(format::Kind::positions,
                    {{kF32, 12}, {ElementType::i32, 16}, {ElementType::i32, 2}})
      .With(format::PositionsParams(2, 2, kPlane, 4, kF32, ElementType::i32, 0));
}

template <>
inline StepSample SampleOf<format::Kind::convert>() {
  return StepSample(format::Kind::convert, {{kF32, 9}, {ElementType::i8, 9}})
      .With(format::ConvertParams(9, kF32, ElementType::i8, 0));
}

template <>
inline StepSample SampleOf<format::Kind::lstm_gates>() {
  return StepSample(format::Kind::lstm_gates, {{kF32, 24}, {kF32, 6}, {kF32, 6}, {kF32, 6}})
      .With(format::LstmGatesParams(2, 3, 12, kSigmoid, kTanh, kTanh));
}

template <>
inline StepSample SampleOf<format::Kind::lstm_cell>() {
  return StepSample(format::Kind::lstm_cell, {{kF32, 3},
                                              {kF32, 4 * 16 * 19},
                                              {kF32, 16},
                                              {kF32, 16},
                                              {kF32, 64},
                                              {kF32, 16},
                                              {kF32, 16}})
      .With(format::LstmCellParams(3, 16, 1, format::ElementType::f32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::gru_gates>() {
  return StepSample(format::Kind::gru_gates, {{kF32, 18}, {kF32, 18}, {kF32, 6}, {kF32, 6}})
      .With(format::GruGatesParams(2, 3, 9, 9, kSigmoid, kTanh));
}

template <>
inline StepSample SampleOf<format::Kind::gru_reset>() {
  return StepSample(format::Kind::gru_reset, {{kF32, 6}, {kF32, 3}, {kF32, 3}, {kF32, 3}})
      .With(format::GruResetParams(1, 3, 6, kSigmoid));
}

template <>
inline StepSample SampleOf<format::Kind::gru_update>() {
  return StepSample(format::Kind::gru_update, {{kF32, 6}, {kF32, 6}, {kF32, 6}, {kF32, 6}})
      .With(format::GruUpdateParams(2, 3, 3, kTanh));
}

template <>
inline StepSample SampleOf<format::Kind::gru_cell>() {
  return StepSample(
             format::Kind::gru_cell,
             {{kF32, 3}, {kF32, 3 * 16 * 19}, {kF32, 16}, {kF32, 48}, {kF32, 48}, {kF32, 16}})
      .With(format::GruCellParams(3, 16, 0, format::ElementType::f32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::gru_reset_cell>() {
  return StepSample(
             format::Kind::gru_reset_cell,
             {{kF32, 3}, {kF32, 3 * 16 * 19}, {kF32, 16}, {kF32, 48}, {kF32, 16}, {kF32, 16}})
      .With(format::GruResetCellParams(3, 16, 0, format::ElementType::f32, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::snake>() {
  return StepSample(format::Kind::snake, {{kF32, 12}, {kF32, 3}, {kF32, 3}, {kF32, 12}})
      .With(format::SnakeParams(2, 3, 2));
}

template <>
inline StepSample SampleOf<format::Kind::dense_i8>() {
  return StepSample(format::Kind::dense_i8, {{kF32, 6},
                                             {ElementType::i8, 8 * 16},
                                             {kF32, 16},
                                             {kF32, 5},
                                             {kF32, 10},
                                             {ElementType::i16, 2 * 16}})
      .With(format::DenseI8Params(2, 3, 5, 3, 5, 0, kTanh, 32767));
}

template <>
inline StepSample SampleOf<format::Kind::dense_i4>() {
  return StepSample(format::Kind::dense_i4, {{kF32, 2 * 35},
                                             {ElementType::u4, 16 * 48},
                                             {ElementType::f16, 2 * 16},
                                             {ElementType::u8, 2 * 16},
                                             {kF32, 5},
                                             {kF32, 10},
                                             {ElementType::i16, 2 * (48 + 4) + 32 * 8}})
      .With(format::DenseI4Params(2, 35, 5, 35, 5, 0, kTanh, 32767, 2, ElementType::f16, 0, 0));
}

inline const format::CodeRange kCodes(3, -100, 120, format::Results::codes);
inline constexpr ElementType kI8 = ElementType::i8, kI32 = ElementType::i32;

template <>
inline StepSample SampleOf<format::Kind::quantize>() {
  return StepSample(format::Kind::quantize, {{kF32, 19}, {kI8, 19}})
      .With(format::QuantizeParams(19, 12.5f, kCodes));
}

template <>
inline StepSample SampleOf<format::Kind::dequantize>() {
  return StepSample(format::Kind::dequantize, {{kI8, 19}, {kF32, 19}})
      .With(format::DequantizeParams(19, 0.25f, -5, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::lookup>() {
  return StepSample(format::Kind::lookup, {{kI8, 19}, {kI8, 256}, {kI8, 19}})
      .With(format::LookupParams(19));
}

template <>
inline StepSample SampleOf<format::Kind::dense_q8>() {
  return StepSample(format::Kind::dense_q8,
                    {{kI8, 6}, {kI8, 8 * 16}, {kF32, 5}, {kI32, 5}, {kF32, 5}, {kI8, 10}})
      .With(format::DenseQ8Params(2, 3, 5, 3, 5, 0, format::Activation(), kCodes));
}

template <>
inline StepSample SampleOf<format::Kind::conv_q8>() {
  return StepSample(
             format::Kind::conv_q8,
             {{kI8, 32}, {kI8, 4 * 16}, {kF32, 3}, {kI32, 3}, {kF32, 3}, {kI8, 27}, {kI8, 4 * 16}})
      .With(format::ConvQ8Params(1, 1, 2, 3, 4, 4, 3, 3, 2, 2, 1, 1, 1, 1, 0, 0, {32, 8, 2, 1},
                                 {27, 9, 3, 1}, format::Activation(), kCodes, -7, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::depthwise_q8>() {
  return StepSample(format::Kind::depthwise_q8,
                    {{kI8, 32}, {kI8, 16 * 9}, {kF32, 2}, {kI32, 2}, {kF32, 2}, {kI8, 32}})
      .With(format::DepthwiseQ8Params(1, 2, 1, 4, 4, 4, 4, 3, 3, 1, 1, 1, 1, 1, 1, {32, 8, 2, 1},
                                      {32, 8, 2, 1}, format::Activation(), kCodes, -7, 0, 0));
}

template <>
inline StepSample SampleOf<format::Kind::pool_q8>() {
  return StepSample(format::Kind::pool_q8, {{kI8, 32}, {kI8, 8}})
      .With(format::PoolQ8Params(1, 2, 4, 4, 2, 2, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, {32, 8, 2, 1},
                                 {8, 4, 2, 1}, 1.5f, kCodes, format::PoolOp::mean_exclude_pad, -7,
                                 0, {}));
}

template <>
inline StepSample SampleOf<format::Kind::binary_q8>() {
  return StepSample(format::Kind::binary_q8, {{kI8, 6}, {kI8, 3}, {kI8, 6}})
      .With(format::BinaryQ8Params(2, kPlane, kWhole, kRows, 0.5f, -0.75f, kCodes, 4, -5,
                                   format::BinaryOp::add, 0, {}, {}, {}));
}

template <>
inline StepSample SampleOf<format::Kind::softmax_q8>() {
  return StepSample(format::Kind::softmax_q8, {{kI8, 6}, {kI8, 6}})
      .With(format::SoftmaxQ8Params(2, 3, 0, 0, format::Multiplier(0x5A827999, 22)));
}

template <>
inline StepSample SampleOf<format::Kind::normalize_q8>() {
  return StepSample(format::Kind::normalize_q8, {{kI8, 6}, {kI8, 6}})
      .With(format::NormalizeQ8Params(2, 3, -5));
}

// tanh(a * 3) + a; the other inputs are present but not read.
inline format::ChainParams ChainOfTanh() {
  const uint32_t dims[4] = {2, 3};
  const uint32_t strides[24] = {3, 1, 0, 0, 3, 1, 0, 0, 3, 1, 0, 0, 3, 1, 0, 0, 3, 1, 0, 0, 3, 1};
  const float numbers[8] = {3};
  const auto binary = [](format::BinaryOp op) {
    return static_cast<uint8_t>(128 + static_cast<uint8_t>(op));
  };
  const uint8_t code[64] = {binary(format::BinaryOp::multiply),
                            0,
                            7,
                            0,
                            static_cast<uint8_t>(format::UnaryOp::tanh),
                            6,
                            0,
                            0,
                            binary(format::BinaryOp::add),
                            6,
                            0,
                            0};
  return format::ChainParams(2, dims, strides, numbers, code, 3, 2, 1, 0);
}

template <>
inline StepSample SampleOf<format::Kind::chain>() {
  return StepSample(format::Kind::chain,
                    {{kF32, 6}, {kF32, 6}, {kF32, 6}, {kF32, 6}, {kF32, 6}, {kF32, 6}, {kF32, 6}})
      .With(ChainOfTanh());
}

template <>
inline StepSample SampleOf<format::Kind::conv_i8>() {
  return StepSample(format::Kind::conv_i8, {{kF32, 32},
                                            {kI8, 4 * 16},
                                            {kF32, 16},
                                            {kF32, 3},
                                            {kF32, 27},
                                            {kF32, 4 * (8 + 3)},
                                            {ElementType::i16, 4 * 16}})
      .With(format::ConvI8Params(1, 1, 2, 3, 4, 4, 3, 3, 2, 2, 1, 1, 1, 1, 0, 0, {32, 4, 1, 16},
                                 {27, 3, 1, 9}, kTanh, 32767));
}

template <>
inline StepSample SampleOf<format::Kind::depthwise_i8>() {
  return StepSample(format::Kind::depthwise_i8, {{kF32, 32},
                                                 {kI8, 16 * 9},
                                                 {kF32, 16},
                                                 {kF32, 16},
                                                 {kF32, 2},
                                                 {kF32, 32},
                                                 {kF32, 16 * 9}})
      .With(format::DepthwiseI8Params(1, 2, 1, 4, 4, 4, 4, 3, 3, 1, 1, 1, 1, 1, 1, {32, 4, 1, 16},
                                      {32, 4, 1, 16}, kTanh));
}

}  // namespace samples

// In the order of ops.inc.
inline std::vector<StepSample> EveryStep() {
  std::vector<StepSample> every;
#define WEFT_STEP(name, ...) every.push_back(samples::SampleOf<format::Kind::name>());
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  return every;
}

// Steps that write y over x, at the minimum distance that they allow: a window that reads back, and
// a window of one pixel.
inline std::vector<StepSample> OverlappingSteps() {
  const format::MapStrides last(40, 8, 2, 1);  // 5 x 4 pixels of 2 channels
  std::vector<StepSample> steps;
  // y starts `after` bytes after x, or before it if negative.
  const auto add = [&](StepSample sample, int32_t after) {
    constexpr uint32_t kBytes = 160;
    uint32_t& end = sample.builder.region_bytes[2];
    const uint32_t first = (end + 15) / 16 * 16;
    const uint32_t x = after < 0 ? first + static_cast<uint32_t>(-after) : first;
    const uint32_t y = after < 0 ? first : first + static_cast<uint32_t>(after);
    sample.builder.slots[sample.operands.front()].mutate_offset_bytes(x);
    sample.builder.slots[sample.operands.back()].mutate_offset_bytes(y);
    end = (x > y ? x : y) + kBytes;
    steps.push_back(std::move(sample));
  };
  add(StepSample(format::Kind::conv, {{kF32, 40}, {kF32, 32}, {kF32, 2}, {kF32, 40}})
          .With(format::ConvParams(1, 1, 2, 2, 5, 4, 5, 4, 1, 1, 1, 1, 1, 1, 0, 0, last, last,
                                   samples::kTanh, format::ElementType::f32, 0, 0)),
      120);
  add(StepSample(format::Kind::depthwise, {{kF32, 40}, {kF32, 16 * 9}, {kF32, 2}, {kF32, 40}})
          .With(format::DepthwiseParams(1, 2, 1, 5, 4, 5, 4, 3, 3, 1, 1, 1, 1, 1, 1, last, last,
                                        samples::kTanh, format::ElementType::f32, 0, 0)),
      -64);
  add(StepSample(format::Kind::pool, {{kF32, 40}, {kF32, 40}})
          .With(format::PoolParams(1, 2, 5, 4, 5, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, last, last,
                                   format::PoolOp::mean_include_pad, 0, 0)),
      -64);
  return steps;
}

// Indices of the model below, for tests that modify a part of it.
struct Features {
  ListingBuilder b;
  SlotIndex x, y, x_now, y_now, even, odd, trips, row, column, more, length, chosen, kept, start;
  uint32_t rows, columns, then_branch, else_branch;
  uint32_t first_inner_step;
};

// Rows of x are read forwards and columns backwards; `even` and `odd` are a ping-pong buffer; a
// pair of sections is an If; `kept` is a variable. Everything has names.
inline Features EveryFeature() {
  using format::BinaryOp;
  using format::UnaryOp;
  Features f;
  ListingBuilder& b = f.b;
  f.x = b.Scratch(kF32, {3, 4});
  f.y = b.Scratch(kF32, {1, 3, 4});
  f.even = b.Scratch(kF32, {1});
  f.odd = b.Scratch(kF32, {1});
  f.trips = b.Scratch(ElementType::i64, {1});
  f.row = b.Scratch(ElementType::i32, {1});
  f.column = b.Scratch(ElementType::i64, {1});
  f.more = b.Scratch(ElementType::boolean, {1});
  f.length = b.Scratch(ElementType::i32, {1});
  f.chosen = b.Scratch(kF32, {1});
  f.kept = b.State(kF32, {2});
  f.start = b.Weights<float>(kF32, {1, 2});
  f.rows = 0;
  f.columns = 1;
  f.then_branch = 2;
  f.else_branch = 3;
  f.x_now = b.Part(f.x, 12, 4, {{f.rows, 16}, {f.columns, -4}});
  f.y_now = b.Part(f.y, 0, 4, {{f.rows, 16}, {f.columns, 4}});
  const SlotIndex limit = b.Weights<int32_t>(ElementType::i32, {2});
  b.Input(f.x, {"x", "second name of x"});
  b.Input(f.trips, {"trips"});
  b.Input(f.more, {"more"});
  b.Output(f.y, {"y"}, 1, f.length);
  b.Output(f.chosen, {"chosen"});
  b.Output(f.start, {"constant"});
  b.Variable(f.kept, f.start);
  b.Fill(f.even, 0);
  b.Enter({.max_trips = 3,
           .first_condition = f.more,
           .body_condition = f.more,
           .iteration = f.row,
           .length = f.length});
  b.Enter({.max_trips = 4, .unroll = 2, .trip = f.trips, .iteration = f.column});
  f.first_inner_step = b.Binary(BinaryOp::add, f.even, f.x_now, f.odd);
  b.Copy(f.odd, f.y_now);
  b.NextRun();
  b.Binary(BinaryOp::add, f.odd, f.x_now, f.even);
  b.Copy(f.even, f.y_now);
  b.NextRun();
  b.Copy(f.odd, f.even);
  b.Leave();
  b.Compare(format::CompareOp::less, f.row, limit, f.more, ElementType::i32);
  b.Leave();
  b.Enter({.trip_count = 1, .first_condition = f.more, .runs_when = 1});
  b.Fill(f.chosen, 1);
  b.Leave();
  b.Enter({.trip_count = 1, .first_condition = f.more, .runs_when = 0});
  b.Unary(UnaryOp::negative, f.even, f.chosen);
  b.Leave();
  b.Binary(BinaryOp::add, f.kept, f.kept, f.kept);
  b.step_names.assign(b.steps.size(), 0);
  b.slot_buffers.assign(b.slots.size(), 0);
  return f;
}

// Fills input ports with small numbers of their type, which are the same in each call.
inline void FillInputs(const Engine& engine) {
  uint32_t seed = 1;
  for (uint32_t port = 0; port < engine.input_count(); ++port) {
    const Tensor tensor = engine.input(port);
    const size_t element_bytes = std::max<size_t>(1, BitsOf(tensor.type) / 8);
    for (size_t i = 0; i < tensor.bytes / element_bytes; ++i) {
      seed = seed * 1664525u + 1013904223u;
      const uint32_t number = seed >> 24;
      if (tensor.type == Type::kF32) {
        tensor.as<float>()[i] = static_cast<float>(number) / 64.0f - 2.0f;
      } else if (tensor.type == Type::kI32) {
        tensor.as<int32_t>()[i] = static_cast<int32_t>(number % 5);
      } else if (tensor.type == Type::kI64) {
        tensor.as<int64_t>()[i] = static_cast<int64_t>(number % 5);
      } else {
        tensor.as<uint8_t>()[i] = static_cast<uint8_t>(number & 1);
      }
    }
  }
}

inline void AppendBytes(const void* from, size_t bytes, std::vector<uint8_t>& data) {
  const auto* first = static_cast<const uint8_t*>(from);
  data.insert(data.end(), first, first + bytes);
}

// Records the runs of `b` on FillInputs in the format of the self test, unchecked.
inline void RecordSelfTest(ListingBuilder& b, uint32_t runs) {
  const Loaded model(b.Finish());
  Engine engine = model.engine;
  for (uint32_t run = 0; run < runs; ++run) {
    FillInputs(engine);
    for (uint32_t i = 0; i < engine.input_count(); ++i) {
      AppendBytes(engine.input(i).data, engine.input(i).bytes, b.self_test_data);
    }
    EXPECT_TRUE(engine.Run().ok());
    for (uint32_t i = 0; i < engine.output_count(); ++i) {
      const Tensor tensor = engine.output(i);
      const format::Port& port = b.outputs[i];
      if (port.length_slot() != kNoSlot) {
        AppendBytes(&tensor.dims[port.length_axis()], sizeof(uint32_t), b.self_test_data);
      }
      AppendBytes(tensor.data, tensor.bytes, b.self_test_data);
    }
  }
  b.self_test = format::SelfTest(runs, format::ToleranceClass::exact, 0, 0);
}

// Result of opening the sample of a step after `spoil` has changed it.
template <typename Spoil>
FaultCode CodeOf(format::Kind kind, Spoil spoil) {
  StepSample sample = EveryStep()[static_cast<size_t>(kind) - 1];
  spoil(sample.builder);
  return Loaded(sample.builder.Finish()).fault.code;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_RUNTIME_SAMPLES_H_
