// SPDX-License-Identifier: Apache-2.0
// y = a program of functions of one and two variables of f32, element by element. Bit-identical to
// the same sequence of `unary` and `binary` steps, but intermediate results are in registers or in
// blocks on the stack instead of in memory. y is contiguous over dims; inputs are read with their
// strides, so that stride 0 broadcasts. y may be an input that is not staged: only the last
// instruction writes y, and an element only after all reads of its index. The caller rejects any
// other overlap. The caller owns all memory. Uses 10 KB of stack, 0.6 KB on boards.
#ifndef WEFT_KERNELS_ELEMENTWISE_CHAIN_H_
#define WEFT_KERNELS_ELEMENTWISE_CHAIN_H_

#include "kernels/element.h"

namespace weft::kernels {

inline constexpr uint32_t kChainRank = 4;
inline constexpr uint32_t kChainInputs = 6;
inline constexpr uint32_t kChainRegisters = 8;
inline constexpr uint32_t kChainNumbers = 8;
inline constexpr uint32_t kChainInstructions = 16;
inline constexpr uint8_t kChainBinary = 128;  // added to a BinaryOp

// op is a UnaryOp of `left`, whose alpha and beta are numbers `right` and `right` + 1, or
// kChainBinary + a BinaryOp of `left` and `right`. Operands: inputs from 0, registers from
// kChainInputs. The result goes to register `to`, that of the last instruction to y.
struct ChainInstruction {
  uint8_t op, left, right, to;
};

// Strides in elements; the last dimension is the innermost. Rank 0 is one element.
struct ChainShape {
  const uint32_t* dims = nullptr;     // of `rank`
  const uint32_t* strides = nullptr;  // kChainRank for each input
  const float* numbers = nullptr;
  const ChainInstruction* code = nullptr;
  uint8_t rank = 0;
  uint8_t instructions = 0;
  uint8_t registers = 0;
  uint8_t constants = 0;  // number of last registers, which hold the first numbers
  uint8_t staged = 0;     // bit i: input i is not contiguous over dims
};

// `x` holds kChainInputs addresses, null for absent inputs. There are at most kChainRegisters
// registers and staged inputs together.
void Chain(const ChainShape& shape, const float* const* x, float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_CHAIN_H_
