// SPDX-License-Identifier: Apache-2.0
// Searches for a placement within a capacity, or for the proof that there is none.
//
// Every placement can be pushed down until no buffer can sink further; then each lies at the lowest
// offset that those which begin below it leave. So it is enough to put one buffer after the other,
// each at its lowest offset, in an order in which the offsets never fall, depth first. Left out are
//   - orders that pass by a space in which a remaining buffer fits (it would sink into it),
//   - orders that differ only in which of two buffers of equal offset comes first,
//   - all that goes on from where, at some moment, the buffers that are live and not yet put would
//     end beyond the capacity if they were stacked from their lowest offsets.
// Parts that no remaining buffer connects are solved by themselves; where one of them has no
// placement, the others are not looked at again.
//
// There are two searches over that space. Refute visits all of it, and so can tell that nothing
// fits. Find looks for a placement alone: when it fails it goes back to the last decision that
// had a part in the failure, and it begins anew after some thousand nodes, with those first (of
// equal offsets) that were in the way. That may skip a placement, but not accept a wrong one.
//
// Work is counted in nodes, buffers put, and never in time: the result is the same on all machines.
#ifndef WEFT_CONVERTER_PLAN_SEARCH_H_
#define WEFT_CONVERTER_PLAN_SEARCH_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/plan/search_space.h"

namespace weft::plan {

enum class Result : uint8_t { kFits, kDoesNotFit, kOutOfNodes };

class Search {
 public:
  explicit Search(const SearchSpace& space);

  // Either adds to *nodes what it took, at most `most_nodes`, and one more at its end.
  // Find never says kDoesNotFit.
  Result Find(int64_t capacity_bytes, int64_t most_nodes, int64_t* nodes);
  Result Refute(int64_t capacity_bytes, int64_t most_nodes, int64_t* nodes);

  // Of the last call, which said kFits.
  std::vector<int64_t> OffsetsBytes() const;

 private:
  using Order = std::array<TieKey, 3>;  // by the first, of equals by the second, and so on
  // A set of items.
  using Set = std::vector<uint64_t>;
  struct Undo {
    int32_t item;
    int32_t offset, raised_by;  // as they were; offset is -1 for an item that was put
  };
  // Where the descent stands: no offset below `floor` any more, and none at it below `rank`, both
  // of the item `last` that was put.
  struct State {
    int32_t floor = 0, rank = -1, last = -1;
  };

  Result Descend(int64_t capacity_bytes, int64_t most_nodes, int64_t* nodes);
  void SetRanks(const Order& order, bool by_weight);
  void Sort(std::vector<int32_t>& open) const;
  bool Solve(const std::vector<int32_t>& open, const State& state);
  bool SolvePart(const std::vector<int32_t>& open, const State& state);
  bool SolveParts(const std::vector<int32_t>& open, const State& state);
  bool TryNext(const std::vector<int32_t>& open, int32_t next, std::vector<int32_t>& rest);
  std::vector<int32_t> CutsOf(const std::vector<int32_t>& open);
  SearchSpace::Sections HullOf(const std::vector<int32_t>& open) const;
  bool Put(int32_t item);
  void TakeBack(size_t mark);
  bool MayFit(const std::vector<int32_t>& open, int32_t floor);

  // Why the last attempt failed: the items that were put and had a part in it.
  void BlameSection(int32_t section);
  void BlameAround(int32_t item);
  void AddBlame(Set& set) const;

  const SearchSpace& space_;
  const std::vector<SearchSpace::Item>& items_;
  std::vector<Set> live_in_;  // by section

  bool goes_back_far_ = false;
  int32_t capacity_ = 0;
  int64_t nodes_left_ = 0;
  std::vector<int32_t> rank_, offset_, raised_by_;
  std::vector<double> weight_;  // how often an item was in the way
  Set put_, blame_;
  std::vector<Undo> undo_;
  std::vector<int32_t> ends_;    // by section, of MayFit
  std::vector<int32_t> across_;  // by section, of CutsOf
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SEARCH_H_
