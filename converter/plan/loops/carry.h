// SPDX-License-Identifier: Apache-2.0
// How the carried states of a loop pass from one iteration to the next.
//
// An iteration computes each new value once, as a result of the body. From then on the value only
// passes from state to state: a state that takes the value of another one holds that value one
// iteration later. So states form delay lines, ordered by age, and no value of a line needs to be
// copied. Either the states change buffers, in a ring, and the body is emitted once per phase. Or
// all values of the line are stored in time order where a scan output gathers them (its scan
// buffer).
//
//   line of states a, b (b takes the value of a) in a ring of 3 buffers; "new" is the body's
//   result:
//
//            buffer 0   buffer 1   buffer 2
//   i = 0    a          b          new
//   i = 1    b          new        a          iteration i finds the state at position p
//   i = 2    new        a          b          in buffer (p - i) mod 3
//   i = 3    a          b          new        as in iteration 0: three phases
//
// A state that is overwritten in place is a line of one state and one buffer; a ping-pong pair is
// one state with two buffers; states that swap their values are a closed line.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_CARRY_H_
#define WEFT_CONVERTER_PLAN_LOOPS_CARRY_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace weft::plan {

// The value that a state takes at the end of an iteration.
struct Origin {
  enum class Kind { kResult, kOldState } kind = Kind::kResult;
  size_t index = 0;    // of the result (the first of equal ones) or of the state
  bool fresh = false;  // the result is a separate value, so it can be written to any buffer
};

// States that pass one value on, and the buffers that hold them.
struct DelayLine {
  std::vector<size_t> states;  // by age, the youngest first; never empty
  bool closed = false;         // the youngest state takes the value of the oldest
  bool fresh = false;          // the youngest takes a fresh result; otherwise it needs a copy
  size_t buffers = 1;  // buffers of the ring; one more than states if the oldest is still needed
  std::optional<size_t>
      scan_buffer;  // index of the scan whose buffer holds all values instead of a ring
};

// Returns lines that contain every state exactly once. A result, or an old value, has one buffer,
// so only one state can take it without a copy; other states that take it begin lines with a copy.
std::vector<DelayLine> LineUp(std::span<const Origin> origins);

// Returns the number of phases after which every ring is as at first: the least common multiple of
// their buffer counts.
size_t PhasesOf(std::span<const DelayLine> lines);

// Breaks the longest rings into single states that are copied, until there are at most `limit`
// phases.
void LimitPhases(std::vector<DelayLine>& lines, size_t limit);

// Returns the index of the buffer that holds, after `done` iterations, the value computed `age`
// iterations before the last of them.
inline size_t BufferAfter(const DelayLine& line, size_t done, size_t age) {
  const size_t buffers = line.buffers;
  return (age % buffers + buffers - done % buffers) % buffers;
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_CARRY_H_
