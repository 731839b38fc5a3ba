// SPDX-License-Identifier: Apache-2.0
#include "converter/program/units.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace weft::program {

namespace {

bool AreBranchesOfOneIf(const Program& program, const Item& first, const Item& second) {
  const auto* a = std::get_if<SectionEntry>(&first);
  const auto* b = std::get_if<SectionEntry>(&second);
  if (a == nullptr || b == nullptr) return false;
  const Section& one = program.sections[a->section];
  const Section& other = program.sections[b->section];
  return one.first_condition != kNone && one.first_condition == other.first_condition &&
         one.runs_when != other.runs_when && one.trip_count == 1 && other.trip_count == 1;
}

}  // namespace

std::vector<Unit> UnitsOf(const Program& program, BlockId block) {
  const std::vector<Item>& items = program.blocks[block].items;
  std::vector<Unit> units;
  for (size_t item = 0; item < items.size(); ++item) {
    const bool joins = !units.empty() && units.back().end - units.back().begin == 1 &&
                       AreBranchesOfOneIf(program, items[item - 1], items[item]);
    if (!joins) units.push_back({item, item});
    units.back().end = item + 1;
  }
  return units;
}

AccessMap AccessesOf(const Program& program, BlockId block, std::span<const Unit> units) {
  AccessMap accesses = CollectAccesses(program, block);
  std::vector<int64_t> unit_of;
  for (size_t unit = 0; unit < units.size(); ++unit) {
    unit_of.insert(unit_of.end(), units[unit].end - units[unit].begin, static_cast<int64_t>(unit));
  }
  for (auto& [root, list] : accesses) {
    for (Access& access : list) {
      if (access.item != kBeforeRun && access.item != kAfterRun)
        access.item = unit_of[static_cast<size_t>(access.item)];
    }
  }
  return accesses;
}

void Reorder(Block& block, std::span<const Unit> units, std::span<const size_t> order) {
  std::vector<Item> items = std::move(block.items);
  block.items.clear();
  for (const size_t unit : order) {
    for (size_t item = units[unit].begin; item < units[unit].end; ++item) {
      block.items.push_back(std::move(items[item]));
    }
  }
}

Dependences::Dependences(const AccessMap& accesses, size_t unit_count) : after_(unit_count) {
  for (const auto& [root, list] : accesses) AddConflicts(list);
}

std::vector<bool> Dependences::ReachedFrom(size_t from) const {
  std::vector<bool> seen(after_.size());
  std::vector<size_t> stack = {from};
  while (!stack.empty()) {
    const size_t unit = stack.back();
    stack.pop_back();
    if (seen[unit]) continue;
    seen[unit] = true;
    stack.insert(stack.end(), after_[unit].begin(), after_[unit].end());
  }
  return seen;
}

std::vector<size_t> Dependences::Order() const {
  std::vector<size_t> waiting(after_.size());
  for (const auto& list : after_) {
    for (const size_t unit : list) ++waiting[unit];
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t unit = 0; unit < waiting.size(); ++unit) {
    if (waiting[unit] == 0) ready.push(unit);
  }
  std::vector<size_t> order;
  while (!ready.empty()) {
    const size_t unit = ready.top();
    ready.pop();
    order.push_back(unit);
    for (const size_t next : after_[unit]) {
      if (--waiting[next] == 0) ready.push(next);
    }
  }
  return order;
}

void Dependences::AddConflict(const Access& a, const Access& b) {
  if (a.item == b.item || (!a.write && !b.write) || !Overlap(a, b)) return;
  const auto [first, second] = std::minmax(a.item, b.item);
  if (first < 0 || second == kAfterRun) return;
  Add(static_cast<size_t>(first), static_cast<size_t>(second));
}

void Dependences::AddConflicts(const std::vector<Access>& list) {
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
      // Each pair of writes would be visited twice.
      if (!other.write || write < &other) AddConflict(*write, other);
    }
  }
}

// For accesses with equal moves: sweeps over the bytes, keeping the accesses that reach the current
// byte.
void Dependences::AddConflictsAlong(std::vector<const Access*> by_begin) {
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

}  // namespace weft::program
