// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/arena.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "converter/plan/occupancy.h"

namespace weft::plan {

namespace {

int64_t RoundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

int64_t PeakOfLiveBytes(std::span<const Interval> intervals, int64_t alignment) {
  std::map<int64_t, int64_t> change;  // by time
  for (const Interval& interval : intervals) {
    change[interval.first] += RoundUp(interval.bytes, alignment);
    change[interval.last + 1] -= RoundUp(interval.bytes, alignment);
  }
  int64_t live = 0, peak = 0;
  for (const auto& [time, bytes] : change) {
    live += bytes;
    peak = std::max(peak, live);
  }
  return peak;
}

// Places one interval after the other, each at the lowest gap that is free over its life.
Arena PlaceInOrder(std::span<const Interval> intervals, std::span<const size_t> order,
                   int64_t alignment) {
  Arena arena;
  arena.offsets.assign(intervals.size(), 0);
  Occupancy occupancy;  // in units of the alignment
  for (const size_t index : order) {
    const Interval& interval = intervals[index];
    const int64_t bytes = RoundUp(interval.bytes, alignment);
    if (bytes == 0) continue;
    const TimeSpan span{interval.first, interval.last};
    const int64_t place = occupancy.LowestGap(span, bytes / alignment);
    occupancy.Take(span, place, bytes / alignment);
    arena.offsets[index] = place * alignment;
    arena.bytes = std::max(arena.bytes, arena.offsets[index] + bytes);
  }
  return arena;
}

}  // namespace

Arena PlaceGreedily(std::span<const Interval> intervals, int64_t alignment_bytes) {
  const int64_t bound = PeakOfLiveBytes(intervals, alignment_bytes);
  using Key = std::function<int64_t(const Interval&)>;
  const Key keys[] = {
      [](const Interval& i) { return -i.bytes; },
      [](const Interval& i) { return i.first - i.last; },
      [](const Interval& i) { return -i.bytes * (i.last - i.first + 1); },
      [](const Interval& i) { return i.first; },
      [](const Interval& i) { return -i.last; },
  };
  Arena best;
  best.bytes = INT64_MAX;
  for (const Key& key : keys) {
    std::vector<size_t> order(intervals.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(key(intervals[a]), -intervals[a].bytes) <
             std::pair(key(intervals[b]), -intervals[b].bytes);
    });
    Arena arena = PlaceInOrder(intervals, order, alignment_bytes);
    if (arena.bytes < best.bytes) best = std::move(arena);
    if (best.bytes == bound) break;
  }
  best.bound_bytes = bound;
  return best;
}

}  // namespace weft::plan
