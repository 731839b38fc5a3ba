// SPDX-License-Identifier: Apache-2.0
// The binding of steps to kernels, one file per row of ops.inc. For each step:
//
//   Rules   checks the parameters. If they are valid, CheckStep checks the step's footprint
//           (runtime/footprint/): types, and that every byte that the step accesses is inside the
//           operand's slot. Outputs may overlap only the inputs that the footprint names.
//   Run     converts the parameters to the kernel's geometry and calls the kernel. Rules and
//           footprint are the only checks; Run trusts them.
//
// Nothing here allocates or keeps a pointer.
#ifndef WEFT_RUNTIME_BIND_BIND_H_
#define WEFT_RUNTIME_BIND_BIND_H_

#include <cstddef>
#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/format/step_functions.h"

namespace weft::bind {

// An operand as the rules see it. `alignment_bytes` is the largest power of two that divides its
// address in every iteration.
struct OperandSlot {
  bool present = false;
  format::ElementType type = format::ElementType::f32;
  uint32_t bytes = 0;
  uint32_t alignment_bytes = 0;
};

// Inputs first.
using OperandSlots = OperandSlot[format::kMaxOperands];

// Steps whose Run is called with other parameters than those of a file (overlapping.h).
#define WEFT_RUN_OF(run, name, Name)                                        \
  namespace name {                                                          \
  void run(const format::Name##Params& params, std::byte* const* operands); \
  }
#define WEFT_OVERLAPPING_STEP(name, Name) WEFT_RUN_OF(Run, name, Name)
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP
#define WEFT_OVERLAPPING_NARROW_STEP(name, Name) WEFT_RUN_OF(RunNarrow, name, Name)
#include "runtime/format/narrow_steps.inc"
#undef WEFT_OVERLAPPING_NARROW_STEP

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

class ParamChecker;

// The check of a kind, for a row of its parameters, and the size of such a row. The checker keeps
// the first error.
struct KindRules {
  void (*check)(const void* row, ParamChecker& check);
  uint32_t row_bytes;
};

// Checks a step by the rules of every step and by those of its kind.
Fault CheckStep(const format::Model& model, uint32_t step_index, const KindRules& rules);

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_BIND_H_
