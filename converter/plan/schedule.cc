// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/schedule.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "converter/program/block_access.h"

namespace weft::plan {

namespace {

class Dependences {
 public:
  // The items of `accesses` are units.
  Dependences(const AccessMap& accesses, size_t unit_count) : after_(unit_count) {
    for (const auto& [root, list] : accesses) AddConflicts(list);
  }

  // The items that must come after `from`, and itself.
  std::vector<bool> ReachedFrom(size_t from) const {
    std::vector<bool> seen(after_.size());
    std::vector<size_t> stack = {from};
    while (!stack.empty()) {
      const size_t item = stack.back();
      stack.pop_back();
      if (seen[item]) continue;
      seen[item] = true;
      stack.insert(stack.end(), after_[item].begin(), after_[item].end());
    }
    return seen;
  }

  void Add(size_t before, size_t after) { after_[before].push_back(after); }

  // Smallest original index first, so that nothing moves without need.
  std::vector<size_t> Order() const {
    std::vector<size_t> waiting(after_.size());
    for (const auto& list : after_) {
      for (const size_t item : list) ++waiting[item];
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t item = 0; item < waiting.size(); ++item) {
      if (waiting[item] == 0) ready.push(item);
    }
    std::vector<size_t> order;
    while (!ready.empty()) {
      const size_t item = ready.top();
      ready.pop();
      order.push_back(item);
      for (const size_t next : after_[item]) {
        if (--waiting[next] == 0) ready.push(next);
      }
    }
    return order;
  }

 private:
  void AddConflict(const Access& a, const Access& b) {
    if (a.item == b.item || (!a.write && !b.write) || !Overlap(a, b)) return;
    const auto [first, second] = std::minmax(a.item, b.item);
    if (first < 0 || second == kAfterRun) return;
    Add(static_cast<size_t>(first), static_cast<size_t>(second));
  }

  void AddConflicts(const std::vector<Access>& list) {
    std::vector<const Access*> by_begin, writes;
    for (const Access& access : list) {
      by_begin.push_back(&access);
      if (access.write) writes.push_back(&access);
    }
    if (writes.empty()) return;
    const bool alike = std::all_of(list.begin(), list.end(), [&](const Access& access) {
      return access.moves == list.front().moves;
    });
    if (alike) return AddConflictsAlong(std::move(by_begin));
    for (const Access* write : writes) {
      for (const Access& other : list) {
        // Two writes meet twice.
        if (!other.write || write < &other) AddConflict(*write, other);
      }
    }
  }

  // Of accesses that move alike: walks along the bytes and keeps those that reach so far.
  void AddConflictsAlong(std::vector<const Access*> by_begin) {
    std::stable_sort(by_begin.begin(), by_begin.end(), [](const Access* a, const Access* b) {
      return a->begin_bytes < b->begin_bytes;
    });
    using Open = std::multimap<int64_t, const Access*>;  // by end
    Open reads, writes;
    const auto meet = [&](Open& open, const Access& access) {
      open.erase(open.begin(), open.upper_bound(access.begin_bytes));
      for (const auto& [end, other] : open) AddConflict(*other, access);
    };
    for (const Access* access : by_begin) {
      meet(writes, *access);
      if (access->write) meet(reads, *access);
      (access->write ? writes : reads).emplace(access->end_bytes, access);
    }
  }

  std::vector<std::vector<size_t>> after_;
};

// Arcs from every reader of `old` to the first writer of `fresh`, unless one would close a cycle.
void ServePair(const Program& program, const AccessMap& accesses, ValueId old, ValueId fresh,
               Dependences& dependences) {
  const auto readers = accesses.find(Resolve(program, old).root);
  const auto writers = accesses.find(Resolve(program, fresh).root);
  if (readers == accesses.end() || writers == accesses.end()) return;
  int64_t writer = kAfterRun;
  for (const Access& access : writers->second) {
    if (access.write) writer = std::min(writer, access.item);
  }
  if (writer == kAfterRun || writer < 0) return;
  const auto target = static_cast<size_t>(writer);
  const std::vector<bool> later = dependences.ReachedFrom(target);
  for (const Access& access : readers->second) {
    if (access.write || access.item == writer || access.item < 0 || access.item == kAfterRun)
      continue;
    if (later[static_cast<size_t>(access.item)]) return;
  }
  for (const Access& access : readers->second) {
    if (access.write || access.item == writer || access.item < 0 || access.item == kAfterRun)
      continue;
    dependences.Add(static_cast<size_t>(access.item), target);
  }
}

bool AreBranchesOfOneIf(const Program& program, const Item& first, const Item& second) {
  const auto* a = std::get_if<SectionEntry>(&first);
  const auto* b = std::get_if<SectionEntry>(&second);
  if (a == nullptr || b == nullptr) return false;
  const Section& one = program.sections[a->section];
  const Section& other = program.sections[b->section];
  return one.first_condition != kNone && one.first_condition == other.first_condition &&
         one.runs_when != other.runs_when && one.trip_count == 1 && other.trip_count == 1;
}

// Runs of items that move as one: the two branches of an If stay side by side, by which the
// validator knows that exactly one of them runs.
std::vector<std::vector<Item>> UnitsOf(const Program& program, std::vector<Item> items) {
  std::vector<std::vector<Item>> units;
  for (Item& item : items) {
    const bool joins = !units.empty() && units.back().size() == 1 &&
                       AreBranchesOfOneIf(program, units.back().front(), item);
    if (!joins) units.emplace_back();
    units.back().push_back(std::move(item));
  }
  return units;
}

// Numbers the accesses by unit.
void NumberByUnit(const std::vector<std::vector<Item>>& units, AccessMap& accesses) {
  std::vector<int64_t> unit_of;
  for (size_t unit = 0; unit < units.size(); ++unit) {
    unit_of.insert(unit_of.end(), units[unit].size(), static_cast<int64_t>(unit));
  }
  for (auto& [root, list] : accesses) {
    for (Access& access : list) {
      if (access.item != kBeforeRun && access.item != kAfterRun)
        access.item = unit_of[static_cast<size_t>(access.item)];
    }
  }
}

}  // namespace

void OrderReadersFirst(Program& program, BlockId block,
                       std::span<const std::pair<ValueId, ValueId>> pairs) {
  AccessMap accesses = CollectAccesses(program, block);
  std::vector<Item>& items = program.blocks[block].items;
  std::vector<std::vector<Item>> units = UnitsOf(program, std::move(items));
  NumberByUnit(units, accesses);
  Dependences dependences(accesses, units.size());
  for (const auto& [old, fresh] : pairs) ServePair(program, accesses, old, fresh, dependences);
  items.clear();
  for (const size_t unit : dependences.Order()) {
    for (Item& item : units[unit]) items.push_back(std::move(item));
  }
}

}  // namespace weft::plan
