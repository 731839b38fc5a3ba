// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/clone.h"

#include <utility>
#include <vector>

namespace weft::plan {

namespace {

class Cloner {
 public:
  Cloner(program::Program& program, ValueMap values)
      : program_(program), values_(std::move(values)) {}

  // Numbers the copies of sections first, because moves of values refer to sections.
  void Number(program::BlockId block) {
    const auto copy = static_cast<program::BlockId>(program_.blocks.size());
    program_.blocks.emplace_back();
    blocks_.emplace(block, copy);
    for (const program::SectionId section : SectionsIn(program_, block)) {
      sections_.emplace(section, static_cast<program::SectionId>(program_.sections.size()));
      program_.sections.emplace_back();
      const program::Section& inside = program_.sections[section];
      for (const program::BlockId each : std::vector<program::BlockId>(inside.copies)) Number(each);
      for (const program::BlockId each :
           std::vector<program::BlockId>(program_.sections[section].epilogues)) {
        Number(each);
      }
    }
  }

  program::BlockId Fill(program::BlockId block) {
    program::Block copy;
    const program::Block source = program_.blocks[block];
    for (const program::Item& item : source.items) copy.items.push_back(CloneItem(item));
    for (const program::ValueId result : source.results) copy.results.push_back(CloneValue(result));
    const program::BlockId target = blocks_.at(block);
    program_.blocks[target] = std::move(copy);
    return target;
  }

 private:
  program::Item CloneItem(const program::Item& item) {
    const auto* step = std::get_if<program::Step>(&item);
    if (step == nullptr)
      return program::SectionEntry{CloneSection(std::get<program::SectionEntry>(item).section)};
    program::Step copy = *step;
    for (program::ValueId& input : copy.inputs) input = CloneValue(input);
    for (program::ValueId& output : copy.outputs) output = CloneValue(output);
    return copy;
  }

  program::SectionId CloneSection(program::SectionId section) {
    program::Section copy = program_.sections[section];
    for (program::ValueId* value :
         {&copy.trip, &copy.first_condition, &copy.body_condition, &copy.iteration, &copy.length}) {
      *value = CloneValue(*value);
    }
    for (program::BlockId& block : copy.copies) block = Fill(block);
    for (program::BlockId& block : copy.epilogues) block = Fill(block);
    const program::SectionId target = sections_.at(section);
    program_.sections[target] = std::move(copy);
    return target;
  }

  program::ValueId CloneValue(program::ValueId value) {
    if (value == program::kNone) return program::kNone;
    const auto known = values_.find(value);
    if (known != values_.end()) return known->second;
    const program::Value& source = program_.values[value];
    const auto block = blocks_.find(source.block);
    const bool stays =
        source.parent == program::kNone && source.storage != program::Storage::kScratch;
    if (block == blocks_.end() || stays) return value;
    program::Value copy = source;
    copy.block = block->second;
    copy.parent = CloneValue(copy.parent);
    for (program::Move& move : copy.moves) {
      const auto section = sections_.find(move.section);
      if (section != sections_.end()) move.section = section->second;
    }
    const program::ValueId id = program_.Add(std::move(copy));
    values_.emplace(value, id);
    return id;
  }

  program::Program& program_;
  ValueMap values_;
  std::unordered_map<program::BlockId, program::BlockId> blocks_;
  std::unordered_map<program::SectionId, program::SectionId> sections_;
};

}  // namespace

program::BlockId Clone(program::Program& program, program::BlockId block, ValueMap values) {
  Cloner cloner(program, std::move(values));
  cloner.Number(block);
  return cloner.Fill(block);
}

}  // namespace weft::plan
