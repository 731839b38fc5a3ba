// SPDX-License-Identifier: Apache-2.0
// Compares the accesses that the plan validator assumes with those of the kernels, for every kind
// of step with every set of parameters in the conformance models. Outputs: exactly the assumed
// bytes change. Inputs: bytes outside of the assumed ones must not change a result.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "runtime/access.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"
#include "tests/models/every_case.h"

namespace weft {
namespace {

std::string ParamsOf(const format::Model& model, const format::Step& step) {
  switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, Name, ...)                                                             \
  case format::Kind::name:                                                                     \
    return #name + std::string(reinterpret_cast<const char*>(model.name()->Get(step.param())), \
                               sizeof(format::Name##Params));
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return {};
}

// One step on separate blocks, each of the size of the operand's slot.
class StepRun {
 public:
  StepRun(const format::Model& model, const format::Step& step) : model_(model), step_(step) {
    const format::Arity arity = format::kArity[step.kind()];
    inputs_ = arity.inputs;
    for (uint32_t i = 0; i < arity.operands(); ++i) {
      const uint32_t slot = model.operands()->Get(step.first_operand() + i);
      present_.push_back(slot != format::kNoSlot);
      blocks_.emplace_back(present_[i] ? model.slots()->Get(slot)->bytes() : 0);
      claimed_.emplace_back(blocks_[i].size(), false);
      if (!present_[i]) continue;
      const StridedBytes access = AccessOf(model, step, i);
      access.ForEachRun([&](int64_t at) {
        for (int64_t k = 0; k < access.run_bytes; ++k)
          claimed_[i].at(static_cast<size_t>(at + k)) = true;
      });
      if (i < inputs_) Fill(i, *model.slots()->Get(slot));
    }
  }

  void ExpectClaimsHold() {
    const auto first = Run(0x5A);
    const auto second = Run(0xA5);
    for (uint32_t i = inputs_; i < blocks_.size(); ++i) {
      for (size_t k = 0; k < blocks_[i].size(); ++k) {
        const bool kept = first[i][k] == 0x5A && second[i][k] == 0xA5;
        if (kept && IsLeftUnused(i)) continue;
        ASSERT_NE(kept, claimed_[i][k]) << "output operand " << i << ", byte " << k;
      }
    }
    for (uint32_t i = 0; i < inputs_; ++i) {
      for (size_t k = 0; k < blocks_[i].size(); ++k) {
        if (!claimed_[i][k]) Byte(i, k) ^= 0xFF;
      }
    }
    ASSERT_EQ(first, Run(0x5A)) << "bytes that are not claimed are read";
  }

 private:
  // Returns true for scratch that some targets or data types do not use.
  bool IsLeftUnused(uint32_t operand) const {
    switch (static_cast<format::Kind>(step_.kind())) {
      case format::Kind::conv_i8:
        return operand + 2 >= blocks_.size();
      case format::Kind::conv_q8:
      case format::Kind::dense_i8:
      case format::Kind::lstm_q8:
        return operand + 1 == blocks_.size();
      default:
        return false;
    }
  }

  unsigned char& Byte(uint32_t operand, size_t at) {
    return reinterpret_cast<unsigned char*>(blocks_[operand].data())[at];
  }

  void Fill(uint32_t operand, const format::Slot& slot) {
    std::minstd_rand random(operand + 1);
    const uint32_t bits = format::BitsOf(slot.type());
    for (size_t k = 0; k < slot.bytes(); ++k) Byte(operand, k) = 0;
    if (slot.type() == format::ElementType::f32) {
      for (size_t k = 0; k + sizeof(float) <= slot.bytes(); k += sizeof(float)) {
        const float number = static_cast<float>(random() % 8192) / 4096.0f - 0.99f;
        std::memcpy(&Byte(operand, k), &number, sizeof(number));
      }
    } else {  // small integers: valid indices, and floats of other types that are not NaN
      for (size_t k = 0; k < slot.bytes(); k += std::max(1u, bits / 8))
        Byte(operand, k) = static_cast<unsigned char>(random() % 2);
    }
  }

  // Returns the outputs' bytes after a run; they contain `poison` before it.
  std::vector<std::vector<unsigned char>> Run(unsigned char poison) {
    std::byte* pointers[format::kMaxOperands] = {};
    for (uint32_t i = 0; i < blocks_.size(); ++i) {
      if (i >= inputs_) std::memset(blocks_[i].data(), poison, blocks_[i].size());
      pointers[i] = present_[i] ? blocks_[i].data() : nullptr;
    }
    AllSteps().entries[step_.kind() - 1].run(model_, step_.param(), pointers);
    std::vector<std::vector<unsigned char>> outputs(blocks_.size());
    for (uint32_t i = inputs_; i < blocks_.size(); ++i) {
      if (blocks_[i].size() != 0) outputs[i].assign(&Byte(i, 0), &Byte(i, 0) + blocks_[i].size());
    }
    return outputs;
  }

  const format::Model& model_;
  const format::Step& step_;
  uint32_t inputs_ = 0;
  std::vector<bool> present_;
  std::vector<AlignedBytes> blocks_;
  std::vector<std::vector<bool>> claimed_;
};

// The same models with one time step per run, for parameters that only streaming creates.
const char* const kStreamed[] = {"convolution/1d_k3_dilation2_causal",
                                 "streaming/attention_of_shared_keys"};

class Claims {
 public:
  void Check(const format::Model& model) {
    for (const format::Step& step : format::RowsOf(model.steps())) {
      const auto kind = static_cast<format::Kind>(step.kind());
      // The bytes that compact writes depend on run-time lengths.
      if (kind == format::Kind::section || kind == format::Kind::compact) continue;
      if (!seen_.insert(ParamsOf(model, step)).second) continue;
      kinds_.insert(step.kind());
      StepRun(model, step).ExpectClaimsHold();
    }
  }
  size_t steps() const { return seen_.size(); }
  size_t kinds() const { return kinds_.size(); }

 private:
  std::set<std::string> seen_;
  std::set<uint16_t> kinds_;
};

TEST(PlanAccess, IsWhatTheKernelsTouch) {
  Claims claims;
  for (const auto& [name, file] : ConvertedCases()) {
    SCOPED_TRACE(name);
    claims.Check(*format::GetModel(file.data()));
  }
  for (const auto& [name, file] : ConvertedTfliteCases()) {
    SCOPED_TRACE(name);
    claims.Check(*format::GetModel(file.data()));
  }
  for (const char* name : kStreamed) {
    SCOPED_TRACE(name);
    claims.Check(*format::GetModel(StreamedCase(name, 1).data()));
  }
  if (kThinning == 1) {
    EXPECT_EQ(claims.kinds(), format::kKindCount - 2) << "a kind of step that no case contains";
  }
  EXPECT_GT(claims.steps(), 1000u);
}

}  // namespace
}  // namespace weft
