// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/schedule.h"

#include <algorithm>
#include <queue>
#include <vector>

#include "converter/plan/block_access.h"

namespace weft::plan {

namespace {

class Dependences {
 public:
  Dependences(const AccessMap& accesses, size_t item_count) : after_(item_count) {
    for (const auto& [root, list] : accesses) AddConflicts(list);
  }

  bool Reaches(size_t from, size_t to) const {
    std::vector<bool> seen(after_.size());
    std::vector<size_t> stack = {from};
    while (!stack.empty()) {
      const size_t item = stack.back();
      stack.pop_back();
      if (item == to) return true;
      if (seen[item]) continue;
      seen[item] = true;
      stack.insert(stack.end(), after_[item].begin(), after_[item].end());
    }
    return false;
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
  void AddConflicts(const std::vector<Access>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      for (size_t k = i + 1; k < list.size(); ++k) {
        if (list[i].item == list[k].item || (!list[i].write && !list[k].write)) continue;
        if (!Overlap(list[i], list[k])) continue;
        const auto [first, second] = std::minmax(list[i].item, list[k].item);
        if (first < 0 || second == kAfterRun) continue;
        Add(static_cast<size_t>(first), static_cast<size_t>(second));
      }
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
  for (const Access& access : readers->second) {
    if (access.write || access.item == writer || access.item < 0 || access.item == kAfterRun)
      continue;
    if (dependences.Reaches(target, static_cast<size_t>(access.item))) return;
  }
  for (const Access& access : readers->second) {
    if (access.write || access.item == writer || access.item < 0 || access.item == kAfterRun)
      continue;
    dependences.Add(static_cast<size_t>(access.item), target);
  }
}

}  // namespace

void OrderReadersFirst(Program& program, BlockId block,
                       std::span<const std::pair<ValueId, ValueId>> pairs) {
  const AccessMap accesses = CollectAccesses(program, block);
  std::vector<Item>& items = program.blocks[block].items;
  Dependences dependences(accesses, items.size());
  for (const auto& [old, fresh] : pairs) ServePair(program, accesses, old, fresh, dependences);
  std::vector<Item> ordered;
  for (const size_t item : dependences.Order()) ordered.push_back(std::move(items[item]));
  items = std::move(ordered);
}

}  // namespace weft::plan
