// SPDX-License-Identifier: Apache-2.0
// An instruction of a chain, prepared for all blocks of a call. Microcontrollers run the
// instructions as they are (chain.cc).
#ifndef WEFT_KERNELS_ELEMENTWISE_CHAIN_PART_H_
#define WEFT_KERNELS_ELEMENTWISE_CHAIN_PART_H_

#include "kernels/elementwise/activation.h"
#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/chain.h"

namespace weft::kernels {

// Operands: those of a chain, and one that no instruction reads.
inline constexpr uint8_t kChainOperands = kChainInputs + kChainRegisters;
inline constexpr uint8_t kNoOperand = kChainOperands;

// Operands of an instruction that runs on vectors in registers. `last` is the result of the
// instruction before, or `first` if the part begins with a load.
enum class ChainForm : uint8_t {
  kUnary,       // f(last)
  kBoth,        // f(last, last)
  kNumber,      // f(last, other), one number
  kMemory,      // f(last, other)
  kFromNumber,  // f(other, last), one number
  kFromMemory   // f(other, last)
};

struct ChainPart {
  uint8_t op;            // as in ChainInstruction
  bool is_fused;         // runs on vectors in registers, not over a block
  ChainForm form;        // if fused
  bool loads;            // begins with a load of `first`
  bool loads_number;     // the same, of one number
  uint8_t first, other;  // operands, or kNoOperand; left and right if not fused
  const float* numbers;  // alpha and beta of a UnaryOp
  float* to;             // null: only the next part uses the result, in registers
};

// Returns true for the ops that run on vectors in registers: a few instructions each.
constexpr bool IsCheap(BinaryOp op) {
  return op <= BinaryOp::kMinimum || op == BinaryOp::kSquaredDifference || op == BinaryOp::kPrelu;
}
constexpr bool IsCheap(UnaryOp op) {
  return op == UnaryOp::kAbs || op == UnaryOp::kNegative || op == UnaryOp::kRelu ||
         op == UnaryOp::kClamp || op == UnaryOp::kRoundEven || op == UnaryOp::kFloor ||
         op == UnaryOp::kSqrt;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_CHAIN_PART_H_
