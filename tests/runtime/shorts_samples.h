// SPDX-License-Identifier: Apache-2.0
// Samples (samples.h) of steps with int16 values, and of unary_q8.
#ifndef WEFT_TESTS_RUNTIME_SHORTS_SAMPLES_H_
#define WEFT_TESTS_RUNTIME_SHORTS_SAMPLES_H_

#include <vector>

#include "tests/runtime/step_sample.h"

namespace weft::test::samples {

inline const format::Multiplier kThird(0x55555555, -1);

template <>
inline StepSample SampleOf<format::Kind::unary_q8>() {
  constexpr ElementType kI16 = ElementType::i16;
  return StepSample(format::Kind::unary_q8, {{kI16, 19}, {kI16, 19}})
      .With(format::UnaryQ8Params(19, 3, -7, -1000, 2000, kThird, format::Multiplier(-5, 9),
                                  format::CodeFunction::rescale, kI16, kI16, 0));
}

template <>
inline StepSample SampleOf<format::Kind::softmax_q16>() {
  constexpr ElementType kI16 = ElementType::i16;
  return StepSample(format::Kind::softmax_q16, {{kI16, 6}, {kI16, 1026}, {kI16, 6}})
      .With(format::SoftmaxQ16Params(2, 3, format::Multiplier(0x5A827999, -3)));
}

// A step of each kind that may have int16 values.
inline std::vector<StepSample> ShortSteps() {
  using format::Kind;
  constexpr ElementType kI8 = ElementType::i8, kI16 = ElementType::i16, kI32 = ElementType::i32,
                        kI64 = ElementType::i64;
  const format::CodeRange shorts(0, 0, 0, format::Results::shorts);
  const format::Activation limits(-900, 3000, 0, format::UnaryOp::clamp, 0, 0);
  const format::MapStrides map(32, 8, 2, 1), pixels(27, 9, 3, 1), half(8, 4, 2, 1);
  const uint32_t plane[8] = {2, 3}, all[8] = {3, 1}, rows[8] = {0, 1};
  return {
      StepSample(Kind::dense_q8,
                 {{kI16, 6}, {kI8, 8 * 16}, {kI32, 5}, {kI64, 5}, {kI32, 5}, {kI16, 10}})
          .With(format::DenseQ8Params(2, 3, 5, 3, 5, 0, limits, shorts)),
      StepSample(
          Kind::conv_q8,
          {{kI16, 32}, {kI8, 4 * 16}, {kI32, 3}, {kI64, 3}, {kI32, 3}, {kI16, 27}, {kI16, 2 * 16}})
          .With(format::ConvQ8Params(1, 1, 2, 3, 4, 4, 3, 3, 2, 2, 1, 1, 1, 1, 0, 0, map, pixels,
                                     limits, shorts, 0, 0, 0)),
      StepSample(Kind::depthwise_q8,
                 {{kI16, 32}, {kI8, 16 * 9}, {kI32, 2}, {kI64, 2}, {kI32, 2}, {kI16, 32}})
          .With(format::DepthwiseQ8Params(1, 2, 1, 4, 4, 4, 4, 3, 3, 1, 1, 1, 1, 1, 1, map, map,
                                          limits, shorts, 0, 0, 0)),
      StepSample(Kind::pool_q8, {{kI16, 32}, {kI16, 8}})
          .With(format::PoolQ8Params(1, 2, 4, 4, 2, 2, 2, 2, 2, 2, 1, 1, 0, 0, 0, 0, map, half, 0,
                                     shorts, format::PoolOp::mean_exclude_pad, 0, 0, kThird)),
      StepSample(Kind::binary_q8, {{kI16, 6}, {kI16, 3}, {kI16, 6}})
          .With(format::BinaryQ8Params(2, plane, all, rows, 0, 0, shorts, 0, 0,
                                       format::BinaryOp::add, 0, kThird, kThird,
                                       format::Multiplier(0x40000000, -13))),
  };
}

}  // namespace weft::test::samples

#endif  // WEFT_TESTS_RUNTIME_SHORTS_SAMPLES_H_
