// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/chain.h"

#include "kernels/elementwise/binary.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::chain {
namespace {

using kernels::ChainInstruction;
using kernels::kChainInputs;
using kernels::kChainRank;

static_assert(sizeof(ChainInstruction) == 4 && kernels::kChainInstructions * 4 == 64,
              "ChainParams::code must hold the kernel's instructions");

const ChainInstruction* CodeOf(const format::ChainParams& params) {
  return reinterpret_cast<const ChainInstruction*>(params.code()->Data());
}
const uint32_t* StridesOf(const format::ChainParams& params, uint32_t input) {
  return Numbers(params.strides()) + input * kChainRank;
}

// Simulates the program to find which operands may be read. Bit 0 is input 0.
class ChainCode {
 public:
  ChainCode(const format::ChainParams& params, const OperandSlots& slots, ParamChecker* check)
      : writable_(uint32_t{params.registers()} - params.constants()), check_(check) {
    for (uint32_t i = 0; i < kChainInputs; ++i) known_ |= uint32_t{slots[i].present} << i;
    const uint32_t all = ((1u << params.registers()) - 1) << kChainInputs;
    const uint32_t written = ((1u << writable_) - 1) << kChainInputs;
    known_ |= all & ~written;
  }

  void Follow(uint32_t index, const ChainInstruction& instruction, bool is_last) {
    bool holds = Knows(instruction.left);
    if (instruction.op >= kernels::kChainBinary) {
      const uint32_t op = instruction.op - uint32_t{kernels::kChainBinary};
      check_->RequireBelow(FaultCode::kParamOp, op, kernels::kBinaryOpCount);
      if (!check_->fault().ok()) return;
      check_->Require(
          kernels::BinaryKnows(static_cast<kernels::BinaryOp>(op), kernels::Element::kF32),
          FaultCode::kParamOpType, op, static_cast<uint32_t>(kF32));
      holds = holds && Knows(instruction.right);
    } else {
      check_->RequireBelow(FaultCode::kParamOp, instruction.op, kernels::kUnaryOpCount);
      if (!check_->fault().ok()) return;
      check_->Require(kernels::IsLinked(static_cast<kernels::UnaryOp>(instruction.op)),
                      FaultCode::kActivationAbsent, instruction.op, 0);
      holds = holds && instruction.right + 1u < kernels::kChainNumbers;
    }
    holds = holds && (is_last ? instruction.to == 0 : instruction.to < writable_);
    check_->Require(holds, FaultCode::kParamChain, index, writable_);
    if (holds && !is_last) known_ |= 1u << (kChainInputs + instruction.to);
  }

 private:
  bool Knows(uint8_t operand) const { return operand < 32 && (known_ >> operand & 1) != 0; }

  const uint32_t writable_;
  uint32_t known_ = 0;
  ParamChecker* check_;
};

// Checks the counts, before the instructions are read.
void CheckCounts(const format::ChainParams& params, ParamChecker* check) {
  check->RequireAtMost(FaultCode::kParamRank, params.rank(), kChainRank);
  uint32_t blocks = params.registers();
  for (uint32_t i = 0; i < 8; ++i) blocks += params.staged() >> i & 1;
  check->Require(params.instructions() >= 1 &&
                     params.instructions() <= kernels::kChainInstructions &&
                     params.constants() <= params.registers() &&
                     params.staged() < 1u << kChainInputs && blocks <= kernels::kChainRegisters,
                 FaultCode::kParamChain, 255, kernels::kChainRegisters);
}

}  // namespace

Fault Check(const format::ChainParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  CheckCounts(params, &check);
  if (!check.fault().ok()) return check.fault();
  const uint32_t rank = params.rank();
  const uint32_t* dims = Numbers(params.dims());
  for (uint32_t i = 0; i < kChainInputs; ++i) {
    const uint32_t* strides = StridesOf(params, i);
    const bool is_staged = (params.staged() >> i & 1) != 0;
    check.Require(slots[i].present ? is_staged || IsInOrder(rank, dims, strides) : !is_staged,
                  FaultCode::kParamFlag, i, 0);
    check.RequireOperand(i, kF32, StridedReach(rank, dims, strides));
  }
  check.RequireOperand(kChainInputs, kF32, StridedCount(rank, dims));
  ChainCode code(params, slots, &check);
  const uint32_t count = params.instructions();
  for (uint32_t i = 0; i < count; ++i) code.Follow(i, CodeOf(params)[i], i + 1 == count);
  return check.fault();
}

// y may overwrite an input that is read in memory order: only the last instruction writes y, after
// it and the earlier ones have read that block.
bool MayShare(const format::ChainParams& params, uint32_t input, uint32_t) {
  return params.rank() <= kChainRank && (params.staged() >> input & 1) == 0 &&
         IsInOrder(params.rank(), Numbers(params.dims()), StridesOf(params, input));
}

void Run(const format::ChainParams& params, std::byte* const* operands) {
  kernels::ChainShape shape;
  shape.dims = Numbers(params.dims());
  shape.strides = Numbers(params.strides());
  shape.numbers = reinterpret_cast<const float*>(params.numbers()->Data());
  shape.code = CodeOf(params);
  shape.rank = static_cast<uint8_t>(params.rank());
  shape.instructions = params.instructions();
  shape.registers = params.registers();
  shape.constants = params.constants();
  shape.staged = params.staged();
  const float* x[kChainInputs];
  for (uint32_t i = 0; i < kChainInputs; ++i) x[i] = As<const float>(operands[i]);
  kernels::Chain(shape, x, As<float>(operands[kChainInputs]));
}

}  // namespace weft::bind::chain

WEFT_BIND_STEP(chain, Chain)
