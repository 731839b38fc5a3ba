// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/search_space.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "converter/base/narrow.h"

namespace weft::plan {
namespace {

constexpr int64_t kMaxUnits = int64_t{1} << 29;  // sums of two values stay within 32 bits
constexpr size_t kMaxPairs = 1'000'000;
constexpr int64_t kMaxIncidences = 4'000'000;
// A search is as deep as the number of items, and stores a bit for each item and section.
constexpr size_t kMaxItems = 5000;
constexpr int64_t kMaxMarks = 100'000'000;

// Begin or end of a live range. Ends come before begins of the same time.
struct Event {
  int64_t time;
  bool begins;
  size_t buffer;
};

std::vector<Event> EventsOf(std::span<const Buffer> buffers) {
  std::vector<Event> events;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0) continue;
    for (const TimeRange& range : LiveRanges(buffers[i])) {
      events.push_back({range.begin, true, i});
      events.push_back({range.end, false, i});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.time, a.begins, a.buffer) < std::tie(b.time, b.begins, b.buffer);
  });
  return events;
}

}  // namespace

double SearchSpace::Item::Key(TieKey key) const {
  const double keys[] = {contention, width, width * units, static_cast<double>(overlaps.size())};
  return keys[static_cast<size_t>(key)];
}

SearchSpace::SearchSpace(std::span<const Buffer> buffers,
                         std::span<const AllowedOverlap> allowed_overlaps)
    : items_(buffers.size()), obstacles_(buffers.size()) {
  SetUnits(buffers, allowed_overlaps);
  is_possible_ = is_possible_ && items_.size() <= kMaxItems;
  if (!is_possible_) return;
  SetSections(buffers);
  if (is_possible_) SetOverlaps(buffers, allowed_overlaps);
  if (!is_possible_) return;
  SetContention();
  for (size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    if (item.is_fixed) continue;
    const int64_t lowest = LowestFrom(i, 0);
    is_possible_ = is_possible_ && lowest < kMaxUnits;
    item.lowest = Narrow<int32_t>(std::min(lowest, kMaxUnits), "units");
  }
}

int32_t SearchSpace::UnitsOf(int64_t bytes) const {
  return Narrow<int32_t>((bytes + unit_bytes_ - 1) / unit_bytes_, "units");
}

void SearchSpace::SetUnits(std::span<const Buffer> buffers,
                           std::span<const AllowedOverlap> allowed_overlaps) {
  int64_t unit = 0;
  for (const Buffer& buffer : buffers) {
    if (buffer.alignment_bytes > 1) unit = std::gcd(unit, buffer.alignment_bytes);
    unit = std::gcd(unit, buffer.fixed_offset_bytes.value_or(0));
  }
  granule_bytes_ = GranuleOf(buffers);
  const auto take = [&](int64_t bytes) { unit = std::gcd(unit, RoundUp(bytes, granule_bytes_)); };
  for (const Buffer& buffer : buffers) take(buffer.bytes);
  for (const AllowedOverlap& overlap : allowed_overlaps) {
    take(overlap.before_bytes);
    take(overlap.after_bytes);
  }
  unit_bytes_ = std::max<int64_t>(unit, 1);
  int64_t all = 0;
  for (const Buffer& buffer : buffers) {
    all += (buffer.bytes + buffer.alignment_bytes) / unit_bytes_ + 2;
    all = std::max(all, buffer.fixed_offset_bytes.value_or(0) / unit_bytes_ + all);
    if (all >= kMaxUnits) is_possible_ = false;
    if (!is_possible_) return;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    Item& item = items_[i];
    item.units = UnitsOf(buffers[i].bytes);
    item.alignment_units = UnitsOf(buffers[i].alignment_bytes);
    item.is_fixed = buffers[i].fixed_offset_bytes.has_value();
    if (item.is_fixed) item.lowest = UnitsOf(*buffers[i].fixed_offset_bytes);
  }
}

void SearchSpace::SetSections(std::span<const Buffer> buffers) {
  bool has_grown = false;
  for (const Event& event : EventsOf(buffers)) {
    Item& item = items_[event.buffer];
    if (event.begins) {
      item.live.push_back({sections_, sections_});
      item.width -= static_cast<double>(event.time);
    } else {
      sections_ += has_grown ? 1 : 0;
      item.live.back().end = sections_;
      item.width += static_cast<double>(event.time);
      incidences_ += sections_ - item.live.back().begin;
      if (incidences_ > kMaxIncidences) is_possible_ = false;
    }
    has_grown = event.begins;
  }
  if (std::ssize(items_) * sections_ > kMaxMarks) is_possible_ = false;
  for (Item& item : items_) {
    if (!item.live.empty()) item.hull = {item.live.front().begin, item.live.back().end};
  }
}

std::vector<SearchSpace::Pair> SearchSpace::PairsLiveTogether() {
  std::vector<std::vector<int32_t>> begins(static_cast<size_t>(sections_));
  for (size_t i = 0; i < items_.size(); ++i) {
    for (const Sections& live : items_[i].live) {
      begins[static_cast<size_t>(live.begin)].push_back(Narrow<int32_t>(i, "items"));
    }
  }
  std::vector<Pair> pairs;
  std::vector<std::pair<int32_t, int32_t>> live;  // item, end
  for (int32_t section = 0; section < sections_ && is_possible_; ++section) {
    std::erase_if(live, [&](const auto& each) { return each.second <= section; });
    for (const int32_t item : begins[static_cast<size_t>(section)]) {
      for (const auto& [other, end] : live) {
        pairs.push_back({std::min(item, other), std::max(item, other)});
      }
      for (const Sections& range : items_[static_cast<size_t>(item)].live) {
        if (range.begin == section) live.emplace_back(item, range.end);
      }
    }
    is_possible_ = pairs.size() <= kMaxPairs;
  }
  // Two buffers with gaps can be live together more than once.
  const auto key = [](const Pair& pair) { return std::pair(pair.a, pair.b); };
  std::ranges::sort(pairs, {}, key);
  const auto rest = std::ranges::unique(pairs, {}, key);
  pairs.erase(rest.begin(), rest.end());
  return pairs;
}

void SearchSpace::SetOverlaps(std::span<const Buffer> buffers,
                              std::span<const AllowedOverlap> allowed_overlaps) {
  std::map<std::pair<size_t, size_t>, const AllowedOverlap*> overlap_of;
  for (const AllowedOverlap& overlap : allowed_overlaps)
    overlap_of[std::minmax(overlap.x, overlap.y)] = &overlap;
  shared_units_.assign(static_cast<size_t>(sections_), 0);
  for (const Pair& pair : PairsLiveTogether()) {
    if (buffers[static_cast<size_t>(pair.a)].bytes == 0) continue;
    const auto overlap =
        overlap_of.find({static_cast<size_t>(pair.a), static_cast<size_t>(pair.b)});
    AddOverlap(pair, overlap == overlap_of.end() ? nullptr : overlap->second);
  }
  for (std::vector<Obstacle>& list : obstacles_) {
    std::ranges::sort(list, {}, [](const Obstacle& obstacle) { return obstacle.low; });
  }
}

void SearchSpace::AddOverlap(const Pair& pair, const AllowedOverlap* overlap) {
  const auto at_a = static_cast<size_t>(pair.a), at_b = static_cast<size_t>(pair.b);
  Item &a = items_[at_a], &b = items_[at_b];
  int32_t b_above = a.units, a_above = b.units;
  if (overlap != nullptr) {
    const bool a_is_x = overlap->x == at_a;
    const auto min = [&](int32_t apart, int64_t overlapped_bytes) {
      return UnitsOf(std::min(apart * unit_bytes_, overlapped_bytes));
    };
    b_above = min(b_above, a_is_x ? overlap->after_bytes : overlap->before_bytes);
    a_above = min(a_above, a_is_x ? overlap->before_bytes : overlap->after_bytes);
    for (int32_t s = std::max(a.hull.begin, b.hull.begin); s < std::min(a.hull.end, b.hull.end);
         ++s) {
      shared_units_[static_cast<size_t>(s)] += std::min(a.units, b.units);
    }
  }
  if (a.is_fixed && b.is_fixed) {
    const int32_t distance = b.lowest - a.lowest;
    is_possible_ = is_possible_ && (distance >= b_above || -distance >= a_above);
  } else if (a.is_fixed) {
    obstacles_[at_b].push_back({a.lowest - a_above, a.lowest + b_above});
  } else if (b.is_fixed) {
    obstacles_[at_a].push_back({b.lowest - b_above, b.lowest + a_above});
  } else {
    a.overlaps.push_back({pair.b, b_above});
    b.overlaps.push_back({pair.a, a_above});
  }
}

void SearchSpace::SetContention() {
  std::vector<int64_t> full(static_cast<size_t>(sections_), 0);
  for (const Item& item : items_) {
    for (const Sections& live : item.live) {
      for (int32_t s = live.begin; s < live.end; ++s) full[static_cast<size_t>(s)] += item.units;
    }
  }
  for (Item& item : items_) {
    for (const Sections& live : item.live) {
      for (int32_t s = live.begin; s < live.end; ++s) {
        const auto here = static_cast<double>(full[static_cast<size_t>(s)]);
        item.contention = std::max(item.contention, here);
      }
    }
  }
}

int64_t SearchSpace::LowestFrom(size_t item, int64_t offset) const {
  const int64_t alignment = items_[item].alignment_units;
  offset = RoundUp(offset, alignment);
  for (const Obstacle& obstacle : obstacles_[item]) {
    if (offset <= obstacle.low) break;
    if (offset < obstacle.high) offset = RoundUp(obstacle.high, alignment);
  }
  return offset;
}

}  // namespace weft::plan
