// SPDX-License-Identifier: Apache-2.0
// Units of a block that move together when the block is reordered, and the dependences between
// them.
#ifndef WEFT_CONVERTER_PROGRAM_UNITS_H_
#define WEFT_CONVERTER_PROGRAM_UNITS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/program/block_access.h"
#include "converter/program/program.h"

namespace weft::program {

// Items [begin, end) of a block: one item, or the two branches of an If. The branches stay
// adjacent, because the validator derives from this that exactly one of them runs.
struct Unit {
  size_t begin = 0, end = 0;
};

std::vector<Unit> UnitsOf(const Program& program, BlockId block);

// Returns the accesses of a block, with unit indices instead of item indices.
AccessMap AccessesOf(const Program& program, BlockId block, std::span<const Unit> units);

// Puts the units into `order`, a permutation of their indices.
void Reorder(Block& block, std::span<const Unit> units, std::span<const size_t> order);

// Dependences between units: two units that access common bytes keep their order if one of them
// writes.
class Dependences {
 public:
  Dependences(const AccessMap& accesses, size_t unit_count);

  // Returns the units that must come after `from`, including `from`.
  std::vector<bool> ReachedFrom(size_t from) const;
  // Adds the dependence that `after` comes after `before`.
  void Add(size_t before, size_t after) { after_[before].push_back(after); }
  // By unit, the units that must come later; an entry may be listed more than once.
  const std::vector<std::vector<size_t>>& after() const { return after_; }
  // Returns an order of the units that keeps all dependences. The smallest original index comes
  // first, so that units only move if necessary.
  std::vector<size_t> Order() const;

 private:
  void AddConflict(const Access& a, const Access& b);
  void AddConflicts(const std::vector<Access>& list);
  void AddConflictsAlong(std::vector<const Access*> by_begin);

  std::vector<std::vector<size_t>> after_;
};

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_UNITS_H_
