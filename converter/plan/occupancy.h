// SPDX-License-Identifier: Apache-2.0
// Which addresses are taken when: rectangles of time and address. Answers where the lowest gap lies
// that is free over some ranges of time, without asking every rectangle.
//
// A binary tree halves the addresses. A rectangle is kept at the nodes whose addresses it covers
// whole. Each node sums up what lies below it by two short lists of times: when surely all of it is
// taken, and when any of it may be. A search descends only where neither list decides.
#ifndef WEFT_CONVERTER_PLAN_OCCUPANCY_H_
#define WEFT_CONVERTER_PLAN_OCCUPANCY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

class Occupancy {
 public:
  Occupancy() : nodes_(1) {}

  // The lowest multiple of `alignment` from which `length` addresses are free over all of `ranges`,
  // none of which is empty; `length` and `alignment` are at least 1.
  int64_t LowestGap(std::span<const TimeRange> ranges, int64_t length, int64_t alignment = 1) const;

  // Takes [begin, begin + length) over `range`, which is not empty.
  void Take(TimeRange range, int64_t begin, int64_t length);

  // Nodes that searches have visited so far, for tests of their cost.
  int64_t visits() const { return visits_; }

 private:
  static constexpr uint32_t kNothing = 0xFFFFFFFFu;
  struct Node {
    // Taken over the whole node: end by begin, with time between any two.
    std::map<int64_t, int64_t> own;
    std::vector<TimeRange> own_longest, full, busy;
    uint32_t low = kNothing, high = kNothing;  // children
  };

  struct Search {
    std::span<const TimeRange> ranges;
    int64_t length, alignment;
    int64_t gap;  // where the run of free addresses that reaches the present node begins
  };

  // True when the gap is found inside.
  bool Find(Search& search, uint32_t node, int64_t begin, int64_t size) const;
  void Insert(TimeRange range, int64_t from, int64_t to, uint32_t node, int64_t begin,
              int64_t size);
  static void AddOwn(Node& node, TimeRange range);
  void SumUp(uint32_t node);
  uint32_t NewNode();
  uint32_t LowOf(uint32_t node);
  uint32_t HighOf(uint32_t node);

  std::vector<Node> nodes_;
  uint32_t root_ = 0;
  int64_t size_ = 1;  // addresses below the root, a power of two
  mutable int64_t visits_ = 0;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_OCCUPANCY_H_
