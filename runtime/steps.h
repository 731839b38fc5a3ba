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

#include "runtime/format/step_functions.h"
#include "runtime/weft.h"

namespace weft::steps {

#define WEFT_ENTRY(entry, Entry) \
  constexpr StepEntry k##Entry{&weft_check_##entry, &weft_run_##entry};
#define WEFT_STEP(name, Name, ...) WEFT_ENTRY(name, Name)
#include "runtime/format/ops.inc"
#undef WEFT_STEP
// The same for steps that may write y over x with an offset (overlapping_steps.inc): such models
// need kOverlappingConv instead of kConv.
#define WEFT_OVERLAPPING_STEP(name, Name) WEFT_ENTRY(overlapping_##name, Overlapping##Name)
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP
// The same for steps whose weights may have another type than f32 (narrow_steps.inc): kNarrowDense,
// kNarrowConv ..., kOverlappingNarrowConv.
#define WEFT_NARROW_STEP(name, Name) WEFT_ENTRY(narrow_##name, Narrow##Name)
#define WEFT_OVERLAPPING_NARROW_STEP(name, Name) \
  WEFT_ENTRY(overlapping_narrow_##name, OverlappingNarrow##Name)
// The same for steps with int16 values (kConvQ8Shorts), or with both (kConvQ8Mixed).
#define WEFT_SHORTS_STEP(name, Name)      \
  WEFT_ENTRY(name##_shorts, Name##Shorts) \
  WEFT_ENTRY(name##_mixed, Name##Mixed)
#include "runtime/format/narrow_steps.inc"
#undef WEFT_NARROW_STEP
#undef WEFT_OVERLAPPING_NARROW_STEP
#undef WEFT_SHORTS_STEP
#undef WEFT_ENTRY

}  // namespace weft::steps

#endif  // WEFT_RUNTIME_STEPS_H_
