// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/occupancy.h"

#include <algorithm>
#include <iterator>

#include "converter/base/narrow.h"

namespace weft::plan {
namespace {

// Maximum length of the lists of a node. Longer lists decide more searches but are slower.
constexpr size_t kMaxRanges = 16;

bool Overlaps(const TimeRange& a, const TimeRange& b) { return a.begin < b.end && b.begin < a.end; }

bool Overlaps(const std::vector<TimeRange>& taken, const TimeRange& range) {
  return std::any_of(taken.begin(), taken.end(),
                     [&](const TimeRange& each) { return Overlaps(each, range); });
}

// `taken` maps begins to ends.
bool Overlaps(const std::map<int64_t, int64_t>& taken, const TimeRange& range) {
  const auto after = taken.lower_bound(range.end);
  return after != taken.begin() && std::prev(after)->second > range.begin;
}

template <typename Taken>
bool OverlapsAny(const Taken& taken, std::span<const TimeRange> ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const TimeRange& range) { return Overlaps(taken, range); });
}

int64_t LengthOf(const TimeRange& range) { return range.end - range.begin; }

// Drops the shortest ranges beyond the limit: the list must only hold times that are occupied.
void KeepLongest(std::vector<TimeRange>& ranges) {
  if (ranges.size() <= kMaxRanges) return;
  std::nth_element(
      ranges.begin(), ranges.begin() + kMaxRanges, ranges.end(),
      [](const TimeRange& a, const TimeRange& b) { return LengthOf(a) > LengthOf(b); });
  ranges.resize(kMaxRanges);
}

// Adds a range to a sorted list of disjoint ranges. If the list grows too long, the two ranges with
// the shortest time between them are merged: the list must cover all times that are in use.
void AddBusy(std::vector<TimeRange>& ranges, TimeRange range) {
  auto first =
      std::lower_bound(ranges.begin(), ranges.end(), range.begin,
                       [](const TimeRange& each, int64_t time) { return each.end < time; });
  auto end = first;
  for (; end != ranges.end() && end->begin <= range.end; ++end) {
    range.begin = std::min(range.begin, end->begin);
    range.end = std::max(range.end, end->end);
  }
  first = ranges.erase(first, end);
  ranges.insert(first, range);
  if (ranges.size() <= kMaxRanges) return;
  size_t narrowest = 1;
  const auto room = [&](size_t i) { return ranges[i].begin - ranges[i - 1].end; };
  for (size_t i = 2; i < ranges.size(); ++i) {
    if (room(i) < room(narrowest)) narrowest = i;
  }
  ranges[narrowest - 1].end = ranges[narrowest].end;
  ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(narrowest));
}

}  // namespace

uint32_t Occupancy::NewNode() {
  nodes_.emplace_back();
  return Narrow32(nodes_.size() - 1, "nodes");
}

uint32_t Occupancy::ChildOf(uint32_t node, uint32_t Node::*side) {
  if (nodes_[node].*side != kNothing) return nodes_[node].*side;
  const uint32_t child = NewNode();
  return nodes_[node].*side = child;
}

int64_t Occupancy::LowestGap(std::span<const TimeRange> ranges, int64_t length,
                             int64_t alignment) const {
  Search search{ranges, length, alignment, 0};
  Find(search, root_, 0, size_);
  return search.gap;
}

bool Occupancy::Find(Search& search, uint32_t index, int64_t begin, int64_t size) const {
  ++visits_;
  const Node& node = nodes_[index];
  const int64_t end = begin + size;
  if (end <= search.gap) return false;  // rounding up has skipped this node
  if (OverlapsAny(node.full, search.ranges) || OverlapsAny(node.own, search.ranges)) {
    search.gap = RoundUp(end, search.alignment);
    return false;
  }
  if (!OverlapsAny(node.busy, search.ranges)) return end - search.gap >= search.length;
  const int64_t half = size / 2;
  if (node.low == kNothing) {
    if (begin + half - search.gap >= search.length) return true;
  } else if (Find(search, node.low, begin, half)) {
    return true;
  }
  if (node.high == kNothing) return end - search.gap >= search.length;
  return Find(search, node.high, begin + half, half);
}

void Occupancy::Take(TimeRange range, int64_t begin, int64_t length) {
  while (begin + length > size_) {
    const uint32_t root = NewNode();
    nodes_[root].low = root_;
    nodes_[root].busy = nodes_[root_].busy;
    root_ = root;
    size_ *= 2;
  }
  Insert(range, begin, begin + length, root_, 0, size_);
}

void Occupancy::Insert(TimeRange range, int64_t from, int64_t to, uint32_t index, int64_t begin,
                       int64_t size) {
  AddBusy(nodes_[index].busy, range);
  if (from <= begin && begin + size <= to) return AddOwn(nodes_[index], range);
  const int64_t half = size / 2, middle = begin + half;
  if (from < middle) Insert(range, from, to, ChildOf(index, &Node::low), begin, half);
  if (to > middle) Insert(range, from, to, ChildOf(index, &Node::high), middle, half);
  SumUp(index);
}

// Merges ranges that overlap or touch.
void Occupancy::AddOwn(Node& node, TimeRange range) {
  auto next = node.own.upper_bound(range.begin);
  if (next != node.own.begin() && std::prev(next)->second >= range.begin) --next;
  while (next != node.own.end() && next->first <= range.end) {
    range.begin = std::min(range.begin, next->first);
    range.end = std::max(range.end, next->second);
    next = node.own.erase(next);
  }
  node.own.emplace(range.begin, range.end);
  for (std::vector<TimeRange>* ranges : {&node.own_longest, &node.full}) {
    std::erase_if(*ranges, [&](const TimeRange& each) {
      return each.begin >= range.begin && each.end <= range.end;
    });
    ranges->push_back(range);
    KeepLongest(*ranges);
  }
}

// A node is full when both of its children are full.
void Occupancy::SumUp(uint32_t index) {
  Node& node = nodes_[index];
  node.full = node.own_longest;
  if (node.low != kNothing && node.high != kNothing) {
    for (const TimeRange& low : nodes_[node.low].full) {
      for (const TimeRange& high : nodes_[node.high].full) {
        if (!Overlaps(low, high)) continue;
        node.full.push_back({std::max(low.begin, high.begin), std::min(low.end, high.end)});
      }
    }
  }
  KeepLongest(node.full);
}

}  // namespace weft::plan
