// SPDX-License-Identifier: Apache-2.0
// What stands between the listing and the kernels, one file per row of ops.inc. For each step:
//   Check     the law of the step: types, absent operands, and that every byte its geometry can
//   touch
//             lies inside the operand's slot. The only judge; Run trusts it.
//   MayShare  whether that output may be written at the very address of that input. Planners ask
//   it;
//             any other overlap of an output with an operand is refused.
//   Run       geometry from the parameters, pointers from the operands, and the kernel.
// Nothing here allocates or keeps a pointer.
#ifndef WEFT_RUNTIME_BIND_BIND_H_
#define WEFT_RUNTIME_BIND_BIND_H_

#include <cstddef>
#include <cstdint>

#include "runtime/format/listing.h"
#include "runtime/steps.h"
#include "runtime/weft.h"

namespace weft::bind {

// What a law knows of an operand. `alignment_bytes` is the power of two that its address is a
// multiple of in every iteration.
struct OperandSlot {
  bool present = false;
  format::ElementType type = format::ElementType::f32;
  uint32_t bytes = 0;
  uint32_t alignment_bytes = 0;
};

// Inputs first.
using OperandSlots = OperandSlot[format::kMaxOperands];

// A fault of Check carries code, operand, is and must; its caller knows the step.
#define WEFT_STEP(name, Name, inputs, outputs, meaning)                               \
  namespace name {                                                                    \
  Fault Check(const format::Name##Params& params, const OperandSlots& slots);         \
  bool MayShare(const format::Name##Params& params, uint32_t input, uint32_t output); \
  void Run(const format::Name##Params& params, std::byte* const* operands);           \
  }
#include "runtime/format/ops.inc"
#undef WEFT_STEP

// Fills `slots` from the operands of a step: names existing slots, in an existing region, outputs
// not in the weights.
Fault CollectOperands(const format::Model& model, uint32_t step_index, OperandSlots& slots);

// Bit output * inputs + input of `shareable` allows that pair to lie at one address.
Fault CheckOverlaps(const format::Model& model, uint32_t step_index, uint32_t shareable);

// Fills in step and kind of a fault that a Check returned.
Fault AtStep(const format::Model& model, uint32_t step_index, Fault fault);

template <typename Params>
Fault CheckStep(const format::Model& model, uint32_t step_index, format::Rows<Params> rows,
                Fault (*check)(const Params&, const OperandSlots&),
                bool (*may_share)(const Params&, uint32_t, uint32_t)) {
  const format::Step& step = format::RowsOf(model.steps())[step_index];
  if (step.param() >= rows.count) {
    return AtStep(model, step_index, {FaultCode::kStepParam, 0, 0, 0, step.param(), rows.count});
  }
  OperandSlots slots;
  Fault fault = CollectOperands(model, step_index, slots);
  if (!fault.ok()) return fault;
  const Params& params = rows[step.param()];
  fault = check(params, slots);
  if (!fault.ok()) return AtStep(model, step_index, fault);
  const format::Arity arity = format::kArity[step.kind()];
  uint32_t shareable = 0;
  for (uint32_t output = 0; output < arity.outputs; ++output) {
    for (uint32_t input = 0; input < arity.inputs; ++input) {
      if (may_share(params, input, output)) shareable |= 1u << (output * arity.inputs + input);
    }
  }
  return CheckOverlaps(model, step_index, shareable);
}

// Ends every bind/<step>.cc: the entry that steps.h declares.
#define WEFT_BIND_STEP(name, Name)                                                              \
  namespace weft::steps {                                                                       \
  extern "C" Fault weft_check_##name(const format::Model& model, uint32_t step_index) {         \
    return bind::CheckStep(model, step_index, format::RowsOf(model.name()), &bind::name::Check, \
                           &bind::name::MayShare);                                              \
  }                                                                                             \
  extern "C" void weft_run_##name(const format::Model& model, uint32_t param,                   \
                                  std::byte* const* operands) {                                 \
    bind::name::Run(*model.name()->Get(param), operands);                                       \
  }                                                                                             \
  }  // namespace weft::steps

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_BIND_H_
