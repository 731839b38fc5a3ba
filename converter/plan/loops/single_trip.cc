// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "converter/plan/loops/loop_passes.h"
#include "converter/plan/loops/scan_buffer.h"
#include "converter/program/builder.h"

namespace weft::plan {

namespace {

bool RunsOnce(const program::Section& section) {
  return section.loop && section.max_trips == 1 && !section.is_open();
}

// Makes the iteration number of the only iteration a constant 0.
void MakeZero(program::Program& program, program::ValueId value) {
  program::Value& number = program.values[value];
  number.storage = program::Storage::kWeights;
  number.data = std::make_shared<const std::vector<std::byte>>(static_cast<size_t>(number.bytes));
}

class Inliner {
 public:
  explicit Inliner(program::Program& program) : program_(program), builder_(program) {}

  void Visit(program::BlockId block) {
    std::vector<program::Item> items = std::move(program_.blocks[block].items);
    program_.blocks[block].items.clear();
    for (program::Item& item : items) {
      const auto* entry = std::get_if<program::SectionEntry>(&item);
      const program::SectionId section = entry == nullptr ? program::kNone : entry->section;
      if (section != program::kNone && RunsOnce(program_.sections[section])) {
        Inline(section, block);
        continue;
      }
      if (section != program::kNone) VisitInside(section);
      builder_.SetBlock(block);
      builder_.Append(std::move(item));
    }
  }

  // Assigns the values of inlined bodies to the block around them.
  void MoveValues() {
    for (program::Value& value : program_.values) {
      for (auto around = inlined_into_.find(value.block); around != inlined_into_.end();
           around = inlined_into_.find(value.block)) {
        value.block = around->second;
      }
    }
  }

 private:
  void VisitInside(program::SectionId section) {
    if (program_.sections[section].loop) return Visit(program_.sections[section].loop->body);
    for (const program::BlockId copy :
         std::vector<program::BlockId>(program_.sections[section].copies))
      Visit(copy);
  }

  void Inline(program::SectionId id, program::BlockId block) {
    const program::Section section = program_.sections[id];
    const program::Loop& loop = *section.loop;
    Visit(loop.body);
    builder_.SetBlock(block);
    builder_.SetLayer(section.layer);
    for (const program::Loop::Sliced& input : loop.sliced)
      BindSlice(builder_, input, 1, program::kNone);
    for (const program::Loop::Carried& carried : loop.carried) {
      MakeView(program_, carried.state, carried.initial, 0);
    }
    if (section.iteration != program::kNone) MakeZero(program_, section.iteration);
    const program::Block body = std::move(program_.blocks[loop.body]);
    program_.blocks[loop.body] = {};
    for (const program::Item& item : body.items) builder_.Append(item);
    inlined_into_.emplace(loop.body, block);
    TakeResults(loop, body.results);
    program_.sections[id].loop.reset();
  }

  void TakeResults(const program::Loop& loop, const std::vector<program::ValueId>& results) {
    for (const program::Loop::Scan& scan : loop.scans) {
      const program::ValueId result = results[scan.result];
      if (program_.values[scan.whole].parent != program::kNone) {
        builder_.Copy(result, scan.whole);
      } else {
        MakeView(program_, scan.whole, result, 0);
      }
    }
    for (const program::Loop::Last& last : loop.lasts) {
      MakeView(program_, last.value, results[last.result], 0);
    }
  }

  program::Program& program_;
  program::Builder builder_;
  std::unordered_map<program::BlockId, program::BlockId>
      inlined_into_;  // by body: the block around it
};

}  // namespace

void InlineSingleTrips(program::Program& program) {
  Inliner inliner(program);
  inliner.Visit(program.main);
  inliner.MoveValues();
}

}  // namespace weft::plan
