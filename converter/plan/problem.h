// SPDX-License-Identifier: Apache-2.0
// The problem of memory planning, independent of steps and models: buffers with live ranges, and
// memories that hold them. A solver (solve.h) computes a Placement; validate_placement.h checks it.
//
//   offset
//     ^   +-------+ +-----+
//     |   |   b   | |  d  |
//     |   +---+---+-+-----+--+
//     |   | a |       c      |
//     +---+---+--------------+--> time
//
// A buffer is a rectangle: the width is the lifetime, the height is the size in bytes. A solver
// chooses offsets so that no two rectangles in one memory overlap. A gap is a part of a lifetime in
// which the buffer holds no value. Other buffers may use the bytes in a gap, but the buffer keeps
// its offset.
//
// An AllowedOverlap is an exception for two buffers x and y. One step reads x for the last time and
// writes y, both from one end to the other. The buffers may overlap if y begins far enough before
// or after the begin of x. At such a distance, the step never overwrites a byte that it reads
// later.
#ifndef WEFT_CONVERTER_PLAN_PROBLEM_H_
#define WEFT_CONVERTER_PLAN_PROBLEM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/liveness_analysis.h"

namespace weft::plan {

using weft::TimeRange;

// A value that needs an offset in one of the memories.
struct Buffer {
  std::string name;
  int64_t bytes = 0;
  TimeRange lifetime;
  std::vector<TimeRange> gaps = {};  // disjoint, within the lifetime, in increasing order
  int64_t alignment_bytes = 1;       // of the offset; at least 1
  std::optional<int64_t> fixed_offset_bytes = std::nullopt;  // required offset, in memory 0
  std::optional<int64_t> hint_bytes = std::nullopt;  // an offset that a solver may try first
  double traffic_bytes = 0;                          // read and written in one run
  // A copy of weights: only memories that hold weights accept it, and without a memory the steps
  // read the weights from the file.
  bool is_weights = false;
  bool operator==(const Buffer&) const = default;
};

// Two buffers that may overlap in memory. y must begin at least `before_bytes` before the begin of
// x, or at least `after_bytes` after it. If `before_bytes` is the size of y and `after_bytes` the
// size of x, the buffers are disjoint.
struct AllowedOverlap {
  size_t x = 0, y = 0;  // indices of two different buffers; each pair is listed once
  int64_t before_bytes = 0, after_bytes = 0;
  bool operator==(const AllowedOverlap&) const = default;
};

// A memory that buffers can be put into.
struct Memory {
  std::string name;
  std::optional<int64_t> capacity_bytes = std::nullopt;  // nullopt: as much as is needed
  double relative_speed = 1;                             // more is faster
  bool holds_weights = false;                            // in addition to buffers
  bool operator==(const Memory&) const = default;
};

// Input of a solver.
struct Problem {
  std::vector<Buffer> buffers;
  std::vector<Memory> memories = {{}};  // at least one
  std::vector<AllowedOverlap> allowed_overlaps = {};
  bool operator==(const Problem&) const = default;
};

// Returns the smallest multiple of `alignment` that is at least `bytes`.
constexpr int64_t RoundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Memory of weights without a copy.
inline constexpr uint32_t kNoMemory = 0xFFFFFFFFu;

// The address of one buffer.
struct Placed {
  uint32_t memory = 0;  // index among the problem's memories
  int64_t offset_bytes = 0;
  bool operator==(const Placed&) const = default;
};

// The addresses of all buffers of a problem.
struct Placement {
  std::vector<Placed> buffers;      // one per buffer of the problem
  std::vector<int64_t> used_bytes;  // per memory: the highest end offset of its buffers
  bool operator==(const Placement&) const = default;
};

// Returns the times at which the buffer is live: its lifetime without its gaps, in order, without
// empty ranges.
std::vector<TimeRange> LiveRanges(const Buffer& buffer);

// The maximum number of live bytes, and the time of the maximum.
struct Peak {
  int64_t time = 0, bytes = 0;  // the first time with the maximum
};
// Returns the maximum number of bytes live at one time. The size of each buffer is rounded up to a
// multiple of `granule_bytes`. Bytes that an AllowedOverlap can share are counted once.
Peak PeakOf(std::span<const Buffer> buffers, int64_t granule_bytes = 1,
            std::span<const AllowedOverlap> allowed_overlaps = {});

// Returns the largest common divisor of all alignments and fixed offsets, in bytes; at least 1.
// All offsets of a placement are multiples of the result.
int64_t GranuleOf(std::span<const Buffer> buffers);

// Returns a lower bound of the bytes that any placement uses in all memories together.
int64_t LowerBound(const Problem& problem);

// Returns one line per buffer, with its offset, size and lifetime, followed by the bytes per
// memory.
std::string ToString(const Problem& problem, const Placement& placement);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_PROBLEM_H_
