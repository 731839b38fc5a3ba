// SPDX-License-Identifier: Apache-2.0
// Occupied addresses over time, as rectangles of time and address. Finds the lowest gap that is
// free over given ranges of time without visiting every rectangle.
//
// A binary tree bisects the address range. A rectangle is stored at the nodes whose address range
// it covers completely. Each node summarises its subtree by two short lists of times: when all of
// its range is certainly occupied, and when any of it may be. A search descends only where neither
// list decides.
#ifndef WEFT_CONVERTER_PLAN_OCCUPANCY_H_
#define WEFT_CONVERTER_PLAN_OCCUPANCY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "converter/plan/problem.h"

namespace weft::plan {

// Occupied rectangles of time and address. Addresses begin at 0.
class Occupancy {
 public:
  Occupancy() : nodes_(1) {}

  // Returns the lowest multiple of `alignment` from which `length` addresses are free over all of
  // `ranges`, none of which is empty. `length` and `alignment` are at least 1.
  int64_t LowestGap(std::span<const TimeRange> ranges, int64_t length, int64_t alignment = 1) const;

  // Occupies [begin, begin + length) over `range`, which is not empty.
  void Take(TimeRange range, int64_t begin, int64_t length);

  // Number of nodes that searches have visited so far, for tests of their cost.
  int64_t visits() const { return visits_; }

 private:
  static constexpr uint32_t kNothing = 0xFFFFFFFFu;
  struct Node {
    // Occupied over the complete node: end by begin, with time between any two.
    std::map<int64_t, int64_t> own;
    std::vector<TimeRange> own_longest, full, busy;
    uint32_t low = kNothing, high = kNothing;  // children
  };

  struct Search {
    std::span<const TimeRange> ranges;
    int64_t length, alignment;
    int64_t gap;  // begin of the run of free addresses that reaches the present node
  };

  // Returns true if the gap is found inside the node.
  bool Find(Search& search, uint32_t node, int64_t begin, int64_t size) const;
  void Insert(TimeRange range, int64_t from, int64_t to, uint32_t node, int64_t begin,
              int64_t size);
  static void AddOwn(Node& node, TimeRange range);
  void SumUp(uint32_t node);
  uint32_t NewNode();
  uint32_t ChildOf(uint32_t node, uint32_t Node::*side);  // made on the first use

  std::vector<Node> nodes_;
  uint32_t root_ = 0;
  int64_t size_ = 1;  // addresses below the root, a power of two
  mutable int64_t visits_ = 0;
};

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_OCCUPANCY_H_
