// SPDX-License-Identifier: Apache-2.0
// Loops of layers, steps on each time step and windows over time (program/window_rows.h) behind one
// another, which can run strip by strip (time_strips.h), and how far each runs behind the first:
//
//   x      | 0 1 2 3 4 5 6 7 8 9 |      a window of three rows, padded by one on both sides
//   lead   |[0 1 2]              |      rows 0 and 1 of y, whose lag is 1: the next needs row 3
//   strips |       [3 4][5 6][7 8]      rows 2 3, 4 5, 6 7
//   rest   |                    [9]     rows 8 9
//
// What has padding in its window lies in the lead and in the rest, so that it is skipped as it was.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_TIME_GROUP_H_
#define WEFT_CONVERTER_PLAN_LOOPS_TIME_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// Rows one behind the other that a member makes.
struct TimeSequence {
  ValueId whole = kNone;
  int64_t rows = 0, row_bytes = 0;
  size_t maker = 0;       // of the members
  int64_t history = 0;    // rows before those of a strip that its readers still need then
  int64_t kept_from = 0;  // the first row that something behind the members reads; `rows`: none
};

// What a member reads row by row: a sequence, or else a value from some byte on.
struct TimeOperand {
  size_t input = 0;         // of the step, or a slice of the loop
  size_t sequence = kNone;  // of the group
  ValueId value = kNone;
  int64_t begin_bytes = 0, row_bytes = 0;
};

struct TimeMember {
  size_t item = 0;  // of the block
  int64_t rows = 0;
  int64_t front = 0, reach = 0, behind = 0;  // of its window (program/window_rows.h)
  int64_t lag = 0;                           // rows that it is behind the first one
  std::vector<TimeOperand> operands;
  std::vector<size_t> made;  // sequences: of each scan of the loop, or the step's output
};

struct TimeGroup {
  std::vector<TimeMember> members;
  std::vector<TimeSequence> sequences;
  std::vector<size_t> before, after;  // all other items of the block
  int64_t strip = 1, strips = 0;      // rows of one, and how many there are
  int64_t lead = 0;                   // rows before the first strip, of a member without lag

  int64_t LeadOf(const TimeMember& member) const { return lead - member.lag; }
  int64_t RestOf(const TimeMember& member) const {
    return member.rows - LeadOf(member) - strips * strip;
  }
};

// The first group from that item of the block on with a loop, a window and a sequence that need not
// be stored, in strips of at most so many rows.
std::optional<TimeGroup> FindTimeGroup(const Program& program, BlockId block, size_t first,
                                       int64_t most_rows);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_TIME_GROUP_H_
