// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/regions.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "converter/plan/arena.h"
#include "converter/plan/occupancy.h"

namespace weft::plan {
namespace {

class Traffic {
 public:
  explicit Traffic(const Program& program) : program_(program) { Visit(program.main, 1); }

  double Of(ValueId root) const {
    const auto found = bytes_.find(root);
    return found == bytes_.end() ? 0 : found->second;
  }

 private:
  void Touch(ValueId value, double times) {
    if (value == kNone) return;
    const auto bytes = static_cast<double>(program_.values[value].bytes);
    bytes_[Resolve(program_, value).root] += times * bytes;
  }

  void Visit(BlockId block, double times) {
    for (const Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<Step>(&item)) {
        for (const ValueId input : step->inputs) Touch(input, times);
        for (const ValueId output : step->outputs) Touch(output, times);
      } else {
        Visit(program_.sections[std::get<SectionEntry>(item).section], times);
      }
    }
  }

  void Visit(const Section& section, double times) {
    const int64_t trips = section.trip_count < 0 ? section.max_trips
                                                 : std::min(section.trip_count, section.max_trips);
    const double rounds = times * static_cast<double>(trips);
    const double rounds_of_copy = rounds / static_cast<double>(section.copies.size());
    for (const ValueId each : {section.trip, section.first_condition, section.length}) {
      Touch(each, times);
    }
    for (const ValueId each : {section.body_condition, section.iteration}) Touch(each, rounds);
    for (const BlockId copy : section.copies) Visit(copy, rounds_of_copy);
    for (const BlockId settle : section.settles) Visit(settle, times);
  }

  const Program& program_;
  std::map<ValueId, double> bytes_;
};

// Places one interval after the other at the lowest gap that is free over its life, or in the slow
// memory where no gap ends in time.
class FastMemory {
 public:
  FastMemory(std::span<const Interval> intervals, int64_t capacity_bytes, int64_t alignment_bytes)
      : intervals_(intervals), capacity_(capacity_bytes), alignment_(alignment_bytes) {
    placed_.is_fast.assign(intervals.size(), false);
    placed_.offsets.assign(intervals.size(), 0);
  }

  void Place(size_t index) {
    const Interval& interval = intervals_[index];
    const int64_t bytes = (interval.bytes + alignment_ - 1) / alignment_ * alignment_;
    const TimeSpan span{interval.first, interval.last};
    const int64_t units = bytes / alignment_;
    const int64_t place = units == 0 ? 0 : occupancy_.LowestGap(span, units);
    if (place * alignment_ + bytes > capacity_) return;
    if (units != 0) occupancy_.Take(span, place, units);
    placed_.is_fast[index] = true;
    placed_.offsets[index] = place * alignment_;
    placed_.fast_bytes = std::max(placed_.fast_bytes, placed_.offsets[index] + bytes);
  }

  const TwoArenas& placed() const { return placed_; }

 private:
  const std::span<const Interval> intervals_;
  const int64_t capacity_, alignment_;
  Occupancy occupancy_;  // in units of the alignment
  TwoArenas placed_;
};

}  // namespace

std::vector<double> TrafficOf(const Program& program, std::span<const Interval> intervals) {
  const Traffic traffic(program);
  std::vector<double> bytes;
  for (const Interval& interval : intervals) bytes.push_back(traffic.Of(interval.root));
  return bytes;
}

TwoArenas PlaceInTwo(std::span<const Interval> intervals, std::span<const double> traffic,
                     int64_t fast_capacity_bytes, int64_t alignment_bytes) {
  std::vector<size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto density = [&](size_t i) {
    return traffic[i] / static_cast<double>(std::max<int64_t>(1, intervals[i].bytes));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return density(a) > density(b); });
  FastMemory fast(intervals, fast_capacity_bytes, alignment_bytes);
  for (const size_t index : order) fast.Place(index);
  TwoArenas both = fast.placed();

  std::vector<Interval> others;
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (!both.is_fast[i]) others.push_back(intervals[i]);
  }
  const Arena slow = PlaceGreedily(others, alignment_bytes);
  both.slow_bytes = slow.bytes;
  size_t next = 0;
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (!both.is_fast[i]) both.offsets[i] = slow.offsets[next++];
  }
  return both;
}

}  // namespace weft::plan
