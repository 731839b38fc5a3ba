// SPDX-License-Identifier: Apache-2.0
// y = a <op> b as boolean (one byte, 0 or 1); y is contiguous over dims, a and b are walked by
// their strides. Types f32, i32, i64, i8, u8, boolean. With a NaN every comparison is false but
// not_equal. y may be an operand itself where its elements are bytes and it is walked contiguously.
// The caller owns all memory.
#ifndef WEFT_KERNELS_ELEMENTWISE_COMPARE_H_
#define WEFT_KERNELS_ELEMENTWISE_COMPARE_H_

#include "kernels/element.h"

namespace weft::kernels {

enum class CompareOp : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };
inline constexpr uint8_t kCompareOpCount = 6;

// Strides in elements; the last dimension is the innermost. Rank 0 is one element.
struct CompareShape {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  uint32_t a_strides[kMaxRank] = {};
  uint32_t b_strides[kMaxRank] = {};
  CompareOp op = CompareOp::kEqual;
  Element type = Element::kF32;
};

// True where Compare computes on `type`; it writes nothing for a type it does not know.
bool CompareKnows(Element type);
void Compare(const CompareShape& shape, const void* a, const void* b, void* y);
// Of one element each, without the walk.
void CompareOne(CompareOp op, Element type, const void* a, const void* b, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_COMPARE_H_
