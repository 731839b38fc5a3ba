// SPDX-License-Identifier: Apache-2.0
// y = condition ? a : b, element by element. y is contiguous over dims; the others are read with
// their strides. Elements of 1, 2, 4 or 8 bytes are copied bit by bit; a condition is one byte,
// zero or nonzero. y may be a or b (or the condition, if elements have one byte) if that operand is
// contiguous. The caller owns all memory.
#ifndef WEFT_KERNELS_ELEMENTWISE_SELECT_H_
#define WEFT_KERNELS_ELEMENTWISE_SELECT_H_

#include "kernels/element.h"

namespace weft::kernels {

// Strides in elements; the last dimension is the innermost. Rank 0 is one element.
struct SelectShape {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  uint32_t condition_strides[kMaxRank] = {};
  uint32_t a_strides[kMaxRank] = {};
  uint32_t b_strides[kMaxRank] = {};
  uint32_t element_bytes = 0;
};

void Select(const SelectShape& shape, const void* condition, const void* a, const void* b, void* y);
// For one element each, without strides.
void SelectOne(uint32_t element_bytes, const void* condition, const void* a, const void* b,
               void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_SELECT_H_
