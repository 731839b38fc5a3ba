// SPDX-License-Identifier: Apache-2.0
// Samples (samples.h) of integer recurrent steps.
#ifndef WEFT_TESTS_RUNTIME_RECURRENT_SAMPLES_H_
#define WEFT_TESTS_RUNTIME_RECURRENT_SAMPLES_H_

#include "tests/runtime/step_sample.h"

namespace weft::test::samples {

template <>
inline StepSample SampleOf<format::Kind::lstm_q8>() {
  constexpr ElementType kI8 = ElementType::i8, kI16 = ElementType::i16;
  format::LstmQ8Params params;
  params.mutate_rows(2);
  params.mutate_inputs(3);
  params.mutate_cells(5);
  params.mutate_outputs(5);
  params.mutate_x_row_stride(3);
  params.mutate_cell_power(-11);
  params.mutate_type(kI8);
  return StepSample(format::Kind::lstm_q8, {{kI8, 6},
                                            {kI8, 2 * 20 * 16},
                                            {ElementType::i32, 40},
                                            {kI8, 10},
                                            {kI16, 10},
                                            {kI8, 10},
                                            {kI16, 10},
                                            {kI16, 32}})
      .With(params);
}

template <>
inline StepSample SampleOf<format::Kind::svdf_q8>() {
  constexpr ElementType kI8 = ElementType::i8, kI16 = ElementType::i16;
  return StepSample(format::Kind::svdf_q8, {{kI8, 6},
                                            {kI8, 16 * 16},
                                            {kI16, 10 * 4},
                                            {ElementType::i32, 15},
                                            {kI16, 2 * 10 * 4},
                                            {kI8, 10},
                                            {kI16, 2 * 10 * 4}})
      .With(format::SvdfQ8Params(
          2, 3, 5, 2, 4, 3, format::Multiplier(1 << 30, -8), format::Multiplier(1 << 30, -8),
          format::CodeRange(3, -100, 120, format::Results::codes), kI16, 0, 0));
}

}  // namespace weft::test::samples

#endif  // WEFT_TESTS_RUNTIME_RECURRENT_SAMPLES_H_
