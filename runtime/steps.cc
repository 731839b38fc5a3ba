// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps.h"

#include "kernels/variants.h"

namespace weft {
namespace {

constexpr StepEntry kEntries[] = {
#define WEFT_STEP(name, Name, ...) steps::k##Name,
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};

}  // namespace

StepTable AllSteps() {
  (void)kernels::AllVariants();
  return {kEntries, sizeof(kEntries) / sizeof(kEntries[0])};
}

}  // namespace weft
