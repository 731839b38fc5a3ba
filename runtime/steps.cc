// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps.h"

#include "kernels/variants.h"
#include "runtime/format/listing.h"

namespace weft {
namespace {

// If a kind has several entries, the last one wins; it supports everything that the others do.
constexpr StepEntry EntryOf(format::Kind kind, StepEntry entry) {
#define WEFT_OVERLAPPING_STEP(name, Name) \
  if (kind == format::Kind::name) entry = steps::kOverlapping##Name;
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP
#define WEFT_NARROW_STEP(name, Name) \
  if (kind == format::Kind::name) entry = steps::kNarrow##Name;
#define WEFT_OVERLAPPING_NARROW_STEP(name, Name) \
  if (kind == format::Kind::name) entry = steps::kOverlappingNarrow##Name;
#define WEFT_SHORTS_STEP(name, Name) \
  if (kind == format::Kind::name) entry = steps::k##Name##Mixed;
#include "runtime/format/narrow_steps.inc"
#undef WEFT_NARROW_STEP
#undef WEFT_OVERLAPPING_NARROW_STEP
#undef WEFT_SHORTS_STEP
  return entry;
}

constexpr StepEntry kEntries[] = {
#define WEFT_STEP(name, Name, ...) EntryOf(format::Kind::name, steps::k##Name),
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};

}  // namespace

StepTable AllSteps() {
  (void)kernels::AllVariants();
  return {kEntries, sizeof(kEntries) / sizeof(kEntries[0])};
}

}  // namespace weft
