// SPDX-License-Identifier: Apache-2.0
// Dense products with int8 weights. The rows are quantised at run time, or the integers that they
// were dequantised from are used.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_ROWS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_ROWS_H_

#include <optional>

#include "converter/program/integer_values.h"

namespace weft::program {

// Constants of IntegerWeights, and the number of bits to which float rows are quantised.
struct RowIntegers {
  ValueId numbers = kNone, scales = kNone, offsets = kNone;
  uint32_t row_bits = 0;
};
// Emits y = act(x * weights + start). Offsets are added after the product, so that the product can
// be hoisted.
void EmitIntegerRows(Builder& builder, const IntegerValues& values,
                     const format::DenseParams& product, const RowIntegers& integers, ValueId x,
                     ValueId start, ValueId y);

// The i16 operands of dense_i8 and conv_i8: data and scales.
struct ShortOperands {
  ValueId x = kNone, scales = kNone;
};
// Returns nullopt if x has no i16 integers, a sum might exceed 32 bits, or a scale is not a normal
// float. `weights` are those of dense_i8 in panels of `inputs`; `scales` cover complete panels.
std::optional<ShortOperands> ShortsOf(Builder& builder, const IntegerValues& values, ValueId x,
                                      ValueId weights, ValueId scales, uint32_t inputs);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_ROWS_H_
