// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/plan/order_search.h"
#include "converter/plan/plan.h"
#include "converter/plan/plan_passes.h"
#include "converter/program/units.h"

namespace weft::plan {

namespace {

constexpr int64_t kMaxLooksForOrders = 2'000'000;  // for all blocks: a tenth of a second
// Maximum number of pairs of accesses to one value of which one writes. A block with more keeps its
// order.
constexpr size_t kMaxConflicts = 4'000'000;

// Scopes are the blocks, followed by the sections. Stores the scope around each scope, and for each
// root the innermost scope that contains all its accesses.
class Scopes {
 public:
  explicit Scopes(const program::Program& program)
      : program_(program),
        block_count_(program.blocks.size()),
        around_(block_count_ + program.sections.size(), program::kNone),
        depth_(around_.size()),
        owner_(program.values.size(), program::kNone) {
    Visit(program.main, 0);
    for (const std::vector<program::Port>* ports : {&program.inputs, &program.outputs}) {
      for (const program::Port& port : *ports) Touch({port.value, port.length}, program.main);
    }
    for (program::ValueId root = 0; root < owner_.size(); ++root) {
      if (owner_[root] != program::kNone) owned_by_[owner_[root]].push_back(root);
    }
  }

  bool IsOwnedBy(program::ValueId root, program::BlockId block) const {
    return owner_[root] == block;
  }
  // Scratch bytes of values that several blocks of the section access, and nothing outside it.
  int64_t BytesBetweenBlocks(program::SectionId section) const {
    const auto found = owned_by_.find(ScopeOf(section));
    int64_t bytes = 0;
    for (const program::ValueId root :
         found == owned_by_.end() ? std::vector<program::ValueId>() : found->second) {
      bytes += ScratchBytesOf(program_, root);
    }
    return bytes;
  }

  static int64_t ScratchBytesOf(const program::Program& program, program::ValueId root) {
    const program::Value& value = program.values[root];
    return value.storage == program::Storage::kScratch ? RoundUp(value.bytes, kScratchAlignment)
                                                       : 0;
  }

 private:
  uint32_t ScopeOf(program::SectionId section) const {
    return Narrow32(block_count_ + section, "scopes");
  }

  void Visit(program::BlockId block, uint32_t depth) {
    depth_[block] = depth;
    for (const program::Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<program::Step>(&item)) {
        Touch(step->inputs, block);
        Touch(step->outputs, block);
      } else {
        Visit(std::get<program::SectionEntry>(item).section, block, depth + 1);
      }
    }
  }

  void Visit(program::SectionId id, program::BlockId outside, uint32_t depth) {
    const program::Section& section = program_.sections[id];
    around_[ScopeOf(id)] = outside;
    depth_[ScopeOf(id)] = depth;
    Touch({section.trip, section.first_condition, section.body_condition, section.iteration,
           section.length},
          outside);
    for (const std::vector<program::BlockId>* blocks : {&section.copies, &section.epilogues}) {
      for (const program::BlockId block : *blocks) {
        around_[block] = ScopeOf(id);
        Visit(block, depth + 1);
      }
    }
  }

  void Touch(const std::vector<program::ValueId>& values, uint32_t scope) {
    for (const program::ValueId value : values) {
      if (value == program::kNone) continue;
      uint32_t& owner = owner_[Resolve(program_, value).root];
      owner = owner == program::kNone ? scope : Common(owner, scope);
    }
  }

  uint32_t Common(uint32_t a, uint32_t b) const {
    while (a != b) {
      uint32_t& deeper = depth_[a] >= depth_[b] ? a : b;
      deeper = around_[deeper];
    }
    return a;
  }

  const program::Program& program_;
  const size_t block_count_;
  std::vector<uint32_t> around_, depth_;  // by scope
  std::vector<uint32_t> owner_;           // by root
  std::unordered_map<uint32_t, std::vector<program::ValueId>> owned_by_;
};

class StepOrderer {
 public:
  explicit StepOrderer(program::Program& program) : program_(program), scopes_(program) {}

  bool Run() {
    Order(program_.main);
    return has_moved_;
  }

 private:
  // Orders a block and all blocks inside. Returns the peak bytes of values that only it accesses.
  int64_t Order(program::BlockId block) {
    const std::vector<program::Unit> units = UnitsOf(program_, block);
    std::vector<int64_t> inner_bytes;
    for (const program::Unit& unit : units) inner_bytes.push_back(InnerBytes(block, unit));
    const program::AccessMap accesses = AccessesOf(program_, block, units);
    OrderProblem problem = ProblemOf(block, accesses, units);
    problem.inner_bytes = std::move(inner_bytes);
    const int64_t peak = PeakInOrder(problem);
    if (peak == PeakLowerBound(problem) || !AreFew(accesses)) return peak;
    AddDependences(accesses, problem);
    const FoundOrder found = FindOrder(problem, looks_left_);
    looks_left_ -= found.looks;
    if (found.units.empty()) return peak;
    Reorder(program_.blocks[block], units, found.units);
    has_moved_ = true;
    return found.peak_bytes;
  }

  int64_t InnerBytes(program::BlockId block, const program::Unit& unit) {
    int64_t max = 0;
    for (size_t item = unit.begin; item < unit.end; ++item) {
      const auto* entry = std::get_if<program::SectionEntry>(&program_.blocks[block].items[item]);
      if (entry == nullptr) continue;
      const program::SectionId id = entry->section;
      int64_t bytes = 0;
      const program::Section& section = program_.sections[id];
      for (const program::BlockId copy : section.copies) bytes = std::max(bytes, Order(copy));
      for (const program::BlockId epilogue : section.epilogues)
        bytes = std::max(bytes, Order(epilogue));
      max = std::max(max, bytes + scopes_.BytesBetweenBlocks(id));
    }
    return max;
  }

  static bool AreFew(const program::AccessMap& accesses) {
    size_t pairs = 0;
    for (const auto& [root, list] : accesses) {
      const auto writes = std::ranges::count_if(list, &program::Access::write);
      pairs += list.size() * static_cast<size_t>(writes);
    }
    return pairs <= kMaxConflicts;
  }

  OrderProblem ProblemOf(program::BlockId block, const program::AccessMap& accesses,
                         const std::vector<program::Unit>& units) const {
    OrderProblem problem;
    problem.before.resize(units.size());
    std::vector<program::ValueId> roots;
    for (const auto& [root, list] : accesses) {
      if (scopes_.IsOwnedBy(root, block) && Scopes::ScratchBytesOf(program_, root) > 0)
        roots.push_back(root);
    }
    std::ranges::sort(roots);
    std::unordered_map<program::ValueId, size_t> index;
    for (const program::ValueId root : roots) {
      index.emplace(root, problem.bytes.size());
      problem.bytes.push_back(BytesOf(root, accesses.at(root)));
    }
    AddShares(block, accesses, units, index, problem);
    return problem;
  }

  OrderProblem::Bytes BytesOf(program::ValueId root,
                              const std::vector<program::Access>& accesses) const {
    OrderProblem::Bytes of{.bytes = Scopes::ScratchBytesOf(program_, root)};
    for (const program::Access& access : accesses) {
      if (access.item == program::kBeforeRun) {
        of.from_start = true;
      } else if (access.item == program::kAfterRun) {
        of.to_end = true;
      } else {
        of.units.push_back(static_cast<size_t>(access.item));
      }
    }
    std::ranges::sort(of.units);
    of.units.erase(std::ranges::unique(of.units).begin(), of.units.end());
    return of;
  }

  // Adds the steps that write a complete value which may share the bytes of a complete input that
  // has its last use there.
  void AddShares(program::BlockId block, const program::AccessMap& accesses,
                 const std::vector<program::Unit>& units,
                 const std::unordered_map<program::ValueId, size_t>& index,
                 OrderProblem& problem) const {
    for (size_t unit = 0; unit < units.size(); ++unit) {
      const auto* step =
          std::get_if<program::Step>(&program_.blocks[block].items[units[unit].begin]);
      for (size_t output = 0; step != nullptr && output < step->outputs.size(); ++output) {
        const auto to = WholeOf(step->outputs[output], index);
        if (!to || !IsWrittenBy(unit, accesses.at(*to))) continue;
        for (size_t input = 0; input < step->inputs.size(); ++input) {
          const auto from = WholeOf(step->inputs[input], index);
          const bool fits = from && *from != *to &&
                            program_.values[*from].bytes == program_.values[*to].bytes &&
                            MayShare(*step, input, output);
          if (fits) problem.shares.push_back({unit, index.at(*from), index.at(*to)});
        }
      }
    }
  }

  std::optional<program::ValueId> WholeOf(
      program::ValueId value, const std::unordered_map<program::ValueId, size_t>& index) const {
    if (value == program::kNone) return std::nullopt;
    const program::Location location = Resolve(program_, value);
    if (!IsCompleteScratch(program_, location, value) || !index.contains(location.root))
      return std::nullopt;
    return location.root;
  }

  static bool IsWrittenBy(size_t unit, const std::vector<program::Access>& accesses) {
    return std::ranges::all_of(accesses, [&](const program::Access& access) {
      return !access.write || access.item == static_cast<int64_t>(unit);
    });
  }

  static void AddDependences(const program::AccessMap& accesses, OrderProblem& problem) {
    const program::Dependences dependences(accesses, problem.before.size());
    for (size_t unit = 0; unit < problem.before.size(); ++unit) {
      for (const size_t after : dependences.after()[unit]) problem.before[after].push_back(unit);
    }
    for (std::vector<size_t>& before : problem.before) {
      std::ranges::sort(before);
      before.erase(std::ranges::unique(before).begin(), before.end());
    }
  }

  program::Program& program_;
  const Scopes scopes_;
  int64_t looks_left_ = kMaxLooksForOrders;
  bool has_moved_ = false;
};

}  // namespace

bool OrderSteps(program::Program& program) { return StepOrderer(program).Run(); }

}  // namespace weft::plan
