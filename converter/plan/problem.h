// SPDX-License-Identifier: Apache-2.0
// The problem of placement, free of steps and models: buffers that are live for a while, memories
// to put them in. A solver (solve.h) makes a Placement of it; validate_placement.h checks one.
//
//   offset
//     ^   +-------+ +-----+
//     |   |   b   | |  d  |
//     |   +---+---+-+-----+--+
//     |   | a |       c      |
//     +---+---+--------------+--> time
//
// A buffer is a rectangle: its lifetime wide, its bytes high. Solving is to choose offsets so that
// no two rectangles of one memory overlap. A gap is a part of a lifetime in which the buffer holds
// nothing: others may use its bytes then, but it stays where it is.
//
// Two buffers that are near are an exception: one step reads x for the last time and writes y, from
// one end to the other, and never a byte that it has still to read. They may overlap as long as y
// begins far enough before x, or far enough behind where x begins.
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

struct Buffer {
  std::string name;
  int64_t bytes = 0;
  TimeRange lifetime;
  std::vector<TimeRange> gaps = {};  // within the lifetime, in increasing order, apart
  int64_t alignment_bytes = 1;       // of the offset; at least 1
  std::optional<int64_t> fixed_offset_bytes = std::nullopt;  // in the first memory
  std::optional<int64_t> hint_bytes = std::nullopt;  // an offset that a solver may try first
  double traffic_bytes = 0;                          // read and written in one run
  bool operator==(const Buffer&) const = default;
};

// y may begin at least `before_bytes` before x, or at least `behind_bytes` behind where x begins.
// The size of y and the size of x are the distances at which they are apart.
struct Near {
  size_t x = 0, y = 0;  // indices among the buffers; x is not y, and a pair stands here once
  int64_t before_bytes = 0, behind_bytes = 0;
  bool operator==(const Near&) const = default;
};

struct Memory {
  std::string name;
  std::optional<int64_t> capacity_bytes = std::nullopt;  // nullopt: as much as is needed
  double relative_speed = 1;                             // more is faster
  bool operator==(const Memory&) const = default;
};

struct Problem {
  std::vector<Buffer> buffers;
  std::vector<Memory> memories = {{}};  // at least one
  std::vector<Near> nears = {};
  bool operator==(const Problem&) const = default;
};

// The least multiple of `alignment` that is not below `bytes`.
constexpr int64_t RoundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

struct Placed {
  uint32_t memory = 0;  // index among the problem's memories
  int64_t offset_bytes = 0;
  bool operator==(const Placed&) const = default;
};

struct Placement {
  std::vector<Placed> buffers;      // one per buffer of the problem
  std::vector<int64_t> used_bytes;  // per memory: where its last buffer ends
  bool operator==(const Placement&) const = default;
};

// When the buffer is live: its lifetime without its gaps, in order, empty ranges left out.
std::vector<TimeRange> LiveRanges(const Buffer& buffer);

struct Peak {
  int64_t time = 0, bytes = 0;  // the first of the fullest moments
};
// Most bytes live at one time, each buffer's rounded up to a multiple of `granule_bytes`; those
// that near buffers can share are counted once.
Peak PeakOf(std::span<const Buffer> buffers, int64_t granule_bytes = 1,
            std::span<const Near> nears = {});

// The greatest number of bytes that divides all alignments and fixed offsets: offsets are multiples
// of it, whatever a solver does.
int64_t GranuleOf(const Problem& problem);

// No placement uses fewer bytes, all memories together.
int64_t LowerBound(const Problem& problem);

// A line per buffer: its place, size and lifetime; behind them the bytes per memory.
std::string ToString(const Problem& problem, const Placement& placement);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_PROBLEM_H_
