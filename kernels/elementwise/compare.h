// SPDX-License-Identifier: Apache-2.0
// y = a <op> b as boolean (one byte, 0 or 1). y is contiguous over dims; a and b are read with
// their strides. Types f32, i32, i64, i8, u8, boolean. With a NaN every comparison except not_equal
// is false. y may be an operand with elements of one byte that is contiguous. The caller owns all
// memory.
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

// Returns true if Compare supports `type`; it writes nothing for other types.
bool CompareKnows(Element type);
void Compare(const CompareShape& shape, const void* a, const void* b, void* y);
// For one element each, without strides.
void CompareOne(CompareOp op, Element type, const void* a, const void* b, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_COMPARE_H_
