// SPDX-License-Identifier: Apache-2.0
// Checks a placement against its problem; shares no code with the solver. One sweep over time, so
// that it can always run: n log n for n buffers. Each buffer that is near another is compared with
// all.
#ifndef WEFT_CONVERTER_PLAN_VALIDATE_PLACEMENT_H_
#define WEFT_CONVERTER_PLAN_VALIDATE_PLACEMENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

enum class PlacementRule : uint8_t {
  kComplete,     // every buffer has a place in a memory of the problem, and used_bytes covers it
  kAlignment,    // an offset is a multiple of its buffer's alignment
  kFixedOffset,  // a buffer with a fixed offset lies there, in the first memory
  kCapacity,     // a buffer ends within the capacity of its memory
  kOverlap,      // two buffers that are live at one time share no byte
  kNear,         // but near ones, and those only at the distances that they allow
};
// "alignment".
std::string_view Name(PlacementRule rule);

struct PlacementFault {
  PlacementRule rule;
  std::string text;  // `buffer "a": offset is 24; must be a multiple of 16`
};

// Empty for a valid placement. Each rule that is broken is named at least once; of
// many overlaps not every pair is.
std::vector<PlacementFault> ValidatePlacement(const Problem& problem, const Placement& placement);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_VALIDATE_PLACEMENT_H_
