// SPDX-License-Identifier: Apache-2.0
// Convolutions of several taps in integers, also where they are a dense product, because one window
// covers everything: what they are computed of is the same.
#ifndef WEFT_CONVERTER_PROGRAM_INTEGER_WINDOWS_H_
#define WEFT_CONVERTER_PROGRAM_INTEGER_WINDOWS_H_

#include "converter/program/builder.h"

namespace weft::plan {

// Constants, as IntegerWeights has them, and the bits that windows become. With offsets the sum of
// a window is one more output of each group.
struct WindowIntegers {
  ValueId numbers = kNone, scales = kNone, offsets = kNone;
  uint32_t row_bits = 0;
  bool of_shorts = false;  // x are integers of i16, and there are no offsets
};
void EmitWindow(Builder& builder, const format::ConvParams& conv, const WindowIntegers& integers,
                ValueId x, ValueId bias, ValueId y);
// `start` is a bias or has a row for each row of y, without gaps.
void EmitWindow(Builder& builder, const format::DenseParams& dense, const WindowIntegers& integers,
                ValueId x, ValueId start, ValueId y);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_INTEGER_WINDOWS_H_
