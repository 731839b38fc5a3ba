// SPDX-License-Identifier: Apache-2.0
// One entry per step kind, each in its own object file, for firmware that links only the steps of
// its model:
//
//   constexpr weft::StepEntry entries[] = {weft::steps::kDense, {}, {}, ...};  // a row per kind
//   weft::Engine::Open(model, {entries, sizeof(entries) / sizeof(entries[0])}, memory, &engine);
//
// Such a table is constant data, and the linker drops every kernel that it does not name. `weft
// convert --c-source` writes it. AllSteps() names all of them.
#ifndef WEFT_RUNTIME_STEPS_H_
#define WEFT_RUNTIME_STEPS_H_

#include "runtime/weft.h"

namespace weft::steps {

// weft_check_<step> checks the step by the rules of its kind; weft_run_<step> calls the kernel and
// trusts the check. The names have C linkage, so that a table can be written in C.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"  // C takes their addresses only
#endif
#define WEFT_STEP(name, Name, ...)                                                     \
  extern "C" Fault weft_check_##name(const format::Model& model, uint32_t step_index); \
  extern "C" void weft_run_##name(const format::Model& model, uint32_t param,          \
                                  std::byte* const* operands);                         \
  constexpr StepEntry k##Name{&weft_check_##name, &weft_run_##name};
#include "runtime/format/ops.inc"
#undef WEFT_STEP
// The same for steps that may write y over x with an offset (bind/overlapping.h): such models need
// kNearConv instead of kConv.
#define WEFT_OVERLAPPING_STEP(name, Name)                                                          \
  extern "C" Fault weft_check_overlapping_##name(const format::Model& model, uint32_t step_index); \
  extern "C" void weft_run_overlapping_##name(const format::Model& model, uint32_t param,          \
                                              std::byte* const* operands);                         \
  constexpr StepEntry kOverlapping##Name{&weft_check_overlapping_##name,                           \
                                         &weft_run_overlapping_##name};
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP
// The same for steps whose weights may have another type than f32 (narrow_steps.inc): kNarrowDense,
// kNarrowConv ..., kNearNarrowConv.
#define WEFT_NARROW_ENTRY(entry, Entry)                                                 \
  extern "C" Fault weft_check_##entry(const format::Model& model, uint32_t step_index); \
  extern "C" void weft_run_##entry(const format::Model& model, uint32_t param,          \
                                   std::byte* const* operands);                         \
  constexpr StepEntry k##Entry{&weft_check_##entry, &weft_run_##entry};
#define WEFT_NARROW_STEP(name, Name) WEFT_NARROW_ENTRY(narrow_##name, Narrow##Name)
#define WEFT_OVERLAPPING_NARROW_STEP(name, Name) \
  WEFT_NARROW_ENTRY(overlapping_narrow_##name, OverlappingNarrow##Name)
#include "runtime/format/narrow_steps.inc"
#undef WEFT_NARROW_STEP
#undef WEFT_OVERLAPPING_NARROW_STEP
#undef WEFT_NARROW_ENTRY
#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace weft::steps

#endif  // WEFT_RUNTIME_STEPS_H_
