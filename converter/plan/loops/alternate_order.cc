// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <variant>

#include "converter/plan/loops/clone.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/program/cells.h"

namespace weft::plan {

namespace {

constexpr int64_t kFirstCacheBytes = int64_t{32} << 10;
// Maximum number of steps with two phases, because nested loops multiply the steps.
constexpr size_t kMaxSteps = 4096;

// Number of items of the block and of all blocks that it enters.
size_t StepsIn(const program::Program& program, program::BlockId block) {
  size_t steps = program.blocks[block].items.size();
  for (const program::SectionId section : SectionsIn(program, block)) {
    for (const program::BlockId copy : program.sections[section].copies) {
      steps += StepsIn(program, copy);
    }
  }
  return steps;
}

bool IsLargeCell(const program::Program& program, const program::Item& item) {
  const auto* step = std::get_if<program::Step>(&item);
  return step != nullptr && CanReverseWeights(*step) &&
         program.values[step->inputs[1]].bytes > kFirstCacheBytes;
}

bool NeedsTwoPhases(const program::Program& program, const program::Section& section) {
  if (section.copies.size() != 1 || section.is_open() || section.trip_count < 2) return false;
  const program::BlockId body = section.copies[0];
  return std::ranges::any_of(
             program.blocks[body].items,
             [&](const program::Item& item) { return IsLargeCell(program, item); }) &&
         2 * StepsIn(program, body) <= kMaxSteps;
}

}  // namespace

void AlternateWeightOrder(program::Program& program) {
  // Clone appends the sections of the copied body, which this loop also visits.
  for (program::SectionId id = 0; id < program.sections.size(); ++id) {
    if (!NeedsTwoPhases(program, program.sections[id])) continue;
    const program::BlockId second = Clone(program, program.sections[id].copies[0], {});
    program.sections[id].copies.push_back(second);
  }
  for (const program::Section& section : program.sections) {
    for (size_t phase = 1; phase < section.copies.size(); phase += 2) {
      for (program::Item& item : program.blocks[section.copies[phase]].items) {
        auto* step = std::get_if<program::Step>(&item);
        if (step != nullptr && CanReverseWeights(*step)) ReverseWeights(*step);
      }
    }
  }
}

}  // namespace weft::plan
