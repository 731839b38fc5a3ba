// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/single_trip.h"

#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "converter/plan/loops/scan_buffer.h"
#include "converter/program/builder.h"

namespace weft::plan {

namespace {

bool RunsOnce(const Section& section) {
  return section.loop && section.max_trips == 1 && !section.is_open();
}

// Makes the iteration number of the only iteration a constant 0.
void MakeZero(Program& program, ValueId value) {
  Value& number = program.values[value];
  number.storage = Storage::kWeights;
  number.data = std::make_shared<const std::vector<std::byte>>(static_cast<size_t>(number.bytes));
}

class Inliner {
 public:
  explicit Inliner(Program& program) : program_(program), builder_(program) {}

  void Visit(BlockId block) {
    std::vector<Item> items = std::move(program_.blocks[block].items);
    program_.blocks[block].items.clear();
    for (Item& item : items) {
      const auto* entry = std::get_if<SectionEntry>(&item);
      const SectionId section = entry == nullptr ? kNone : entry->section;
      if (section != kNone && RunsOnce(program_.sections[section])) {
        Inline(section, block);
        continue;
      }
      if (section != kNone) VisitInside(section);
      builder_.SetBlock(block);
      builder_.Append(std::move(item));
    }
  }

  // Assigns the values of inlined bodies to the block around them.
  void MoveValues() {
    for (Value& value : program_.values) {
      for (auto around = inlined_into_.find(value.block); around != inlined_into_.end();
           around = inlined_into_.find(value.block)) {
        value.block = around->second;
      }
    }
  }

 private:
  void VisitInside(SectionId section) {
    if (program_.sections[section].loop) return Visit(program_.sections[section].loop->body);
    for (const BlockId copy : std::vector<BlockId>(program_.sections[section].copies)) Visit(copy);
  }

  void Inline(SectionId id, BlockId block) {
    const Section section = program_.sections[id];
    const Loop& loop = *section.loop;
    Visit(loop.body);
    builder_.SetBlock(block);
    builder_.SetLayer(section.layer);
    for (const Loop::Sliced& input : loop.sliced) BindSlice(builder_, input, 1, kNone);
    for (const Loop::Carried& carried : loop.carried) {
      MakeView(program_, carried.state, carried.initial, 0);
    }
    if (section.iteration != kNone) MakeZero(program_, section.iteration);
    const Block body = std::move(program_.blocks[loop.body]);
    program_.blocks[loop.body] = {};
    for (const Item& item : body.items) builder_.Append(item);
    inlined_into_.emplace(loop.body, block);
    TakeResults(loop, body.results);
    program_.sections[id].loop.reset();
  }

  void TakeResults(const Loop& loop, const std::vector<ValueId>& results) {
    for (const Loop::Scan& scan : loop.scans) {
      const ValueId result = results[scan.result];
      if (program_.values[scan.whole].parent != kNone) {
        builder_.Copy(result, scan.whole);
      } else {
        MakeView(program_, scan.whole, result, 0);
      }
    }
    for (const Loop::Last& last : loop.lasts) {
      MakeView(program_, last.value, results[last.result], 0);
    }
  }

  Program& program_;
  Builder builder_;
  std::unordered_map<BlockId, BlockId> inlined_into_;  // by body: the block around it
};

}  // namespace

void InlineSingleTrips(Program& program) {
  Inliner inliner(program);
  inliner.Visit(program.main);
  inliner.MoveValues();
}

}  // namespace weft::plan
