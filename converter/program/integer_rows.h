// SPDX-License-Identifier: Apache-2.0
// Dense products whose weights are integers of i8: of rows as the run finds them, or of the
// integers that they stand for.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_ROWS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_ROWS_H_

#include <optional>

#include "converter/program/integer_values.h"

namespace weft::plan {

// Constants, as IntegerWeights has them, and the bits that rows become which are no integers.
struct RowIntegers {
  ValueId numbers = kNone, scales = kNone, offsets = kNone;
  uint32_t row_bits = 0;
};
// y = act(x * weights + start). Offsets are added behind the product, so that it can leave a loop.
void EmitIntegerRows(Builder& builder, const IntegerValues& values,
                     const format::DenseParams& product, const RowIntegers& integers, ValueId x,
                     ValueId start, ValueId y);

// What dense_i8 and conv_i8 take of i16: the data and the scales.
struct ShortOperands {
  ValueId x = kNone, scales = kNone;
};
// Nullopt where x stands for no integers of i16, a sum might leave 32 bits, or a scale the floats.
// Weights are those of dense_i8 in panels of `inputs`, scales of whole panels.
std::optional<ShortOperands> ShortsOf(Builder& builder, const IntegerValues& values, ValueId x,
                                      ValueId weights, ValueId scales, uint32_t inputs);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_ROWS_H_
