// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/validate_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace weft::plan {
namespace {

class Validation {
 public:
  Validation(const Problem& problem, const Placement& placement)
      : problem_(problem), placement_(placement) {}

  std::vector<PlacementFault> Run() {
    if (placement_.buffers.size() != problem_.buffers.size() ||
        placement_.used_bytes.size() != problem_.memories.size()) {
      Add(PlacementRule::kComplete,
          fmt::format("the placement has {} buffers and {} memories; must have {} and {}",
                      placement_.buffers.size(), placement_.used_bytes.size(),
                      problem_.buffers.size(), problem_.memories.size()));
      return std::move(faults_);
    }
    overlaps_.assign(problem_.buffers.size(), false);
    has_position_.assign(problem_.buffers.size(), false);
    for (const AllowedOverlap& overlap : problem_.allowed_overlaps)
      overlaps_[overlap.x] = overlaps_[overlap.y] = true;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      has_position_[i] = HasPosition(i);
      if (has_position_[i]) CheckPosition(i);
    }
    for (uint32_t memory = 0; memory < problem_.memories.size(); ++memory) Sweep(memory);
    CheckOverlaps();
    return std::move(faults_);
  }

 private:
  void Add(PlacementRule rule, std::string text) { faults_.push_back({rule, std::move(text)}); }
  void Add(PlacementRule rule, size_t buffer, std::string_view what) {
    Add(rule, fmt::format("buffer \"{}\": {}", problem_.buffers[buffer].name, what));
  }
  int64_t OffsetOf(size_t i) const { return placement_.buffers[i].offset_bytes; }
  int64_t EndOf(size_t i) const { return OffsetOf(i) + problem_.buffers[i].bytes; }

  // Returns false if the address is invalid; other checks of the buffer are then skipped.
  bool HasPosition(size_t i) {
    const Placed& placed = placement_.buffers[i];
    if (placed.memory >= problem_.memories.size()) {
      Add(PlacementRule::kComplete, i,
          fmt::format("memory is {}; must be below {}", placed.memory, problem_.memories.size()));
      return false;
    }
    if (placed.offset_bytes >= 0 && placed.offset_bytes <= INT64_MAX - problem_.buffers[i].bytes) {
      return true;
    }
    Add(PlacementRule::kComplete, i,
        fmt::format("offset is {}; must be 0 or more, and its end below 2^63",
                    placed.offset_bytes));
    return false;
  }

  void CheckPosition(size_t i) {
    const Buffer& buffer = problem_.buffers[i];
    const Placed& placed = placement_.buffers[i];
    if (OffsetOf(i) % buffer.alignment_bytes != 0) {
      Add(PlacementRule::kAlignment, i,
          fmt::format("offset is {}; must be a multiple of {}", OffsetOf(i),
                      buffer.alignment_bytes));
    }
    if (buffer.fixed_offset_bytes &&
        (placed.memory != 0 || OffsetOf(i) != *buffer.fixed_offset_bytes)) {
      Add(PlacementRule::kFixedOffset, i,
          fmt::format("offset is {} in memory {}; must be {} in memory 0", OffsetOf(i),
                      placed.memory, *buffer.fixed_offset_bytes));
    }
    const Memory& memory = problem_.memories[placed.memory];
    if (buffer.is_weights && !memory.holds_weights) {
      Add(PlacementRule::kWeights, i,
          fmt::format("is a copy of weights in memory {}, which holds none", placed.memory));
    }
    if (memory.capacity_bytes && EndOf(i) > *memory.capacity_bytes) {
      Add(PlacementRule::kCapacity, i,
          fmt::format("ends at byte {} of memory {}; must end within {}", EndOf(i), placed.memory,
                      *memory.capacity_bytes));
    }
    if (EndOf(i) > placement_.used_bytes[placed.memory]) {
      Add(PlacementRule::kComplete, i,
          fmt::format("ends at byte {} of memory {}; must end within the {} reported as used",
                      EndOf(i), placed.memory, placement_.used_bytes[placed.memory]));
    }
    if (buffer.bytes == 0 || overlaps_[i]) return;
    // Buffers of overlapping pairs are left out of the sweep, which relies on disjoint live ones.
    for (const TimeRange& range : LiveRanges(buffer)) {
      events_.push_back({placed.memory, range.begin, true, i});
      events_.push_back({placed.memory, range.end, false, i});
    }
  }

  // Sweeps over time with the live buffers sorted by offset. A new buffer is compared with the next
  // lower and the next higher one: as long as these are disjoint, no other can overlap it.
  void Sweep(uint32_t memory) {
    std::vector<Event> events;
    std::copy_if(events_.begin(), events_.end(), std::back_inserter(events),
                 [&](const Event& event) { return event.memory == memory; });
    // Ends come first: they free bytes for buffers that begin at the same time.
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      return std::pair(a.time, a.begins) < std::pair(b.time, b.begins);
    });
    live_.clear();
    for (const Event& event : events) {
      const size_t i = event.buffer;
      if (!event.begins) {
        live_.erase({OffsetOf(i), i});
        continue;
      }
      const auto location = live_.insert({OffsetOf(i), i}).first;
      if (location != live_.begin()) CheckDisjoint(std::prev(location)->second, i, event.time);
      if (std::next(location) != live_.end())
        CheckDisjoint(i, std::next(location)->second, event.time);
    }
  }

  void CheckDisjoint(size_t lower, size_t upper, int64_t time) {
    if (EndOf(lower) <= OffsetOf(upper)) return;
    Add(PlacementRule::kOverlap,
        fmt::format("buffers \"{}\" and \"{}\": share bytes [{}, {}) of memory {} at time {}; must "
                    "be disjoint",
                    problem_.buffers[lower].name, problem_.buffers[upper].name, OffsetOf(upper),
                    std::min(EndOf(lower), EndOf(upper)), placement_.buffers[lower].memory, time));
  }

  // Returns the first time at which both are live; nullopt if there is none.
  std::optional<int64_t> Meet(size_t a, size_t b) const {
    for (const TimeRange& of_a : LiveRanges(problem_.buffers[a])) {
      for (const TimeRange& of_b : LiveRanges(problem_.buffers[b])) {
        const int64_t begin = std::max(of_a.begin, of_b.begin);
        if (begin < std::min(of_a.end, of_b.end)) return begin;
      }
    }
    return std::nullopt;
  }

  void CheckOverlaps() {
    std::set<std::pair<size_t, size_t>> pairs;
    for (const AllowedOverlap& overlap : problem_.allowed_overlaps) {
      pairs.insert({overlap.x, overlap.y});
      pairs.insert({overlap.y, overlap.x});
      if (ShareAMemory(overlap.x, overlap.y) && Meet(overlap.x, overlap.y)) CheckDistance(overlap);
    }
    for (size_t a = 0; a < problem_.buffers.size(); ++a) {
      if (!overlaps_[a]) continue;
      for (size_t b = 0; b < problem_.buffers.size(); ++b) {
        // A pair of two such buffers is visited twice.
        if (b == a || (overlaps_[b] && b < a) || pairs.contains({a, b}) || !ShareAMemory(a, b)) {
          continue;
        }
        const bool a_is_lower = OffsetOf(a) <= OffsetOf(b);
        if (const std::optional<int64_t> time = Meet(a, b)) {
          CheckDisjoint(a_is_lower ? a : b, a_is_lower ? b : a, *time);
        }
      }
    }
  }

  bool ShareAMemory(size_t a, size_t b) const {
    return has_position_[a] && has_position_[b] && problem_.buffers[a].bytes > 0 &&
           problem_.buffers[b].bytes > 0 &&
           placement_.buffers[a].memory == placement_.buffers[b].memory;
  }

  void CheckDistance(const AllowedOverlap& overlap) {
    const int64_t before = OffsetOf(overlap.x) - OffsetOf(overlap.y);
    if (before >= overlap.before_bytes || -before >= overlap.after_bytes) return;
    Add(PlacementRule::kOverlapping, overlap.y,
        fmt::format("begins {} bytes {} \"{}\"; must begin at least {} before or {} after",
                    before < 0 ? -before : before, before < 0 ? "after" : "before",
                    problem_.buffers[overlap.x].name, overlap.before_bytes, overlap.after_bytes));
  }

  struct Event {
    uint32_t memory;
    int64_t time;
    bool begins;
    size_t buffer;
  };

  const Problem& problem_;
  const Placement& placement_;
  std::vector<bool> overlaps_, has_position_;
  std::vector<Event> events_;
  std::set<std::pair<int64_t, size_t>> live_;  // offset and buffer
  std::vector<PlacementFault> faults_;
};

}  // namespace

std::vector<PlacementFault> ValidatePlacement(const Problem& problem, const Placement& placement) {
  return Validation(problem, placement).Run();
}

}  // namespace weft::plan
