// SPDX-License-Identifier: Apache-2.0
// What a model costs, as `weft inspect --budget` shows it: flash by part, memory by region, work,
// and what contributes most to each.
#ifndef WEFT_CONVERTER_INSPECT_BUDGET_H_
#define WEFT_CONVERTER_INSPECT_BUDGET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converter/inspect/flash.h"
#include "converter/inspect/peak.h"
#include "converter/inspect/work.h"
#include "runtime/format/listing.h"

namespace weft::inspect {

struct ScratchRegion {
  std::string name;
  uint32_t bytes = 0;
  std::optional<Peak> peak;  // none of a file without buffers
};

// A place in the weights, with the first step that reads most of it.
struct WeightPlace {
  std::string kind, layer, type;
  uint64_t bytes = 0;
};

struct Budget {
  std::vector<FlashPart> flash;
  std::vector<ScratchRegion> scratch;
  ModelWork work;
  std::vector<StepWork> largest_steps;       // all that multiply and add, most first
  std::vector<WeightPlace> largest_weights;  // all, most first; slots of one place count once
};

// The file must have passed verify.cc.
Budget BudgetOf(Bytes file);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_BUDGET_H_
