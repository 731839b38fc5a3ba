// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "converter/plan/occupancy.h"

namespace weft::plan {
namespace {

// The other buffer of an overlapping pair: this buffer begins at least `below_bytes` before the
// begin of the other one, or at least `above_bytes` after it.
struct Neighbour {
  size_t other;
  int64_t below_bytes, above_bytes;
};

bool LiveTogether(const std::vector<TimeRange>& a, const std::vector<TimeRange>& b) {
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    if (a[i].begin < b[k].end && b[k].begin < a[i].end) return true;
    (a[i].end < b[k].end ? i : k) += 1;
  }
  return false;
}

// One memory while buffers are put into it. Addresses are in granules.
class Filling {
 public:
  // `live` holds the live ranges of each buffer, `neighbours` its overlapping pairs.
  Filling(std::span<const Buffer> buffers, std::span<const std::vector<TimeRange>> live,
          std::span<const std::vector<Neighbour>> neighbours, int64_t granule)
      : buffers_(buffers), live_(live), neighbours_(neighbours), granule_(granule) {}

  // Returns the lowest offset at which the buffer is disjoint from all that are in the memory and
  // live together with it; 0 for a buffer without bytes.
  int64_t LowestOffset(size_t index) const {
    const int64_t length = GranulesOf(index);
    if (length == 0 || live_[index].empty()) return 0;
    if (!neighbours_[index].empty()) return LowestOverlappingOffset(index);
    const int64_t alignment = buffers_[index].alignment_bytes / granule_;
    return occupancy_.LowestGap(live_[index], length, alignment) * granule_;
  }

  void Put(size_t index, int64_t offset_bytes) {
    const int64_t begin = offset_bytes / granule_, length = GranulesOf(index);
    for (const TimeRange& range : live_[index]) {
      if (length > 0) occupancy_.Take(range, begin, length);
    }
    used_granules_ = std::max(used_granules_, begin + length);
    used_bytes_ = std::max(used_bytes_, offset_bytes + buffers_[index].bytes);
    placed_.emplace_back(index, offset_bytes);
  }

  int64_t used_granules() const { return used_granules_; }
  int64_t used_bytes() const { return used_bytes_; }
  const std::vector<std::pair<size_t, int64_t>>& placed() const { return placed_; }

 private:
  int64_t GranulesOf(size_t index) const {
    return (buffers_[index].bytes + granule_ - 1) / granule_;
  }

  // Offsets that a buffer in the memory forbids for another one: above `low`, below `high`.
  struct Forbidden {
    int64_t low, high;
  };
  Forbidden ForbiddenBy(size_t index, size_t placed, int64_t offset_bytes) const {
    for (const Neighbour& overlap : neighbours_[index]) {
      if (overlap.other != placed) continue;
      return {offset_bytes - overlap.below_bytes, offset_bytes + overlap.above_bytes};
    }
    return {offset_bytes - buffers_[index].bytes, offset_bytes + buffers_[placed].bytes};
  }

  // Compares with every buffer in the memory, because the occupancy does not support exceptions.
  int64_t LowestOverlappingOffset(size_t index) const {
    std::vector<Forbidden> forbidden;
    for (const auto& [placed, offset_bytes] : placed_) {
      if (buffers_[placed].bytes == 0 || !LiveTogether(live_[index], live_[placed])) continue;
      forbidden.push_back(ForbiddenBy(index, placed, offset_bytes));
    }
    std::sort(forbidden.begin(), forbidden.end(),
              [](const Forbidden& a, const Forbidden& b) { return a.low < b.low; });
    int64_t offset = 0;
    for (const Forbidden& range : forbidden) {
      if (offset <= range.low) break;
      if (offset < range.high) offset = RoundUp(range.high, buffers_[index].alignment_bytes);
    }
    return offset;
  }

  std::span<const Buffer> buffers_;
  std::span<const std::vector<TimeRange>> live_;
  std::span<const std::vector<Neighbour>> neighbours_;
  int64_t granule_;
  Occupancy occupancy_;
  int64_t used_granules_ = 0, used_bytes_ = 0;
  std::vector<std::pair<size_t, int64_t>> placed_;  // index and offset
};

class Solver {
 public:
  Solver(const Problem& problem, const Effort& effort)
      : problem_(problem),
        buffers_(problem.buffers),
        effort_(effort),
        granule_(GranuleOf(problem.buffers)) {
    for (const Buffer& buffer : buffers_) live_.push_back(LiveRanges(buffer));
    neighbours_.resize(buffers_.size());
    for (const AllowedOverlap& overlap : problem.allowed_overlaps) {
      neighbours_[overlap.y].push_back({overlap.x, overlap.before_bytes, overlap.after_bytes});
      neighbours_[overlap.x].push_back({overlap.y, overlap.after_bytes, overlap.before_bytes});
    }
    SetLevels();
    placement_.buffers.resize(buffers_.size());
    placement_.used_bytes.assign(problem.memories.size(), 0);
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].is_weights) placement_.buffers[i].memory = kNoMemory;
    }
  }

  Placement Run(Account* account) {
    std::vector<size_t> rest;
    for (size_t i = 0; i < buffers_.size(); ++i) {
      if (!buffers_[i].fixed_offset_bytes) rest.push_back(i);
    }
    std::vector<uint32_t> memories(problem_.memories.size());
    std::iota(memories.begin(), memories.end(), 0u);
    std::stable_sort(memories.begin(), memories.end(), [&](uint32_t a, uint32_t b) {
      return problem_.memories[a].relative_speed > problem_.memories[b].relative_speed;
    });
    for (size_t i = 0; i < memories.size(); ++i) {
      const bool is_last = i + 1 == memories.size();
      Keep(memories[i],
           is_last ? LastOf(memories[i], rest) : Densest(memories[i], rest, Begin(memories[i])));
    }
    for (const int64_t bytes : placement_.used_bytes) {
      account_.used_bytes += RoundUp(bytes, granule_);
    }
    account_.peak_bytes = PeakOf(buffers_, granule_).bytes;
    const int64_t bound = RoundUp(LowerBound(problem_), granule_);
    account_.bound_bytes = std::min(std::max(account_.bound_bytes, bound), account_.used_bytes);
    if (account != nullptr) *account = account_;
    return std::move(placement_);
  }

 private:
  // If a buffer can share bytes only with one below it, it gets a higher number in levels_.
  void SetLevels() {
    constexpr int kMaxRounds = 64;  // each round goes further along a chain of pairs
    levels_.assign(buffers_.size(), 0);
    bool raised = true;
    for (int round = 0; round < kMaxRounds && raised; ++round) {
      raised = false;
      for (auto overlap = problem_.allowed_overlaps.rbegin();
           overlap != problem_.allowed_overlaps.rend(); ++overlap) {
        const bool y_below = overlap->before_bytes < buffers_[overlap->y].bytes;
        const bool x_below = overlap->after_bytes < buffers_[overlap->x].bytes;
        if (x_below == y_below) continue;
        const int min = 1 + levels_[x_below ? overlap->x : overlap->y];
        int& level = levels_[x_below ? overlap->y : overlap->x];
        raised = raised || level < min;
        level = std::max(level, min);
      }
    }
  }

  // A memory that holds the buffers with fixed offsets.
  Filling Begin(uint32_t memory) const {
    Filling filling(buffers_, live_, neighbours_, granule_);
    for (size_t i = 0; memory == 0 && i < buffers_.size(); ++i) {
      if (buffers_[i].fixed_offset_bytes) filling.Put(i, *buffers_[i].fixed_offset_bytes);
    }
    return filling;
  }

  // Adds as many buffers of `rest` as fit, in order of traffic per byte, and removes them from it.
  Filling Densest(uint32_t memory, std::vector<size_t>& rest, Filling filling) const {
    const auto density = [&](size_t i) {
      return buffers_[i].traffic_bytes /
             static_cast<double>(std::max<int64_t>(1, buffers_[i].bytes));
    };
    std::vector<size_t> order = rest;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return density(a) > density(b); });
    const std::optional<int64_t>& capacity = problem_.memories[memory].capacity_bytes;
    std::vector<bool> is_in(buffers_.size(), false);
    for (const size_t index : order) {
      if (buffers_[index].is_weights && !problem_.memories[memory].holds_weights) continue;
      const int64_t offset = filling.LowestOffset(index);
      if (capacity && offset + buffers_[index].bytes > *capacity) continue;
      filling.Put(index, offset);
      is_in[index] = true;
    }
    std::erase_if(rest, [&](size_t index) { return is_in[index]; });
    return filling;
  }

  static constexpr int kOrders = 5;

  // Sort key, smallest first; among equal keys larger buffers come first.
  double KeyOf(int order, const Buffer& buffer) const {
    const auto bytes = static_cast<double>(buffer.bytes);
    const TimeRange& life = buffer.lifetime;
    const auto begin = static_cast<double>(life.begin), end = static_cast<double>(life.end);
    const double keys[kOrders] = {-bytes, begin - end, bytes * (begin - end), begin, -end};
    return keys[order];
  }

  Filling InOrder(uint32_t memory, std::vector<size_t> indices, int order) const {
    const bool by_level = order >= kOrders;
    std::vector<double> keys(buffers_.size());
    for (const size_t index : indices) keys[index] = KeyOf(order % kOrders, buffers_[index]);
    const auto rank = [&](size_t i) {
      return std::tuple(by_level ? levels_[i] : 0, keys[i], -buffers_[i].bytes);
    };
    std::stable_sort(indices.begin(), indices.end(),
                     [&](size_t a, size_t b) { return rank(a) < rank(b); });
    Filling filling = Begin(memory);
    for (const size_t index : indices) filling.Put(index, filling.LowestOffset(index));
    return filling;
  }

  // The buffers of one memory as a separate problem.
  struct Part {
    std::vector<size_t> indices;
    std::vector<Buffer> buffers;
    std::vector<AllowedOverlap> allowed_overlaps;
  };
  Part PartOf(uint32_t memory, std::vector<size_t> indices) const {
    Part part{std::move(indices), {}, {}};
    for (size_t i = 0; memory == 0 && i < buffers_.size(); ++i) {
      if (buffers_[i].fixed_offset_bytes) part.indices.push_back(i);
    }
    std::vector<size_t> location(buffers_.size(), SIZE_MAX);
    for (const size_t index : part.indices) {
      location[index] = part.buffers.size();
      part.buffers.push_back(buffers_[index]);
    }
    for (AllowedOverlap overlap : problem_.allowed_overlaps) {
      overlap.x = location[overlap.x];
      overlap.y = location[overlap.y];
      if (overlap.x != SIZE_MAX && overlap.y != SIZE_MAX) part.allowed_overlaps.push_back(overlap);
    }
    return part;
  }

  // The last memory receives all remaining buffers, and copies of weights in the space left.
  Filling LastOf(uint32_t memory, const std::vector<size_t>& rest) {
    std::vector<size_t> buffers, weights;
    for (const size_t index : rest) {
      (buffers_[index].is_weights ? weights : buffers).push_back(index);
    }
    return Densest(memory, weights, InTheBestOrder(memory, buffers));
  }

  Filling InTheBestOrder(uint32_t memory, const std::vector<size_t>& rest) {
    const Part part = PartOf(memory, rest);
    int64_t bound = PeakOf(part.buffers, granule_, part.allowed_overlaps).bytes / granule_;
    if (effort_.enough_bytes) bound = std::max(bound, *effort_.enough_bytes / granule_);
    const int orders = problem_.allowed_overlaps.empty() ? kOrders : 2 * kOrders;
    Filling best = InOrder(memory, rest, 0);
    for (int order = 1; order < orders && best.used_granules() > bound; ++order) {
      Filling next = InOrder(memory, rest, order);
      if (next.used_granules() < best.used_granules()) best = std::move(next);
    }
    return best.used_granules() > bound ? Searched(std::move(best), part) : best;
  }

  Filling Searched(Filling best, const Part& part) {
    const int64_t used = best.used_granules() * granule_;
    const int64_t peak = PeakOf(part.buffers, granule_, part.allowed_overlaps).bytes;
    const Improved improved = Improve(part.buffers, part.allowed_overlaps, used, peak, effort_);
    account_.nodes += improved.nodes;
    if (!improved.offsets_bytes.empty()) {
      best = Filling(buffers_, live_, neighbours_, granule_);
      for (size_t i = 0; i < part.indices.size(); ++i) {
        best.Put(part.indices[i], improved.offsets_bytes[i]);
      }
    }
    if (problem_.memories.size() == 1) account_.bound_bytes = improved.bound_bytes;
    return best;
  }

  void Keep(uint32_t memory, const Filling& filling) {
    for (const auto& [index, offset] : filling.placed()) {
      placement_.buffers[index] = {memory, offset};
    }
    placement_.used_bytes[memory] = filling.used_bytes();
  }

  const Problem& problem_;
  const std::span<const Buffer> buffers_;
  const Effort effort_;
  const int64_t granule_;
  Account account_;
  std::vector<std::vector<TimeRange>> live_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::vector<int> levels_;
  Placement placement_;
};

}  // namespace

std::string ToString(const Account& account) {
  if (account.is_optimal()) return "proven minimum for this order of steps";
  const double percent =
      100 *
      (static_cast<double>(account.used_bytes) / static_cast<double>(account.bound_bytes) - 1);
  // Rounded up, so that the text never understates the distance.
  return fmt::format("within {:.1f} % of the bound {}", std::ceil(percent * 10) / 10,
                     account.bound_bytes);
}

Placement Solve(const Problem& problem, const Effort& effort, Account* account) {
  return Solver(problem, effort).Run(account);
}

}  // namespace weft::plan
