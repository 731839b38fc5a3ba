// SPDX-License-Identifier: Apache-2.0
// Loops that run as often as the model says, whatever its inputs are.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_COUNTED_H_
#define WEFT_CONVERTER_PLAN_LOOPS_COUNTED_H_

#include <variant>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// A loop, before its states have homes, of a known number of iterations, more than one.
inline bool IsCountedLoop(const Section& section) {
  return section.loop && !section.is_open() && !section.loop->condition &&
         section.length == kNone && section.trip_count > 1 &&
         section.trip_count == section.max_trips;
}

// Those that stand in the block itself, in order.
inline std::vector<SectionId> CountedLoopsIn(const Program& program, BlockId block) {
  std::vector<SectionId> loops;
  for (const Item& item : program.blocks[block].items) {
    const auto* entry = std::get_if<SectionEntry>(&item);
    if (entry != nullptr && IsCountedLoop(program.sections[entry->section]))
      loops.push_back(entry->section);
  }
  return loops;
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_COUNTED_H_
