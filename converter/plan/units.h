// SPDX-License-Identifier: Apache-2.0
// What of a block moves as one when it is put into another order, and what has to come before what.
#ifndef WEFT_CONVERTER_PLAN_UNITS_H_
#define WEFT_CONVERTER_PLAN_UNITS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/program/block_access.h"
#include "converter/program/program.h"

namespace weft::plan {

// Items [begin, end) of a block: one of them, or the two branches of an If, which stay side by
// side: by that the validator knows that exactly one of them runs.
struct Unit {
  size_t begin = 0, end = 0;
};

std::vector<Unit> UnitsOf(const Program& program, BlockId block);

// The accesses of a block, whose items are units now.
AccessMap AccessesOf(const Program& program, BlockId block, std::span<const Unit> units);

// Puts the units into `order`, which names each of them once.
void Reorder(Block& block, std::span<const Unit> units, std::span<const size_t> order);

// Two units that touch common bytes, one of them writing, keep their order.
class Dependences {
 public:
  Dependences(const AccessMap& accesses, size_t unit_count);

  // The units that must come after `from`, and itself.
  std::vector<bool> ReachedFrom(size_t from) const;
  void Add(size_t before, size_t after) { after_[before].push_back(after); }
  // By unit; a unit may be named more than once.
  const std::vector<std::vector<size_t>>& after() const { return after_; }
  // Smallest original index first, so that nothing moves without need.
  std::vector<size_t> Order() const;

 private:
  void AddConflict(const Access& a, const Access& b);
  void AddConflicts(const std::vector<Access>& list);
  void AddConflictsAlong(std::vector<const Access*> by_begin);

  std::vector<std::vector<size_t>> after_;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_UNITS_H_
