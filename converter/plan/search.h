// SPDX-License-Identifier: Apache-2.0
// Searches for a placement within a capacity, or for the proof that there is none.
//
// Every placement can be pushed down until no buffer can sink further. Then each buffer has the
// lowest offset that the buffers which begin below it allow. So the search puts one buffer after
// the other, each at its lowest offset, in orders of non-decreasing offset, depth first. Pruned are
//   - orders that skip a space in which a remaining buffer fits (it would sink into it),
//   - orders that differ only in which of two buffers of equal offset comes first,
//   - all continuations for which, at some moment, the live buffers not yet put would end beyond
//     the capacity if they were stacked from their lowest offsets.
// Independent parts of the remaining buffers are solved separately. If one part has no placement,
// the other parts are not searched again.
//
// There are two searches over that space. Refute visits the complete space, and so can prove that
// nothing fits. Find only searches for a placement: after a failure it returns to the last decision
// that contributed to the failure. After some thousand nodes it restarts, with those buffers first
// (among equal offsets) that caused failures. Find may miss a placement, but never accepts an
// invalid one.
//
// Work is counted in nodes (buffers put) and never in time: results are equal on all machines.
#ifndef WEFT_CONVERTER_PLAN_SEARCH_H_
#define WEFT_CONVERTER_PLAN_SEARCH_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "converter/plan/search_space.h"

namespace weft::plan {

// Result of a search: placement found, proved impossible, or undecided within the node limit.
enum class Result : uint8_t { kFits, kDoesNotFit, kOutOfNodes };

// Searches in one space, which must outlive the Search.
class Search {
 public:
  explicit Search(const SearchSpace& space);

  // Both add the nodes that they visit to *nodes: at most `max_nodes`, and one more at the end.
  // Find never returns kDoesNotFit.
  Result Find(int64_t capacity_bytes, int64_t max_nodes, int64_t* nodes);
  Result Refute(int64_t capacity_bytes, int64_t max_nodes, int64_t* nodes);

  // Returns the offsets that the last call found; it must have returned kFits.
  std::vector<int64_t> OffsetsBytes() const;

 private:
  using Order = std::array<TieKey, 3>;  // sorted by the first key, then the second, then the third
  // A set of items.
  using Set = std::vector<uint64_t>;
  struct Undo {
    int32_t item;
    int32_t offset, raised_by;  // the previous values; offset is -1 for an item that was put
  };
  // Position of the descent: no later item has an offset below `floor`, or is at `floor` with a
  // lower rank than `rank`. Both are values of `last`, the item put last.
  struct State {
    int32_t floor = 0, rank = -1, last = -1;
  };

  Result Descend(int64_t capacity_bytes, int64_t max_nodes, int64_t* nodes);
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

  // Records why the last attempt failed: the items already put that contributed to the failure.
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
  std::vector<double> weight_;  // how often an item contributed to a failure
  Set put_, blame_;
  std::vector<Undo> undo_;
  std::vector<int32_t> ends_;    // by section, used by MayFit
  std::vector<int32_t> across_;  // by section, used by CutsOf
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_SEARCH_H_
