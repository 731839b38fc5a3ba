// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on strided operands, split into blocks in which every operand is
// contiguous. binary, compare and select provide a function for contiguous blocks and need not
// handle strides. An operand that is not contiguous is first copied to a block of 1024 bytes
// (firmware: 64) on the stack. Internal to the kernels. Nothing is allocated; y is contiguous over
// dims.
#ifndef WEFT_KERNELS_ELEMENTWISE_BROADCAST_H_
#define WEFT_KERNELS_ELEMENTWISE_BROADCAST_H_

#include "kernels/element.h"

namespace weft::kernels {

struct BroadcastOperand {
  const void* data;
  const uint32_t* strides;  // in elements, one per dimension
  uint32_t element_bytes;   // 1, 2, 4 or 8
};

// x[o] points at `count` contiguous elements of operand o.
using BlockFunction = void (*)(const void* const* x, void* y, size_t count);

// The loop for one element type; null if the type is not supported.
struct TypedBlock {
  BlockFunction function = nullptr;
  uint32_t element_bytes = 0;
};

inline constexpr uint32_t kMaxBroadcastOperands = 3;

// Calls `function` for consecutive blocks of y until y is complete. A block of y may be a block of
// a contiguous operand.
void ForBlocks(uint32_t rank, const uint32_t* dims, const BroadcastOperand* operands,
               uint32_t operand_count, void* y, uint32_t y_element_bytes, BlockFunction function);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_BROADCAST_H_
