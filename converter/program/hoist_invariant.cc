// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "converter/program/access_index.h"
#include "converter/program/block_access.h"
#include "converter/program/passes.h"

namespace weft::program {

namespace {

// The steps directly in the copies of one section that can run once before it.
class InvariantSteps {
 public:
  InvariantSteps(Program& program, SectionId section, const AccessCounts& everywhere)
      : program_(program), section_(section), everywhere_(everywhere) {
    const Section& row = program.sections[section];
    for (const BlockId copy : row.copies) inside_.push_back(CollectAccesses(program, copy));
    for (const BlockId copy : row.epilogues) inside_.push_back(CollectAccesses(program, copy));
    for (const ValueId written : {row.iteration, row.length}) {
      if (written != kNone) written_by_section_.insert(Resolve(program, written).root);
    }
  }

  // Removes these steps and returns them in an order that keeps their dependences. Accesses point
  // to steps, so steps are removed after all have been chosen.
  std::vector<Item> Take() {
    std::vector<Item> taken;
    const std::vector<BlockId> copies = program_.sections[section_].copies;
    std::vector<std::vector<Item>> kept(copies.size());
    for (size_t copy = 0; copy < copies.size(); ++copy) {
      for (const Item& item : program_.blocks[copies[copy]].items) {
        const auto* step = std::get_if<Step>(&item);
        const bool leaves = step != nullptr && IsInvariant(*step, inside_[copy]);
        if (leaves) moved_.insert(step->outputs.begin(), step->outputs.end());
        (leaves ? taken : kept[copy]).push_back(item);
      }
    }
    for (size_t copy = 0; copy < copies.size(); ++copy) {
      program_.blocks[copies[copy]].items = std::move(kept[copy]);
    }
    return taken;
  }

 private:
  bool IsInvariant(const Step& step, const AccessMap& local) const {
    return !step.inputs.empty() &&
           std::all_of(step.inputs.begin(), step.inputs.end(),
                       [&](ValueId input) { return StandsStill(input); }) &&
           std::all_of(step.outputs.begin(), step.outputs.end(),
                       [&](ValueId output) { return IsOwn(output, local); });
  }

  bool StandsStill(ValueId input) const {
    if (input == kNone) return true;
    const Location location = Resolve(program_, input);
    const bool moves = std::any_of(location.moves.begin(), location.moves.end(),
                                   [&](const Move& move) { return move.section == section_; });
    if (moves || written_by_section_.contains(location.root)) return false;
    if (moved_.contains(location.root)) return true;
    return std::ranges::none_of(
        inside_, [&](const AccessMap& accesses) { return IsWritten(accesses, location.root); });
  }

  // Returns true if only this block uses the value and only this step writes it. A value that is
  // only copied stays: computing it directly in the copy's target costs no more.
  bool IsOwn(ValueId output, const AccessMap& local) const {
    if (output == kNone) return true;
    const Value& value = program_.values[output];
    if (value.parent != kNone || value.storage != Storage::kScratch) return false;
    const std::vector<Access>& uses = local.at(output);
    const auto writes =
        std::count_if(uses.begin(), uses.end(), [](const Access& access) { return access.write; });
    const bool read = std::any_of(uses.begin(), uses.end(), [&](const Access& access) {
      return !access.write && (access.step == nullptr || !IsPlainCopy(program_, *access.step));
    });
    return read && writes == 1 && uses.size() == everywhere_.at(output);
  }

  Program& program_;
  const SectionId section_;
  const AccessCounts& everywhere_;
  std::vector<AccessMap> inside_;  // of the copies, then of the epilogues
  std::set<ValueId> written_by_section_, moved_;
};

// Innermost loops first, so that a step can leave several loops.
void HoistIn(Program& program, BlockId block, const AccessCounts& everywhere) {
  std::vector<Item> items;  // of the block, with hoisted steps before their sections
  for (size_t item = 0; item < program.blocks[block].items.size(); ++item) {
    const auto* entry = std::get_if<SectionEntry>(&program.blocks[block].items[item]);
    if (entry != nullptr) {
      const SectionId section = entry->section;
      const std::vector<BlockId> copies = program.sections[section].copies;
      for (const BlockId copy : copies) HoistIn(program, copy, everywhere);
      if (program.sections[section].max_trips > 1) {  // a branch runs once at most
        std::vector<Item> taken = InvariantSteps(program, section, everywhere).Take();
        std::ranges::move(taken, std::back_inserter(items));
      }
    }
    items.push_back(std::move(program.blocks[block].items[item]));
  }
  program.blocks[block].items = std::move(items);
}

}  // namespace

void HoistInvariants(Program& program) {
  HoistIn(program, program.main, CountsOf(CollectAccesses(program, program.main)));
}

}  // namespace weft::program
