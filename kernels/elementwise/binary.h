// SPDX-License-Identifier: Apache-2.0
// y = f(a, b), element by element. y is contiguous over dims; a and b are read with their strides,
// so that stride 0 broadcasts. Types: f32, i32, i64, i8 and u8 (arithmetic), i32 and i64 (bitwise),
// and boolean (logical ops). Integers wrap around. x / 0, and mod and floor_mod by 0, are 0; MIN /
// -1 is MIN: nothing traps. maximum and minimum: if an operand is NaN, so is the result. power: see
// reference/binary.h. y may be an operand that is contiguous (not broadcast); the caller rejects
// any other overlap. The caller owns all memory. Uses 1 KB of stack.
#ifndef WEFT_KERNELS_ELEMENTWISE_BINARY_H_
#define WEFT_KERNELS_ELEMENTWISE_BINARY_H_

#include "kernels/element.h"

namespace weft::kernels {

enum class BinaryOp : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  // integers truncate towards zero
  kMaximum,
  kMinimum,
  kPower,
  kSquaredDifference,
  kFloorMod,  // the sign of b
  kMod,       // the sign of a
  kPrelu,     // a < 0 ? a * b : a
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor
};
inline constexpr uint8_t kBinaryOpCount = 17;

// Strides in elements; the last dimension is the innermost. Rank 0 is one element.
struct BinaryShape {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  uint32_t a_strides[kMaxRank] = {};
  uint32_t b_strides[kMaxRank] = {};
  BinaryOp op = BinaryOp::kAdd;
  Element type = Element::kF32;
};

// Returns true if Binary supports `op` on `type`; Binary writes nothing for other pairs.
bool BinaryKnows(BinaryOp op, Element type);
void Binary(const BinaryShape& shape, const void* a, const void* b, void* y);
// For one element each, without strides.
void BinaryOne(BinaryOp op, Element type, const void* a, const void* b, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_BINARY_H_
