// SPDX-License-Identifier: Apache-2.0
// Checks a placement against its problem, without sharing code with the solver. It makes one sweep
// over time, O(n log n) for n buffers, so that it can always run. Each buffer of a Near
// pair is compared with all others.
#ifndef WEFT_CONVERTER_PLAN_VALIDATE_PLACEMENT_H_
#define WEFT_CONVERTER_PLAN_VALIDATE_PLACEMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

// Rules of a valid placement.
enum class PlacementRule : uint8_t {
  kComplete,     // every buffer is in a memory of the problem, within used_bytes
  kAlignment,    // an offset is a multiple of its buffer's alignment
  kFixedOffset,  // a buffer with a fixed offset has that offset in the first memory
  kCapacity,     // a buffer ends within the capacity of its memory
  kOverlap,      // two buffers that are live at one time share no byte
  kOverlapping,  // an overlapping pair overlaps only at distances that it allows
  kWeights,      // a copy of weights is in a memory that holds weights
};

// One violation of a rule.
struct PlacementFault {
  PlacementRule rule;
  std::string text;  // `buffer "a": offset is 24; must be a multiple of 16`
};

// Returns all violations; empty for a valid placement. Each violated rule is reported at least
// once, but not every overlapping pair.
std::vector<PlacementFault> ValidatePlacement(const Problem& problem, const Placement& placement);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_VALIDATE_PLACEMENT_H_
