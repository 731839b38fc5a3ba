// SPDX-License-Identifier: Apache-2.0
#include "converter/passes/hoist_invariant.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "converter/plan/access_index.h"
#include "converter/plan/block_access.h"
#include "converter/plan/coalesce.h"

namespace weft::passes {

namespace {

using plan::BlockId;
using plan::kNone;
using plan::Program;
using plan::SectionId;
using plan::Step;
using plan::ValueId;

// The steps of one section's own copies that may run once before it.
class InvariantSteps {
 public:
  InvariantSteps(Program& program, SectionId section, const plan::AccessCounts& everywhere)
      : program_(program), section_(section), everywhere_(everywhere) {
    const plan::Section& row = program.sections[section];
    for (const BlockId copy : row.copies) inside_.push_back(plan::CollectAccesses(program, copy));
    for (const BlockId copy : row.settles) inside_.push_back(plan::CollectAccesses(program, copy));
    for (const ValueId written : {row.iteration, row.length}) {
      if (written != kNone) written_by_section_.insert(plan::Resolve(program, written).root);
    }
  }

  // In an order that respects what they need of each other. Accesses point at steps, so none is
  // erased before all are chosen.
  std::vector<plan::Item> Take() {
    std::vector<plan::Item> taken;
    const std::vector<BlockId> copies = program_.sections[section_].copies;
    std::vector<std::vector<plan::Item>> kept(copies.size());
    for (size_t copy = 0; copy < copies.size(); ++copy) {
      for (const plan::Item& item : program_.blocks[copies[copy]].items) {
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
  bool IsInvariant(const Step& step, const plan::AccessMap& local) const {
    return !step.inputs.empty() &&
           std::all_of(step.inputs.begin(), step.inputs.end(),
                       [&](ValueId input) { return StandsStill(input); }) &&
           std::all_of(step.outputs.begin(), step.outputs.end(),
                       [&](ValueId output) { return IsOwn(output, local); });
  }

  bool StandsStill(ValueId input) const {
    if (input == kNone) return true;
    const plan::Place place = plan::Resolve(program_, input);
    const bool moves =
        std::any_of(place.moves.begin(), place.moves.end(),
                    [&](const plan::Move& move) { return move.section == section_; });
    if (moves || written_by_section_.contains(place.root)) return false;
    if (moved_.contains(place.root)) return true;
    return std::none_of(inside_.begin(), inside_.end(), [&](const plan::AccessMap& accesses) {
      const auto found = accesses.find(place.root);
      return found != accesses.end() &&
             std::any_of(found->second.begin(), found->second.end(),
                         [](const plan::Access& access) { return access.write; });
    });
  }

  // A value of this block alone, made by this step alone. What is only copied stays: made again
  // where the copy would put it, it costs no more.
  bool IsOwn(ValueId output, const plan::AccessMap& local) const {
    if (output == kNone) return true;
    const plan::Value& value = program_.values[output];
    if (value.parent != kNone || value.home != plan::Home::kScratch) return false;
    const std::vector<plan::Access>& uses = local.at(output);
    const auto writes = std::count_if(uses.begin(), uses.end(),
                                      [](const plan::Access& access) { return access.write; });
    const bool read = std::any_of(uses.begin(), uses.end(), [&](const plan::Access& access) {
      return !access.write &&
             (access.step == nullptr || !plan::IsPlainCopy(program_, *access.step));
    });
    return read && writes == 1 && uses.size() == everywhere_.at(output);
  }

  Program& program_;
  const SectionId section_;
  const plan::AccessCounts& everywhere_;
  std::vector<plan::AccessMap> inside_;  // copies, then settle runs
  std::set<ValueId> written_by_section_, moved_;
};

// Innermost first, so that a step can leave several loops one after the other.
void HoistIn(Program& program, BlockId block, const plan::AccessCounts& everywhere) {
  std::vector<plan::Item> items;  // of the block, with what leaves its sections before them
  for (size_t item = 0; item < program.blocks[block].items.size(); ++item) {
    const auto* entry = std::get_if<plan::SectionEntry>(&program.blocks[block].items[item]);
    if (entry != nullptr) {
      const SectionId section = entry->section;
      const std::vector<BlockId> copies = program.sections[section].copies;
      for (const BlockId copy : copies) HoistIn(program, copy, everywhere);
      if (program.sections[section].max_trips > 1) {  // a branch runs once at most
        std::vector<plan::Item> taken = InvariantSteps(program, section, everywhere).Take();
        std::ranges::move(taken, std::back_inserter(items));
      }
    }
    items.push_back(std::move(program.blocks[block].items[item]));
  }
  program.blocks[block].items = std::move(items);
}

}  // namespace

void HoistInvariants(Program& program) {
  HoistIn(program, program.main, plan::CountsOf(plan::CollectAccesses(program, program.main)));
}

}  // namespace weft::passes
