// SPDX-License-Identifier: Apache-2.0
// Groups of consecutive items that can run tile by tile (loop_passes.h): loops of layers, steps on
// each time step and windows over time (program/window_rows.h). Each item has a lag relative to the
// first one:
//
//   x      | 0 1 2 3 4 5 6 7 8 9 |      a window of three rows, padded by one on both sides
//   lead   |[0 1 2]              |      rows 0 and 1 of y, whose lag is 1: the next needs row 3
//   tiles  |       [3 4][5 6][7 8]      rows 2 3, 4 5, 6 7
//   rest   |                    [9]     rows 8 9
//
// Rows whose window includes padding are in the lead and in the rest, where padding is skipped as
// in the complete sequence.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_TIME_GROUP_H_
#define WEFT_CONVERTER_PLAN_LOOPS_TIME_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "converter/program/program.h"

namespace weft::plan {

// Consecutive rows that a member computes.
struct TimeSequence {
  program::ValueId whole = program::kNone;
  int64_t rows = 0, row_bytes = 0;
  size_t maker = 0;       // index of the member that computes it
  int64_t history = 0;    // rows before a tile that readers still need in that tile
  int64_t kept_from = 0;  // first row read after the group; `rows` if none is
};

// An operand that a member reads row by row: a sequence, or a value from some byte on.
struct TimeOperand {
  size_t input = 0;                  // input of the step, or slice of the loop
  size_t sequence = program::kNone;  // index in the group
  program::ValueId value = program::kNone;
  int64_t begin_bytes = 0, row_bytes = 0;
};

// A loop or step of a group.
struct TimeMember {
  size_t item = 0;  // index in the block
  int64_t rows = 0;
  int64_t front = 0, reach = 0, after = 0;  // of its window (program/window_rows.h)
  int64_t lag = 0;                          // rows by which it runs later than the first member
  std::vector<TimeOperand> operands;
  std::vector<size_t> made;  // its sequences: one per scan of the loop, or the step's output
};

// Members in order, the sequences that they compute, and how these are divided into tiles.
struct TimeGroup {
  std::vector<TimeMember> members;
  std::vector<TimeSequence> sequences;
  std::vector<size_t> before, after;  // all other items of the block
  int64_t tile = 1, tiles = 0;        // rows per tile, and number of tiles
  int64_t lead = 0;                   // rows before the first tile, of a member without lag

  int64_t LeadOf(const TimeMember& member) const { return lead - member.lag; }
  int64_t RestOf(const TimeMember& member) const {
    return member.rows - LeadOf(member) - tiles * tile;
  }
};

// Returns the first group from item `first` of the block on, in tiles of at most `max_rows` rows.
// The group must have a loop, a window and a sequence that need not be stored. Returns nullopt if
// there is none.
std::optional<TimeGroup> FindTimeGroup(const program::Program& program, program::BlockId block,
                                       size_t first, int64_t max_rows);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_TIME_GROUP_H_
