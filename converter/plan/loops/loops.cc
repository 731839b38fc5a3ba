// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/loops.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "converter/plan/loops/choose.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/plan/loops/unroll.h"
#include "converter/program/builder.h"

namespace weft::plan {

namespace {

class LoopPlanner {
 public:
  explicit LoopPlanner(program::Program& program) : program_(program), builder_(program) {}

  // Makes the choice for every loop before any is unrolled, so that each body is analysed once and
  // as lowering left it. Returns the number of steps of the block after unrolling.
  size_t Choose(program::BlockId block) {
    size_t steps = program_.blocks[block].items.size();
    for (const program::SectionId section : SectionsIn(program_, block)) {
      size_t inside = 0;
      for (const program::BlockId body : BodiesOf(section)) inside += Choose(body);
      if (program_.sections[section].loop) {
        const program::BlockId body = program_.sections[section].loop->body;
        LoopPlan plan =
            ChooseCarries(program_, section, inside - program_.blocks[body].items.size());
        inside *= plan.phases();
        plans_.emplace(section, std::move(plan));
      }
      steps += inside;
    }
    return steps;
  }

  // Works from the inside out, so that copies of a body contain unrolled loops.
  void Unroll(program::BlockId block) {
    for (const program::SectionId section : SectionsIn(program_, block)) {
      for (const program::BlockId body : BodiesOf(section)) Unroll(body);
    }
    const std::vector<program::Item> items = std::move(program_.blocks[block].items);
    program_.blocks[block].items.clear();
    builder_.SetBlock(block);
    for (const program::Item& item : items) {
      const auto* entry = std::get_if<program::SectionEntry>(&item);
      if (entry != nullptr && program_.sections[entry->section].loop) {
        plan::Unroll(builder_, entry->section, plans_.at(entry->section));
      } else {
        builder_.Append(item);
      }
    }
  }

 private:
  std::vector<program::BlockId> BodiesOf(program::SectionId section) const {
    const program::Section& of = program_.sections[section];
    return of.loop ? std::vector<program::BlockId>{of.loop->body} : of.copies;
  }

  program::Program& program_;
  program::Builder builder_;
  std::unordered_map<program::SectionId, LoopPlan> plans_;
};

// Sets the memory region of each view to that of its root.
void RefreshStorage(program::Program& program) {
  for (program::ValueId value = 0; value < program.values.size(); ++value) {
    program.values[value].storage = program.values[Resolve(program, value).root].storage;
  }
}

void UnrollLoops(program::Program& program) {
  LoopPlanner planner(program);
  planner.Choose(program.main);
  planner.Unroll(program.main);
}

using Change = void (*)(program::Program&);
constexpr PassPart<Change> kParts[] = {
    {"single_trips", InlineSingleTrips, "inlines loops of one iteration"},
    {"last_chunks", KeepLastChunks,
     "keeps only the last chunk of results that are read only there"},
    {"unroll", UnrollLoops, "chooses the buffers of states, and unrolls a body once per phase"},
    {"storage", RefreshStorage, "sets the storage of views to that of their roots"}};

}  // namespace

void PlanLoops(program::Program& program, const PartObserver<program::Program>& observe) {
  for (const PassPart<Change>& part : kParts) {
    part.run(program);
    if (observe) observe(part.name, program);
  }
}

std::vector<PartText> LoopParts() { return TextsOf(std::span(kParts)); }

}  // namespace weft::plan
