// SPDX-License-Identifier: Apache-2.0
// The costs of a model, as `weft inspect --budget` prints them: flash by part, memory by region,
// work, and the largest contributors to each.
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
  std::optional<Peak> peak;  // nullopt for a file without buffer table
};

// An address range of the weights, with the first step that reads the largest part of it.
struct WeightLocation {
  std::string kind, layer, type;
  uint64_t bytes = 0;
};

struct Budget {
  std::vector<FlashPart> flash;
  std::vector<ScratchRegion> scratch;
  ModelWork work;
  std::vector<StepWork> largest_steps;          // all steps with multiply-adds, the largest first
  std::vector<WeightLocation> largest_weights;  // the largest first; slots of one range count once
};

// The file must have passed verify.cc.
Budget BudgetOf(Bytes file);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_BUDGET_H_
