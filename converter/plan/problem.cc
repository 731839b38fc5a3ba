// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::plan {

std::vector<TimeRange> LiveRanges(const Buffer& buffer) {
  std::vector<TimeRange> ranges;
  int64_t begin = buffer.lifetime.begin;
  const auto add_until = [&](int64_t end) {
    if (begin < end) ranges.push_back({begin, end});
  };
  for (const TimeRange& gap : buffer.gaps) {
    add_until(gap.begin);
    begin = gap.end;
  }
  add_until(buffer.lifetime.end);
  return ranges;
}

namespace {

// Returns the maximum number of bytes that the buffers of an overlapping pair can share.
int64_t SharedBytes(const Buffer& x, const Buffer& y, const AllowedOverlap& overlap,
                    int64_t granule_bytes) {
  const int64_t min = std::min(std::max(overlap.before_bytes + x.bytes, y.bytes),
                               std::max(overlap.after_bytes + y.bytes, x.bytes));
  const int64_t shared = RoundUp(x.bytes, granule_bytes) + RoundUp(y.bytes, granule_bytes) -
                         RoundUp(min, granule_bytes);
  return std::max<int64_t>(shared, 0);
}

// Returns the times at which both are live.
std::vector<TimeRange> CommonRanges(const Buffer& a, const Buffer& b) {
  std::vector<TimeRange> common;
  for (const TimeRange& of_a : LiveRanges(a)) {
    for (const TimeRange& of_b : LiveRanges(b)) {
      const TimeRange both = {std::max(of_a.begin, of_b.begin), std::min(of_a.end, of_b.end)};
      if (both.begin < both.end) common.push_back(both);
    }
  }
  return common;
}

}  // namespace

Peak PeakOf(std::span<const Buffer> buffers, int64_t granule_bytes,
            std::span<const AllowedOverlap> allowed_overlaps) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // time, bytes more or fewer
  for (const Buffer& buffer : buffers) {
    const int64_t bytes = RoundUp(buffer.bytes, granule_bytes);
    for (const TimeRange& range : LiveRanges(buffer)) {
      changes.emplace_back(range.begin, bytes);
      changes.emplace_back(range.end, -bytes);
    }
  }
  for (const AllowedOverlap& overlap : allowed_overlaps) {
    const Buffer &x = buffers[overlap.x], &y = buffers[overlap.y];
    const int64_t shared = SharedBytes(x, y, overlap, granule_bytes);
    for (const TimeRange& range : CommonRanges(x, y)) {
      changes.emplace_back(range.begin, -shared);
      changes.emplace_back(range.end, shared);
    }
  }
  std::sort(changes.begin(), changes.end());
  Peak peak;
  int64_t live = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    live += changes[i].second;
    const bool is_last_of_time = i + 1 == changes.size() || changes[i + 1].first > changes[i].first;
    if (is_last_of_time && live > peak.bytes) peak = {changes[i].first, live};
  }
  return peak;
}

int64_t GranuleOf(std::span<const Buffer> buffers) {
  int64_t granule = 0;
  for (const Buffer& buffer : buffers) {
    granule = std::gcd(granule, buffer.alignment_bytes);
    granule = std::gcd(granule, buffer.fixed_offset_bytes.value_or(0));
  }
  return std::max<int64_t>(granule, 1);
}

// At the peak, each buffer except the topmost ends where another may begin, at a multiple of the
// granule.
int64_t LowerBound(const Problem& problem) {
  const int64_t granule = GranuleOf(problem.buffers);
  int64_t bound = PeakOf(problem.buffers, granule, problem.allowed_overlaps).bytes - (granule - 1);
  for (const Buffer& buffer : problem.buffers) {
    bound = std::max(bound, buffer.fixed_offset_bytes.value_or(0) + buffer.bytes);
  }
  return bound;
}

std::string ToString(const Problem& problem, const Placement& placement) {
  std::string text = "memory   offset     bytes  lifetime              buffer\n";
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    const Placed& placed = placement.buffers[i];
    std::string times = fmt::format("[{}, {})", buffer.lifetime.begin, buffer.lifetime.end);
    for (const TimeRange& gap : buffer.gaps) times += fmt::format(" not {}-{}", gap.begin, gap.end);
    text += fmt::format("{:6} {:8} {:9}  {:20}  {}\n", placed.memory, placed.offset_bytes,
                        buffer.bytes, times, buffer.name);
  }
  for (const AllowedOverlap& overlap : problem.allowed_overlaps) {
    text += fmt::format("{} may begin {} bytes before {}, or {} after its begin\n",
                        problem.buffers[overlap.y].name, overlap.before_bytes,
                        problem.buffers[overlap.x].name, overlap.after_bytes);
  }
  for (size_t i = 0; i < placement.used_bytes.size(); ++i) {
    const Memory& memory = problem.memories[i];
    text +=
        fmt::format("memory {}{}: {} bytes used", i,
                    memory.name.empty() ? "" : " \"" + memory.name + "\"", placement.used_bytes[i]);
    text += memory.capacity_bytes ? fmt::format(" of {}\n", *memory.capacity_bytes) : "\n";
  }
  return text;
}

}  // namespace weft::plan
