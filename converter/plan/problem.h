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
// A buffer is a rectangle: its width is its lifetime, its height its size in bytes. Solving means
// to choose offsets so that no two rectangles of one memory overlap. A gap is a part of a lifetime
// in which the buffer holds no value: other buffers may use its bytes then, but its offset does not
// change.
//
// The buffers of a Near pair are an exception: one step reads x for the last time and writes y,
// from one end to the other. It never overwrites a byte that it still has to read. The buffers may
// overlap if y begins far enough before the begin of x, or far enough after it.
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
  std::optional<int64_t> fixed_offset_bytes = std::nullopt;  // in the first memory
  std::optional<int64_t> hint_bytes = std::nullopt;  // an offset that a solver may try first
  double traffic_bytes = 0;                          // read and written in one run
  bool operator==(const Buffer&) const = default;
};

// A pair that may overlap. y may begin at least `before_bytes` before x, or at least `after_bytes`
// after the begin of x. With the size of y and the size of x as these distances, the two are
// disjoint.
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

// The address of one buffer.
struct Placed {
  uint32_t memory = 0;  // index among the problem's memories
  int64_t offset_bytes = 0;
  bool operator==(const Placed&) const = default;
};

// The addresses of all buffers of a problem.
struct Placement {
  std::vector<Placed> buffers;      // one per buffer of the problem
  std::vector<int64_t> used_bytes;  // per memory: where its last buffer ends
  bool operator==(const Placement&) const = default;
};

// Returns the times at which the buffer is live: its lifetime without its gaps, in order, without
// empty ranges.
std::vector<TimeRange> LiveRanges(const Buffer& buffer);

// The maximum number of live bytes, and its time.
struct Peak {
  int64_t time = 0, bytes = 0;  // the first time with the maximum
};
// Returns the maximum number of bytes live at one time. The size of each buffer is rounded up to a
// multiple of `granule_bytes`; bytes that a Near pair can share are counted once.
Peak PeakOf(std::span<const Buffer> buffers, int64_t granule_bytes = 1,
            std::span<const AllowedOverlap> allowed_overlaps = {});

// Returns the largest number of bytes that divides all alignments and fixed offsets: every solver
// gives offsets that are multiples of it.
int64_t GranuleOf(const Problem& problem);

// Returns a lower bound of the bytes that any placement uses in all memories together.
int64_t LowerBound(const Problem& problem);

// Returns one line per buffer, with its offset, size and lifetime, followed by the bytes per
// memory.
std::string ToString(const Problem& problem, const Placement& placement);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_PROBLEM_H_
