// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/regions.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "converter/plan/arena.h"

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
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const size_t other : inside_) {
      const bool meets = intervals_[other].last >= intervals_[index].first &&
                         intervals_[index].last >= intervals_[other].first;
      if (meets) taken.emplace_back(placed_.offsets[other], End(other));
    }
    std::sort(taken.begin(), taken.end());
    int64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (offset + Rounded(index) <= begin) break;
      offset = std::max(offset, end);
    }
    if (offset + Rounded(index) > capacity_) return;
    placed_.is_fast[index] = true;
    placed_.offsets[index] = offset;
    placed_.fast_bytes = std::max(placed_.fast_bytes, End(index));
    inside_.push_back(index);
  }

  const TwoArenas& placed() const { return placed_; }

 private:
  int64_t Rounded(size_t index) const {
    return (intervals_[index].bytes + alignment_ - 1) / alignment_ * alignment_;
  }
  int64_t End(size_t index) const { return placed_.offsets[index] + Rounded(index); }

  const std::span<const Interval> intervals_;
  const int64_t capacity_, alignment_;
  std::vector<size_t> inside_;
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
