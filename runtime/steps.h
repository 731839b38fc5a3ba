// SPDX-License-Identifier: Apache-2.0
// One entry per step kind, each in an object file of its own, for firmware that names only the
// steps of its model:
//
//   constexpr weft::StepEntry entries[] = {weft::steps::kDense, {}, {}, ...};  // a row per kind
//   weft::Engine::Open(model, {entries, sizeof(entries) / sizeof(entries[0])}, memory, &engine);
//
// Such a table is constant data and its linker drops every kernel it does not name. `weft convert
// --c-source` writes it. AllSteps() names them all.
#ifndef WEFT_RUNTIME_STEPS_H_
#define WEFT_RUNTIME_STEPS_H_

#include "runtime/weft.h"

namespace weft::steps {

// Check##Name holds the step to the law of its kind; Run##Name calls the kernel and trusts the
// check.
#define WEFT_STEP(name, Name, inputs, outputs, meaning)                                   \
  Fault Check##Name(const format::Model& model, uint32_t step_index);                     \
  void Run##Name(const format::Model& model, uint32_t param, std::byte* const* operands); \
  inline constexpr StepEntry k##Name{&Check##Name, &Run##Name};
#include "runtime/format/ops.inc"
#undef WEFT_STEP

}  // namespace weft::steps

#endif  // WEFT_RUNTIME_STEPS_H_
