// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/occupancy.h"

#include <algorithm>
#include <iterator>

#include "converter/base/narrow.h"

namespace weft::plan {
namespace {

// Longer lists decide more often and cost more.
constexpr size_t kMostSpans = 16;

bool Overlaps(const TimeSpan& a, const TimeSpan& b) {
  return a.first <= b.last && b.first <= a.last;
}

bool Overlaps(const std::vector<TimeSpan>& spans, const TimeSpan& span) {
  return std::any_of(spans.begin(), spans.end(),
                     [&](const TimeSpan& each) { return Overlaps(each, span); });
}

bool Overlaps(const std::map<int64_t, int64_t>& spans, const TimeSpan& span) {
  const auto after = spans.upper_bound(span.last);
  return after != spans.begin() && std::prev(after)->second >= span.first;
}

int64_t LengthOf(const TimeSpan& span) { return span.last - span.first; }

// Leaves out the shortest: what remains is still taken.
void KeepLongest(std::vector<TimeSpan>& spans) {
  if (spans.size() <= kMostSpans) return;
  std::nth_element(spans.begin(), spans.begin() + kMostSpans, spans.end(),
                   [](const TimeSpan& a, const TimeSpan& b) { return LengthOf(a) > LengthOf(b); });
  spans.resize(kMostSpans);
}

// Adds a span to a sorted list of disjoint ones; where it grows too long, the two with the
// narrowest time between them become one: whatever was in use is still in the list.
void AddBusy(std::vector<TimeSpan>& spans, TimeSpan span) {
  auto first =
      std::lower_bound(spans.begin(), spans.end(), span.first,
                       [](const TimeSpan& each, int64_t time) { return each.last + 1 < time; });
  auto end = first;
  for (; end != spans.end() && end->first <= span.last + 1; ++end) {
    span.first = std::min(span.first, end->first);
    span.last = std::max(span.last, end->last);
  }
  first = spans.erase(first, end);
  spans.insert(first, span);
  if (spans.size() <= kMostSpans) return;
  size_t narrowest = 1;
  const auto room = [&](size_t i) { return spans[i].first - spans[i - 1].last; };
  for (size_t i = 2; i < spans.size(); ++i) {
    if (room(i) < room(narrowest)) narrowest = i;
  }
  spans[narrowest - 1].last = spans[narrowest].last;
  spans.erase(spans.begin() + static_cast<std::ptrdiff_t>(narrowest));
}

}  // namespace

uint32_t Occupancy::NewNode() {
  nodes_.emplace_back();
  return Narrow32(nodes_.size() - 1, "nodes");
}

uint32_t Occupancy::LowOf(uint32_t node) {
  if (nodes_[node].low != kNothing) return nodes_[node].low;
  const uint32_t child = NewNode();
  return nodes_[node].low = child;
}

uint32_t Occupancy::HighOf(uint32_t node) {
  if (nodes_[node].high != kNothing) return nodes_[node].high;
  const uint32_t child = NewNode();
  return nodes_[node].high = child;
}

int64_t Occupancy::LowestGap(TimeSpan span, int64_t length) const {
  Search search{span, length, 0};
  Find(search, root_, 0, size_);
  return search.gap;
}

bool Occupancy::Find(Search& search, uint32_t index, int64_t begin, int64_t size) const {
  ++visits_;
  const Node& node = nodes_[index];
  const int64_t end = begin + size;
  if (Overlaps(node.full, search.span) || Overlaps(node.own, search.span)) {
    search.gap = end;
    return false;
  }
  if (!Overlaps(node.busy, search.span)) return end - search.gap >= search.length;
  const int64_t half = size / 2;
  if (node.low == kNothing) {
    if (begin + half - search.gap >= search.length) return true;
  } else if (Find(search, node.low, begin, half)) {
    return true;
  }
  if (node.high == kNothing) return end - search.gap >= search.length;
  return Find(search, node.high, begin + half, half);
}

void Occupancy::Take(TimeSpan span, int64_t begin, int64_t length) {
  while (begin + length > size_) {
    const uint32_t root = NewNode();
    nodes_[root].low = root_;
    nodes_[root].busy = nodes_[root_].busy;
    root_ = root;
    size_ *= 2;
  }
  Insert(span, begin, begin + length, root_, 0, size_);
}

void Occupancy::Insert(TimeSpan span, int64_t from, int64_t to, uint32_t index, int64_t begin,
                       int64_t size) {
  AddBusy(nodes_[index].busy, span);
  if (from <= begin && begin + size <= to) return AddOwn(nodes_[index], span);
  const int64_t half = size / 2, middle = begin + half;
  if (from < middle) Insert(span, from, to, LowOf(index), begin, half);
  if (to > middle) Insert(span, from, to, HighOf(index), middle, half);
  SumUp(index);
}

// Spans that follow one another without time between become one.
void Occupancy::AddOwn(Node& node, TimeSpan span) {
  auto after = node.own.upper_bound(span.first);
  if (after != node.own.end() && after->first == span.last + 1) {
    span.last = after->second;
    after = node.own.erase(after);
  }
  if (after != node.own.begin() && std::prev(after)->second + 1 == span.first) {
    span.first = std::prev(after)->first;
  }
  node.own.insert_or_assign(span.first, span.last);
  for (std::vector<TimeSpan>* spans : {&node.own_longest, &node.full}) {
    std::erase_if(*spans, [&](const TimeSpan& each) {
      return each.first >= span.first && each.last <= span.last;
    });
    spans->push_back(span);
    KeepLongest(*spans);
  }
}

// When both halves are taken, all of the node is.
void Occupancy::SumUp(uint32_t index) {
  Node& node = nodes_[index];
  node.full = node.own_longest;
  if (node.low != kNothing && node.high != kNothing) {
    for (const TimeSpan& low : nodes_[node.low].full) {
      for (const TimeSpan& high : nodes_[node.high].full) {
        if (!Overlaps(low, high)) continue;
        node.full.push_back({std::max(low.first, high.first), std::min(low.last, high.last)});
      }
    }
  }
  KeepLongest(node.full);
}

}  // namespace weft::plan
