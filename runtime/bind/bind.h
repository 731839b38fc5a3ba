// SPDX-License-Identifier: Apache-2.0
// The binding of steps to kernels, one file per row of ops.inc. For each step:
//
//   Check     checks the rules of the step: types, and that every byte that its geometry can access
//             is inside the operand's slot. This is the only check; Run trusts it.
//   MayShare  returns true if that output may be written at the very address of that input.
//   Planners
//             call it; any other overlap of an output with an operand is rejected.
//   Run       converts the parameters to the kernel's geometry and calls the kernel.
//
// Nothing here allocates or keeps a pointer.
#ifndef WEFT_RUNTIME_BIND_BIND_H_
#define WEFT_RUNTIME_BIND_BIND_H_

#include <cstddef>
#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/format/step_functions.h"

namespace weft::bind {

// An operand as Check sees it. `alignment_bytes` is the largest power of two that divides its
// address in every iteration.
struct OperandSlot {
  bool present = false;
  format::ElementType type = format::ElementType::f32;
  uint32_t bytes = 0;
  uint32_t alignment_bytes = 0;
};

// Inputs first.
using OperandSlots = OperandSlot[format::kMaxOperands];

// Check sets code, operand, is and must of the Fault; its caller adds the step.
#define WEFT_STEP(name, Name, ...)                                                    \
  namespace name {                                                                    \
  Fault Check(const format::Name##Params& params, const OperandSlots& slots);         \
  bool MayShare(const format::Name##Params& params, uint32_t input, uint32_t output); \
  void Run(const format::Name##Params& params, std::byte* const* operands);           \
  }
#include "runtime/format/ops.inc"
#undef WEFT_STEP

// The same for narrow weights: weights of the type that the parameters name.
#define WEFT_NARROW_STEP(name, Name)                                                \
  namespace name {                                                                  \
  Fault CheckNarrow(const format::Name##Params& params, const OperandSlots& slots); \
  void RunNarrow(const format::Name##Params& params, std::byte* const* operands);   \
  }
#include "runtime/format/narrow_steps.inc"
#undef WEFT_NARROW_STEP

namespace depthwise_i8 {
// Converts the weights of all channels to floats in scratch, which must be large enough.
void Widen(const format::DepthwiseI8Params& params, std::byte* const* operands);
}  // namespace depthwise_i8

namespace lstm_gates {
// Returns true if the kernel computes these activations itself and calls no group of activation.h.
bool HasInlineActivations(const format::LstmGatesParams& params);
}  // namespace lstm_gates

// Returns false if a step calls no group of activation.h, whatever activations its parameters name.
template <typename Params>
bool CallsActivations(const Params&) {
  return true;
}
inline bool CallsActivations(const format::LstmGatesParams& params) {
  return !lstm_gates::HasInlineActivations(params);
}

// Returns the parameter rows of a kind as a byte vector, or null if there are none.
inline const flatbuffers::Vector<uint8_t>* ParamsOf(const format::Model& model, uint32_t kind) {
  using format::Model;
  constexpr uint32_t kFieldBytes = sizeof(flatbuffers::voffset_t);
  static_assert(Model::VT_STREAMING == Model::VT_SELF_TEST + kFieldBytes * format::kKindCount,
                "the vectors of parameters must follow the self test, in the order of ops.inc");
  const auto field = static_cast<flatbuffers::voffset_t>(Model::VT_SELF_TEST + kFieldBytes * kind);
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(&model);
  return table->GetPointer<const flatbuffers::Vector<uint8_t>*>(field);
}

// Check and MayShare of a kind, for a row of its parameters, and the size of such a row.
struct KindRules {
  Fault (*check)(const void* params, const OperandSlots& slots);
  bool (*may_share)(const void* params, uint32_t input, uint32_t output);
  uint32_t row_bytes;
};

// Checks a step by the rules of every step and by those of its kind.
Fault CheckStep(const format::Model& model, uint32_t step_index, const KindRules& rules);

// Ends every bind/<step>.cc: defines the functions that step_functions.h declares.
#define WEFT_BIND_STEP(name, Name) WEFT_BIND_ENTRY(name, name, Name, Check, Run)
// Follows it if the weights may be narrow.
#define WEFT_BIND_NARROW_STEP(name, Name) \
  WEFT_BIND_ENTRY(narrow_##name, name, Name, CheckNarrow, RunNarrow)
#define WEFT_BIND_ENTRY(entry, name, Name, Check, Run)                                        \
  namespace weft::steps {                                                                     \
  namespace {                                                                                 \
  constexpr bind::KindRules k##Name##Check##Rules = {                                         \
      [](const void* params, const bind::OperandSlots& slots) {                               \
        return bind::name::Check(*static_cast<const format::Name##Params*>(params), slots);   \
      },                                                                                      \
      [](const void* params, uint32_t input, uint32_t output) {                               \
        return bind::name::MayShare(*static_cast<const format::Name##Params*>(params), input, \
                                    output);                                                  \
      },                                                                                      \
      sizeof(format::Name##Params)};                                                          \
  }                                                                                           \
  extern "C" Fault weft_check_##entry(const format::Model& model, uint32_t step_index) {      \
    return bind::CheckStep(model, step_index, k##Name##Check##Rules);                         \
  }                                                                                           \
  extern "C" void weft_run_##entry(const format::Model& model, uint32_t param,                \
                                   std::byte* const* operands) {                              \
    bind::name::Run(*model.name()->Get(param), operands);                                     \
  }                                                                                           \
  }  // namespace weft::steps

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_BIND_H_
