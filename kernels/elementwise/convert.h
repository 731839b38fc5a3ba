// SPDX-License-Identifier: Apache-2.0
// y = x in another element type: every pair of the byte-sized types, and from i4 and u4 to any of
// them. To boolean: not zero. Floats to integers truncate towards zero and saturate, NaN gives 0;
// integers to integers keep the low bits; anything to a float rounds to nearest, ties to even.
// All of it is integer arithmetic on the bits, so that every target agrees, subnormal numbers and
// rounding included; a NaN stays a quiet NaN with its sign and the top of its payload.
// All pairs are vectorised, except on microcontrollers, where code size counts more.
// y may be x itself where both element sizes are equal. The caller owns all memory.
#ifndef WEFT_KERNELS_ELEMENTWISE_CONVERT_H_
#define WEFT_KERNELS_ELEMENTWISE_CONVERT_H_

#include "kernels/element.h"

namespace weft::kernels {

struct ConvertShape {
  uint32_t count = 0;
  Element from = Element::kF32;
  Element to = Element::kF32;
};

// True where Convert knows the pair; it writes nothing for a pair it does not know.
bool ConvertKnows(Element from, Element to);
void Convert(const ConvertShape& shape, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_CONVERT_H_
