// SPDX-License-Identifier: Apache-2.0
#include "converter/program/schedule.h"

#include <algorithm>
#include <vector>

#include "converter/program/units.h"

namespace weft::program {

namespace {

// Adds arcs from every reader of `old` to the first writer of `fresh`, unless one closes a cycle.
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

}  // namespace

void OrderReadersFirst(Program& program, BlockId block,
                       std::span<const std::pair<ValueId, ValueId>> pairs) {
  const std::vector<Unit> units = UnitsOf(program, block);
  const AccessMap accesses = AccessesOf(program, block, units);
  Dependences dependences(accesses, units.size());
  for (const auto& [old, fresh] : pairs) ServePair(program, accesses, old, fresh, dependences);
  Reorder(program.blocks[block], units, dependences.Order());
}

}  // namespace weft::program
