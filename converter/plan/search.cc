// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/search.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "converter/base/narrow.h"

namespace weft::plan {
namespace {

constexpr int32_t kNoItem = -1;

// The four of sixty orders that solved the hardest known problems fastest.
constexpr std::array<TieKey, 3> kOrders[] = {
    {TieKey::kContention, TieKey::kWidth, TieKey::kArea},
    {TieKey::kContention, TieKey::kArea, TieKey::kWidth},
    {TieKey::kContention, TieKey::kOverlaps, TieKey::kWidth},
    {TieKey::kOverlaps, TieKey::kContention, TieKey::kArea}};
constexpr int64_t kRoundNodes = 3000;  // before a search restarts
constexpr double kForgotten = 0.5;     // factor of the weights after a round

int32_t ItemAt(size_t index) { return Narrow<int32_t>(index, "items"); }

constexpr size_t kBits = 64;
bool Holds(const std::vector<uint64_t>& set, int32_t item) {
  const auto at = static_cast<size_t>(item);
  return (set[at / kBits] >> (at % kBits) & 1) != 0;
}
void Add(std::vector<uint64_t>& set, int32_t item) {
  const auto at = static_cast<size_t>(item);
  set[at / kBits] |= uint64_t{1} << (at % kBits);
}
void Remove(std::vector<uint64_t>& set, int32_t item) {
  const auto at = static_cast<size_t>(item);
  set[at / kBits] &= ~(uint64_t{1} << (at % kBits));
}

template <typename Visit>
void ForEach(const std::vector<uint64_t>& set, Visit visit) {
  for (size_t word = 0; word < set.size(); ++word) {
    for (uint64_t rest = set[word]; rest != 0; rest &= rest - 1) {
      visit(ItemAt(word * kBits) + std::countr_zero(rest));
    }
  }
}

}  // namespace

Search::Search(const SearchSpace& space)
    : space_(space),
      items_(space.items()),
      live_in_(static_cast<size_t>(space.sections()), Set((items_.size() + kBits - 1) / kBits)),
      weight_(items_.size(), 0) {
  for (size_t i = 0; i < items_.size(); ++i) {
    for (const SearchSpace::Sections& live : items_[i].live) {
      for (int32_t s = live.begin; s < live.end; ++s) {
        if (!items_[i].is_fixed) Add(live_in_[static_cast<size_t>(s)], ItemAt(i));
      }
    }
  }
}

Result Search::Find(int64_t capacity_bytes, int64_t max_nodes, int64_t* nodes) {
  goes_back_far_ = true;
  weight_.assign(items_.size(), 0);
  for (size_t round = 0; max_nodes > 0; ++round) {
    SetRanks(kOrders[round % std::size(kOrders)], round >= std::size(kOrders));
    const int64_t share = std::min(max_nodes, kRoundNodes);
    if (Descend(capacity_bytes, share, nodes) == Result::kFits) return Result::kFits;
    max_nodes -= share;
    for (double& weight : weight_) weight *= kForgotten;
  }
  return Result::kOutOfNodes;
}

Result Search::Refute(int64_t capacity_bytes, int64_t max_nodes, int64_t* nodes) {
  goes_back_far_ = false;
  SetRanks(kOrders[0], false);
  return Descend(capacity_bytes, max_nodes, nodes);
}

Result Search::Descend(int64_t capacity_bytes, int64_t max_nodes, int64_t* nodes) {
  const int64_t capacity = capacity_bytes / space_.unit_bytes();
  capacity_ = Narrow<int32_t>(std::min<int64_t>(capacity, int64_t{1} << 29), "units");
  nodes_left_ = max_nodes;
  offset_.clear();
  for (const SearchSpace::Item& item : items_) offset_.push_back(item.lowest);
  raised_by_.assign(items_.size(), kNoItem);
  put_.assign((items_.size() + kBits - 1) / kBits, 0);
  blame_ = put_;
  undo_.clear();
  ends_.assign(static_cast<size_t>(space_.sections()), 0);
  across_.assign(static_cast<size_t>(space_.sections()) + 1, 0);
  std::vector<int32_t> open;
  bool fits = true;
  for (size_t i = 0; i < items_.size(); ++i) {
    fits = fits && offset_[i] + items_[i].units <= capacity_;
    if (!items_[i].is_fixed && !items_[i].live.empty()) open.push_back(ItemAt(i));
  }
  Sort(open);
  fits = fits && MayFit(open, 0) && SolveParts(open, {});
  *nodes += max_nodes - std::max<int64_t>(nodes_left_, 0);
  if (fits) return Result::kFits;
  return nodes_left_ < 0 ? Result::kOutOfNodes : Result::kDoesNotFit;
}

std::vector<int64_t> Search::OffsetsBytes() const {
  std::vector<int64_t> offsets;
  for (const int32_t offset : offset_) offsets.push_back(offset * space_.unit_bytes());
  return offsets;
}

void Search::SetRanks(const Order& order, bool by_weight) {
  std::vector<int32_t> sorted(items_.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::sort(sorted, {}, [&](int32_t i) {
    const auto at = static_cast<size_t>(i);
    const SearchSpace::Item& item = items_[at];
    return std::tuple(by_weight ? -weight_[at] : 0.0, -item.Key(order[0]), -item.Key(order[1]),
                      -item.Key(order[2]), i);
  });
  rank_.resize(items_.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    rank_[static_cast<size_t>(sorted[i])] = ItemAt(i);
  }
}

// Sorts by offset, then by rank.
void Search::Sort(std::vector<int32_t>& open) const {
  std::ranges::sort(open, {}, [&](int32_t i) {
    const auto at = static_cast<size_t>(i);
    return (int64_t{offset_[at]} << 32) | rank_[at];
  });
}

// `open` is sorted, connected, and passes MayFit.
bool Search::Solve(const std::vector<int32_t>& open, const State& state) {
  int32_t min_end = std::numeric_limits<int32_t>::max(), min = kNoItem;
  for (const int32_t i : open) {
    const auto at = static_cast<size_t>(i);
    const int32_t end = offset_[at] + items_[at].units;
    if (end < min_end) std::tie(min_end, min) = std::pair(end, i);
  }
  Set blame(goes_back_far_ ? blame_.size() : 0);
  std::vector<int32_t> rest;
  int32_t level = state.floor, last = state.last;
  for (const int32_t next : open) {
    const auto at = static_cast<size_t>(next);
    const int32_t offset = offset_[at];
    if (std::pair(offset, rank_[at]) <= std::pair(state.floor, state.rank)) continue;
    if (offset >= min_end) {
      BlameAround(min);
      AddBlame(blame);
      break;
    }
    if (offset > level && !MayFit(open, offset)) {
      AddBlame(blame);
      last = kNoItem;
      break;
    }
    level = offset;
    if (--nodes_left_ < 0) return false;
    const size_t mark = undo_.size();
    if (TryNext(open, next, rest)) return true;
    TakeBack(mark);
    if (nodes_left_ < 0) return false;
    if (!goes_back_far_) continue;
    if (!Holds(blame_, next)) return false;
    Remove(blame_, next);
    AddBlame(blame);
    if (raised_by_[at] != kNoItem) Add(blame, raised_by_[at]);
  }
  if (goes_back_far_) {
    if (last != kNoItem) Add(blame, last);
    blame_ = std::move(blame);
  }
  return false;
}

bool Search::TryNext(const std::vector<int32_t>& open, int32_t next, std::vector<int32_t>& rest) {
  if (!Put(next)) return false;
  rest.clear();
  std::ranges::copy_if(open, std::back_inserter(rest), [&](int32_t i) { return i != next; });
  Sort(rest);
  const auto at = static_cast<size_t>(next);
  return MayFit(rest, offset_[at]) && SolveParts(rest, {offset_[at], rank_[at], next});
}

// A single item cannot obstruct another one, so its lowest offset is always right.
bool Search::SolvePart(const std::vector<int32_t>& open, const State& state) {
  return open.size() == 1 ? Put(open[0]) : Solve(open, state);
}

bool Search::SolveParts(const std::vector<int32_t>& open, const State& state) {
  if (open.empty()) return true;
  const std::vector<int32_t> cuts = CutsOf(open);
  if (cuts.empty()) return SolvePart(open, state);
  std::vector<std::vector<int32_t>> parts(cuts.size() + 1);
  for (const int32_t i : open) {
    const int32_t first = items_[static_cast<size_t>(i)].hull.begin;
    const auto part = std::ranges::upper_bound(cuts, first) - cuts.begin();
    parts[static_cast<size_t>(part)].push_back(i);
  }
  // The smallest part first: it fails soonest.
  std::ranges::stable_sort(parts, {}, [](const auto& part) { return part.size(); });
  return std::ranges::all_of(
      parts, [&](const auto& part) { return part.empty() || SolvePart(part, state); });
}

SearchSpace::Sections Search::HullOf(const std::vector<int32_t>& open) const {
  SearchSpace::Sections hull = {space_.sections(), 0};
  for (const int32_t i : open) {
    const SearchSpace::Sections& each = items_[static_cast<size_t>(i)].hull;
    hull = {std::min(hull.begin, each.begin), std::max(hull.end, each.end)};
  }
  return hull;
}

// Returns the sections at which no open item is live both before and after the section begins.
std::vector<int32_t> Search::CutsOf(const std::vector<int32_t>& open) {
  const auto [begin, end] = HullOf(open);
  std::fill(across_.begin() + begin, across_.begin() + end + 1, 0);
  for (const int32_t i : open) {
    const SearchSpace::Sections& hull = items_[static_cast<size_t>(i)].hull;
    ++across_[static_cast<size_t>(hull.begin) + 1];
    --across_[static_cast<size_t>(hull.end)];
  }
  std::vector<int32_t> cuts;
  int32_t count = 0;
  for (int32_t s = begin + 1; s < end; ++s) {
    count += across_[static_cast<size_t>(s)];
    if (count == 0) cuts.push_back(s);
  }
  return cuts;
}

// Puts the item at its lowest offset. Returns false if another item no longer fits above it.
bool Search::Put(int32_t item) {
  const auto at = static_cast<size_t>(item);
  const int32_t offset = offset_[at];
  Add(put_, item);
  undo_.push_back({item, -1, kNoItem});
  for (const SearchSpace::Overlap& overlap : items_[at].overlaps) {
    const auto other = static_cast<size_t>(overlap.other);
    if (Holds(put_, overlap.other) || offset + overlap.distance <= offset_[other]) continue;
    const int64_t raised = space_.LowestFrom(other, offset + overlap.distance);
    if (raised + items_[other].units > capacity_) {
      weight_[other] += 1;
      BlameAround(overlap.other);
      return false;
    }
    undo_.push_back({overlap.other, offset_[other], raised_by_[other]});
    offset_[other] = Narrow<int32_t>(raised, "units");
    raised_by_[other] = item;
  }
  return true;
}

void Search::TakeBack(size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) {
    const Undo& undo = undo_.back();
    const auto at = static_cast<size_t>(undo.item);
    if (undo.offset < 0) {
      Remove(put_, undo.item);
    } else {
      offset_[at] = undo.offset;
      raised_by_[at] = undo.raised_by;
    }
  }
}

// Returns true if at every moment the open items would end within the capacity when stacked. Each
// is put on the items before it in `open`, which is sorted, but not below its own offset or
// `floor`.
bool Search::MayFit(const std::vector<int32_t>& open, int32_t floor) {
  const auto [begin, end] = HullOf(open);
  if (begin >= end) return true;
  std::fill(ends_.begin() + begin, ends_.begin() + end, floor);
  int32_t* const ends = ends_.data();
  for (const int32_t i : open) {
    const SearchSpace::Item& item = items_[static_cast<size_t>(i)];
    const int32_t offset = offset_[static_cast<size_t>(i)], units = item.units;
    for (const SearchSpace::Sections& live : item.live) {
      for (int32_t s = live.begin; s < live.end; ++s) {
        ends[s] = (ends[s] > offset ? ends[s] : offset) + units;
      }
    }
  }
  for (int32_t s = begin; s < end; ++s) {
    const auto at = static_cast<size_t>(s);
    if (ends_[at] - space_.shared_units()[at] <= capacity_) continue;
    BlameSection(s);
    return false;
  }
  return true;
}

void Search::BlameSection(int32_t section) {
  if (!goes_back_far_) return;
  const Set& live = live_in_[static_cast<size_t>(section)];
  for (size_t word = 0; word < blame_.size(); ++word) blame_[word] = live[word] & put_[word];
  ForEach(live, [&](int32_t item) {
    if (Holds(put_, item)) return;
    weight_[static_cast<size_t>(item)] += 1;
    const int32_t by = raised_by_[static_cast<size_t>(item)];
    if (by != kNoItem) Add(blame_, by);
  });
}

void Search::BlameAround(int32_t item) {
  if (!goes_back_far_) return;
  const auto at = static_cast<size_t>(item);
  std::ranges::fill(blame_, 0);
  for (const SearchSpace::Overlap& overlap : items_[at].overlaps) {
    if (Holds(put_, overlap.other)) Add(blame_, overlap.other);
  }
  if (raised_by_[at] != kNoItem) Add(blame_, raised_by_[at]);
}

void Search::AddBlame(Set& set) const {
  for (size_t word = 0; word < set.size(); ++word) set[word] |= blame_[word];
}

}  // namespace weft::plan
