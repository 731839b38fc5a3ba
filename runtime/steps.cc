// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps.h"

#include "kernels/variants.h"
#include "runtime/format/listing.h"

namespace weft {
namespace {

constexpr StepEntry EntryOf(format::Kind kind, StepEntry entry) {
  switch (kind) {
#define WEFT_NEAR_STEP(name, Name) \
  case format::Kind::name:         \
    return steps::kNear##Name;
#include "runtime/format/near_steps.inc"
#undef WEFT_NEAR_STEP
    default:
      return entry;
  }
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
