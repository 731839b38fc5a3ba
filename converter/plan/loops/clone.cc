// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/clone.h"

#include <utility>
#include <vector>

namespace weft::plan {

namespace {

class Cloner {
 public:
  Cloner(Program& program, ValueMap values) : program_(program), values_(std::move(values)) {}

  // Numbers the copies of sections first, because moves of values refer to sections.
  void Number(BlockId block) {
    const auto copy = static_cast<BlockId>(program_.blocks.size());
    program_.blocks.emplace_back();
    blocks_.emplace(block, copy);
    for (size_t item = 0; item < program_.blocks[block].items.size(); ++item) {
      const auto* entry = std::get_if<SectionEntry>(&program_.blocks[block].items[item]);
      if (entry == nullptr) continue;
      const SectionId section = entry->section;
      sections_.emplace(section, static_cast<SectionId>(program_.sections.size()));
      program_.sections.emplace_back();
      const Section& inside = program_.sections[section];
      for (const BlockId each : std::vector<BlockId>(inside.copies)) Number(each);
      for (const BlockId each : std::vector<BlockId>(program_.sections[section].epilogues)) {
        Number(each);
      }
    }
  }

  BlockId Fill(BlockId block) {
    Block copy;
    const Block source = program_.blocks[block];
    for (const Item& item : source.items) copy.items.push_back(CloneItem(item));
    for (const ValueId result : source.results) copy.results.push_back(CloneValue(result));
    const BlockId target = blocks_.at(block);
    program_.blocks[target] = std::move(copy);
    return target;
  }

 private:
  Item CloneItem(const Item& item) {
    const auto* step = std::get_if<Step>(&item);
    if (step == nullptr) return SectionEntry{CloneSection(std::get<SectionEntry>(item).section)};
    Step copy = *step;
    for (ValueId& input : copy.inputs) input = CloneValue(input);
    for (ValueId& output : copy.outputs) output = CloneValue(output);
    return copy;
  }

  SectionId CloneSection(SectionId section) {
    Section copy = program_.sections[section];
    for (ValueId* value :
         {&copy.trip, &copy.first_condition, &copy.body_condition, &copy.iteration, &copy.length}) {
      *value = CloneValue(*value);
    }
    for (BlockId& block : copy.copies) block = Fill(block);
    for (BlockId& block : copy.epilogues) block = Fill(block);
    const SectionId target = sections_.at(section);
    program_.sections[target] = std::move(copy);
    return target;
  }

  ValueId CloneValue(ValueId value) {
    if (value == kNone) return kNone;
    const auto known = values_.find(value);
    if (known != values_.end()) return known->second;
    const Value& source = program_.values[value];
    const auto block = blocks_.find(source.block);
    const bool stays = source.parent == kNone && source.storage != Storage::kScratch;
    if (block == blocks_.end() || stays) return value;
    Value copy = source;
    copy.block = block->second;
    copy.parent = CloneValue(copy.parent);
    for (Move& move : copy.moves) {
      const auto section = sections_.find(move.section);
      if (section != sections_.end()) move.section = section->second;
    }
    const auto id = static_cast<ValueId>(program_.values.size());
    program_.values.push_back(std::move(copy));
    values_.emplace(value, id);
    return id;
  }

  Program& program_;
  ValueMap values_;
  std::unordered_map<BlockId, BlockId> blocks_;
  std::unordered_map<SectionId, SectionId> sections_;
};

}  // namespace

BlockId Clone(Program& program, BlockId block, ValueMap values) {
  Cloner cloner(program, std::move(values));
  cloner.Number(block);
  return cloner.Fill(block);
}

}  // namespace weft::plan
