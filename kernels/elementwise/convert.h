// SPDX-License-Identifier: Apache-2.0
// y = x in another element type: every pair of types of at least one byte, and from i4 and u4 to
// any of them. To boolean: nonzero. Floats to integers truncate towards zero and saturate, NaN
// gives 0. Integers to integers keep the low bits. Conversions to a float round to nearest, ties to
// even. All of it is integer arithmetic on the bits, so that every target gives the same result,
// including subnormal numbers and rounding. A NaN stays a quiet NaN with its sign and the upper
// bits of its payload. All pairs are vectorised, except on microcontrollers, where code size
// matters more. y may be x if both element sizes are equal. The caller owns all memory.
#ifndef WEFT_KERNELS_ELEMENTWISE_CONVERT_H_
#define WEFT_KERNELS_ELEMENTWISE_CONVERT_H_

#include "kernels/element.h"

namespace weft::kernels {

struct ConvertShape {
  uint32_t count = 0;
  Element from = Element::kF32;
  Element to = Element::kF32;
};

// Returns true if Convert supports the pair; it writes nothing for other pairs.
bool ConvertKnows(Element from, Element to);
void Convert(const ConvertShape& shape, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_CONVERT_H_
