// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/solve.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "converter/plan/occupancy.h"

namespace weft::plan {
namespace {

// One memory while buffers are put into it. Addresses are counted in granules.
class Filling {
 public:
  // `live` holds the live ranges of each buffer.
  Filling(std::span<const Buffer> buffers, std::span<const std::vector<TimeRange>> live,
          int64_t granule)
      : buffers_(buffers), live_(live), granule_(granule) {}

  // The lowest offset at which the buffer is apart from all that are in; 0 for one without bytes.
  int64_t LowestOffset(size_t index) const {
    const int64_t length = GranulesOf(index);
    if (length == 0 || live_[index].empty()) return 0;
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

  std::span<const Buffer> buffers_;
  std::span<const std::vector<TimeRange>> live_;
  int64_t granule_;
  Occupancy occupancy_;
  int64_t used_granules_ = 0, used_bytes_ = 0;
  std::vector<std::pair<size_t, int64_t>> placed_;  // index and offset
};

class Solver {
 public:
  explicit Solver(const Problem& problem)
      : problem_(problem), buffers_(problem.buffers), granule_(GranuleOf(problem)) {
    for (const Buffer& buffer : buffers_) live_.push_back(LiveRanges(buffer));
    placement_.buffers.resize(buffers_.size());
    placement_.used_bytes.assign(problem.memories.size(), 0);
  }

  Placement Run() {
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
      Keep(memories[i], is_last ? InTheBestOrder(memories[i], rest) : Densest(memories[i], rest));
    }
    return std::move(placement_);
  }

 private:
  // With the buffers that have no choice.
  Filling Begin(uint32_t memory) const {
    Filling filling(buffers_, live_, granule_);
    for (size_t i = 0; memory == 0 && i < buffers_.size(); ++i) {
      if (buffers_[i].fixed_offset_bytes) filling.Put(i, *buffers_[i].fixed_offset_bytes);
    }
    return filling;
  }

  // As much of `rest` as fits, the most used for their size first.
  Filling Densest(uint32_t memory, std::vector<size_t>& rest) const {
    const auto density = [&](size_t i) {
      return buffers_[i].traffic_bytes /
             static_cast<double>(std::max<int64_t>(1, buffers_[i].bytes));
    };
    std::vector<size_t> order = rest;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return density(a) > density(b); });
    const std::optional<int64_t>& capacity = problem_.memories[memory].capacity_bytes;
    Filling filling = Begin(memory);
    std::vector<bool> is_in(buffers_.size(), false);
    for (const size_t index : order) {
      const int64_t offset = filling.LowestOffset(index);
      if (capacity && offset + buffers_[index].bytes > *capacity) continue;
      filling.Put(index, offset);
      is_in[index] = true;
    }
    std::erase_if(rest, [&](size_t index) { return is_in[index]; });
    return filling;
  }

  // Smaller is earlier; of equals the larger one is.
  double KeyOf(int order, const Buffer& buffer) const {
    const auto bytes = static_cast<double>(buffer.bytes);
    const TimeRange& life = buffer.lifetime;
    const auto begin = static_cast<double>(life.begin), end = static_cast<double>(life.end);
    switch (order) {
      case 0:
        return -bytes;
      case 1:
        return begin - end;
      case 2:
        return bytes * (begin - end);
      case 3:
        return begin;
      default:
        return -end;
    }
  }
  static constexpr int kOrders = 5;

  Filling InOrder(uint32_t memory, std::vector<size_t> indices, int order) const {
    std::vector<double> keys(buffers_.size());
    for (const size_t index : indices) keys[index] = KeyOf(order, buffers_[index]);
    std::stable_sort(indices.begin(), indices.end(), [&](size_t a, size_t b) {
      return std::pair(keys[a], -buffers_[a].bytes) < std::pair(keys[b], -buffers_[b].bytes);
    });
    Filling filling = Begin(memory);
    for (const size_t index : indices) filling.Put(index, filling.LowestOffset(index));
    return filling;
  }

  Filling InTheBestOrder(uint32_t memory, const std::vector<size_t>& rest) const {
    std::vector<Buffer> here;
    for (const size_t index : rest) here.push_back(buffers_[index]);
    const int64_t bound = PeakOf(here, granule_).bytes / granule_;
    Filling best = InOrder(memory, rest, 0);
    for (int order = 1; order < kOrders && best.used_granules() > bound; ++order) {
      Filling next = InOrder(memory, rest, order);
      if (next.used_granules() < best.used_granules()) best = std::move(next);
    }
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
  const int64_t granule_;
  std::vector<std::vector<TimeRange>> live_;
  Placement placement_;
};

}  // namespace

Placement Solve(const Problem& problem) { return Solver(problem).Run(); }

}  // namespace weft::plan
