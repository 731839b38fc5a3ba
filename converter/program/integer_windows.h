// SPDX-License-Identifier: Apache-2.0
// Convolutions of several taps with integer weights. A convolution whose window covers the entire
// input may be a dense product; it is then computed from the same sums.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_WINDOWS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_WINDOWS_H_

#include "converter/program/builder.h"

namespace weft::program {

// Constants of IntegerWeights, and the number of bits to which windows are quantised. With offsets
// the sum of a window is one more output of each group.
struct WindowIntegers {
  ValueId numbers = kNone, scales = kNone, offsets = kNone;
  uint32_t row_bits = 0;
  bool of_shorts = false;  // x is i16, and there are no offsets
};
// Emits a convolution with integer weights.
void EmitWindow(Builder& builder, const format::ConvParams& conv, const WindowIntegers& integers,
                ValueId x, ValueId bias, ValueId y);
// Emits a dense product over complete windows. `start` is a bias, or has a contiguous row for each
// row of y.
void EmitWindow(Builder& builder, const format::DenseParams& dense, const WindowIntegers& integers,
                ValueId x, ValueId start, ValueId y);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_WINDOWS_H_
