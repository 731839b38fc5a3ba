// SPDX-License-Identifier: Apache-2.0
// Loops whose trip count does not depend on inputs.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_COUNTED_H_
#define WEFT_CONVERTER_PLAN_LOOPS_COUNTED_H_

#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// Returns true for a loop, before its states have buffers, of a constant trip count above 1.
inline bool IsCountedLoop(const program::Section& section) {
  return section.loop && !section.is_open() && !section.loop->condition &&
         section.length == program::kNone && section.trip_count > 1 &&
         section.trip_count == section.max_trips;
}

// Returns the counted loops directly in the block, in order.
inline std::vector<program::SectionId> CountedLoopsIn(const program::Program& program,
                                                      program::BlockId block) {
  std::vector<program::SectionId> loops = SectionsIn(program, block);
  std::erase_if(loops, [&](program::SectionId id) { return !IsCountedLoop(program.sections[id]); });
  return loops;
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_COUNTED_H_
