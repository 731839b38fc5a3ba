// SPDX-License-Identifier: Apache-2.0
#include "converter/program/consistency.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::program {
namespace {

// Stores the first violation.
class ProgramCheck {
 public:
  explicit ProgramCheck(const Program& program)
      : program_(program),
        entries_(program.sections.size()),
        owners_(program.blocks.size()),
        depths_(program.values.size()) {}

  std::string Run() {
    for (ValueId value = 0; value < program_.values.size(); ++value) CheckValue(value);
    if (fault_.empty()) Claim(program_.main);
    for (const auto* ports : {&program_.inputs, &program_.outputs}) {
      for (const Port& port : *ports) {
        Require(IsValue(port.value), "a port", "has no value");
        Require(port.length == kNone || IsValue(port.length), "a port", "has an unknown length");
      }
    }
    for (const Variable& variable : program_.variables) {
      const bool is_state =
          IsValue(variable.value) && program_.values[variable.value].storage == Storage::kState;
      Require(is_state, "a variable", "is not in state");
      Require(variable.initial == kNone || IsValue(variable.initial), "a variable",
              "has an unknown initial value");
    }
    return std::move(fault_);
  }

 private:
  bool IsValue(ValueId value) const { return value < program_.values.size(); }
  bool IsBlock(BlockId block) const { return block < program_.blocks.size(); }

  bool Require(bool holds, const std::string& who, const std::string& what) {
    if (!holds && fault_.empty()) fault_ = who + " " + what;
    return holds;
  }

  // Returns the number of views between value and root; a number above the value count is a cycle.
  size_t DepthOf(ValueId value) {
    size_t depth = 0;
    while (program_.values[value].parent != kNone && depths_[value] == 0) {
      if (++depth > program_.values.size() || !IsValue(program_.values[value].parent)) return depth;
      value = program_.values[value].parent;
    }
    return depth + depths_[value];
  }

  void CheckValue(ValueId id) {
    const Value& value = program_.values[id];
    const std::string who = fmt::format("value {} of \"{}\"", id, value.name);
    Require(IsBlock(value.block), who, "belongs to no block");
    for (const Move& move : value.moves) {
      Require(move.section < program_.sections.size(), who, "moves with an unknown section");
    }
    if (value.parent == kNone) {
      const bool has_bytes = value.storage != Storage::kWeights ||
                             (value.data != nullptr && std::ssize(*value.data) == value.bytes);
      Require(has_bytes, who, "is a constant without its bytes");
      return;
    }
    if (!Require(IsValue(value.parent), who, "has an unknown parent")) return;
    depths_[id] = DepthOf(id);
    if (!Require(depths_[id] <= program_.values.size(), who, "is a part of itself")) return;
    const bool is_inside = value.offset_bytes >= 0 &&
                           value.offset_bytes + value.bytes <= program_.values[value.parent].bytes;
    Require(is_inside || !value.moves.empty() || value.bytes == 0, who, "exceeds its parent");
  }

  void Claim(BlockId block) {
    if (!Require(IsBlock(block), "a section", "has an unknown block")) return;
    if (!Require(owners_[block]++ == 0, fmt::format("block {}", block), "has two owners")) return;
    for (const Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<Step>(&item)) {
        CheckStep(*step);
      } else {
        CheckSection(std::get<SectionEntry>(item).section);
      }
    }
  }

  void CheckStep(const Step& step) {
    const std::string who = fmt::format("{} of \"{}\"", Name(step.kind()), step.layer);
    const format::Arity arity = format::kArity[static_cast<size_t>(step.kind())];
    if (!Require(step.inputs.size() == arity.inputs && step.outputs.size() == arity.outputs, who,
                 "has the wrong number of operands")) {
      return;
    }
    for (uint32_t i = 0; i < arity.operands(); ++i) {
      const ValueId value = i < arity.inputs ? step.inputs[i] : step.outputs[i - arity.inputs];
      const bool is_there = value == kNone ? arity.MayLack(i) : IsValue(value);
      Require(is_there, who, fmt::format("lacks operand {}", i));
    }
  }

  void CheckSection(SectionId id) {
    const std::string who = fmt::format("section {}", id);
    if (!Require(id < program_.sections.size(), who, "does not exist")) return;
    if (!Require(entries_[id]++ == 0, who, "is entered twice")) return;
    const Section& section = program_.sections[id];
    for (const ValueId value : {section.trip, section.first_condition, section.body_condition,
                                section.iteration, section.length}) {
      Require(value == kNone || IsValue(value), who, "refers to an unknown value");
    }
    for (const BlockId copy : section.copies) Claim(copy);
    for (const BlockId epilogue : section.epilogues) Claim(epilogue);
    if (section.loop) CheckLoop(*section.loop, who);
  }

  void CheckLoop(const Loop& loop, const std::string& who) {
    Claim(loop.body);
    if (!IsBlock(loop.body)) return;
    const std::vector<ValueId>& results = program_.blocks[loop.body].results;
    const auto is_result = [&](size_t index) {
      return index < results.size() && IsValue(results[index]);
    };
    for (const Loop::Sliced& input : loop.sliced) {
      Require(IsValue(input.whole) && IsValue(input.chunk), who, "slices an unknown value");
    }
    for (const Loop::Carried& state : loop.carried) {
      const bool is_whole =
          IsValue(state.initial) && IsValue(state.state) && is_result(state.result);
      Require(is_whole, who, "carries an unknown value");
    }
    for (const Loop::Scan& scan : loop.scans) {
      Require(IsValue(scan.whole) && is_result(scan.result), who, "gathers an unknown value");
    }
    for (const Loop::Last& last : loop.lasts) {
      Require(IsValue(last.value) && is_result(last.result), who, "keeps an unknown value");
    }
    Require(!loop.condition || is_result(*loop.condition), who, "has an unknown condition");
  }

  const Program& program_;
  std::vector<int> entries_, owners_;  // by section, by block
  std::vector<size_t> depths_;         // by view; 0: not computed yet
  std::string fault_;
};

}  // namespace

std::string InconsistencyIn(const Program& program) { return ProgramCheck(program).Run(); }

}  // namespace weft::program
