// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/chain.h"

#include "kernels/elementwise/binary.h"
#include "runtime/bind/step.h"

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

// Simulates the program to find which operands may be read. Bit 0 is input 0.
class ChainCode {
 public:
  ChainCode(const format::ChainParams& params, ParamChecker* check)
      : writable_(uint32_t{params.registers()} - params.constants()), check_(check) {
    for (uint32_t i = 0; i < kChainInputs; ++i) known_ |= uint32_t{check->IsPresent(i)} << i;
    const uint32_t all = ((1u << params.registers()) - 1) << kChainInputs;
    const uint32_t written = ((1u << writable_) - 1) << kChainInputs;
    known_ |= all & ~written;
  }

  void Follow(uint32_t index, const ChainInstruction& instruction, bool is_last) {
    bool holds = Knows(instruction.left);
    if (instruction.op >= kernels::kChainBinary) {
      const uint32_t op = instruction.op - uint32_t{kernels::kChainBinary};
      check_->RequireBelow(FaultCode::kParamOp, op, kernels::kBinaryOpCount);
      if (!check_->ok()) return;
      check_->Require(
          kernels::BinaryKnows(static_cast<kernels::BinaryOp>(op), kernels::Element::kF32),
          FaultCode::kParamOpType, op, static_cast<uint32_t>(kF32));
      holds = holds && Knows(instruction.right);
    } else {
      check_->RequireBelow(FaultCode::kParamOp, instruction.op, kernels::kUnaryOpCount);
      if (!check_->ok()) return;
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

static void Rules(const format::ChainParams& params, ParamChecker& check) {
  CheckCounts(params, &check);
  if (!check.ok()) return;
  for (uint32_t i = 0; i < kChainInputs; ++i) {
    const bool is_staged = footprint::IsStaged(params, i);
    const bool is_in_order = IsInOrder(footprint::InputOf(params, i));
    check.Require(check.IsPresent(i) ? is_staged || is_in_order : !is_staged, FaultCode::kParamFlag,
                  i, 0);
  }
  ChainCode code(params, &check);
  const uint32_t count = params.instructions();
  for (uint32_t i = 0; i < count; ++i) code.Follow(i, CodeOf(params)[i], i + 1 == count);
}

void Run(const format::ChainParams& params, std::byte* const* operands) {
  kernels::ChainShape shape;
  shape.dims = Numbers(params.dims());
  shape.strides = Numbers(params.strides());
  shape.numbers = reinterpret_cast<const float*>(params.numbers()->Data());
  shape.code = CodeOf(params);
  WEFT_FIELDS((rank)(instructions)(registers)(constants)(staged))
  const float* x[kChainInputs];
  for (uint32_t i = 0; i < kChainInputs; ++i) x[i] = As<const float>(operands[i]);
  kernels::Chain(shape, x, As<float>(operands[kChainInputs]));
}

}  // namespace weft::bind::chain

WEFT_BIND_STEP(chain, Chain)
