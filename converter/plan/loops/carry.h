// SPDX-License-Identifier: Apache-2.0
// How the carried states of a loop travel from one iteration to the next.
//
// An iteration makes each new value once, as a result of the body; from then on it is only passed
// from state to state: a state that takes what another one held is the same value an iteration
// later. So states form delay lines, ordered by age, and no value of a line needs to move. Either
// the states change homes, in a ring, and the body is laid out once per phase; or all values of the
// line stand in time order where a scan output gathers them (its track).
//
//   line of states a, b (b takes what a held) in a ring of 3 homes; "new" is the body's result:
//
//            home 0   home 1   home 2
//   i = 0    a        b        new
//   i = 1    b        new      a          iteration i finds the state at position p
//   i = 2    new      a        b          in home (p - i) mod 3
//   i = 3    a        b        new        as in iteration 0: three phases
//
// A state that is overwritten in place is a line of one state and one home; a shuttle (a ping-pong
// pair) is one state with two homes; states that swap are a closed line.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_CARRY_H_
#define WEFT_CONVERTER_PLAN_LOOPS_CARRY_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace weft::plan {

// What a state takes at the end of an iteration.
struct Origin {
  enum class Kind { kResult, kOldState } kind = Kind::kResult;
  size_t index = 0;    // of the result (the first of equal ones) or of the state
  bool fresh = false;  // the result is one step's own work, so it can be made where it is wanted
};

struct DelayLine {
  std::vector<size_t> states;  // by age, the youngest first; never empty
  bool closed = false;         // the youngest takes what the oldest held
  bool fresh = false;          // the youngest takes a fresh result, else one that has to be copied
  size_t homes = 1;            // of the ring; one more than states where the oldest is still needed
  std::optional<size_t> track;  // the scan whose track holds all values, instead of a ring
};

// Every state in exactly one line. One result, or one old value, has one home and so one state that
// takes it without a copy; the others begin lines of their own with a copy.
std::vector<DelayLine> LineUp(std::span<const Origin> origins);

// Phases after which every ring is as it was at first: the least common multiple of their homes.
size_t PhasesOf(std::span<const DelayLine> lines);

// Breaks the longest rings into states that are copied until there are at most `limit` phases.
void LimitPhases(std::vector<DelayLine>& lines, size_t limit);

// Home, after `done` iterations, of the value made `age` iterations before the last of them.
inline size_t HomeAfter(const DelayLine& line, size_t done, size_t age) {
  const size_t homes = line.homes;
  return (age % homes + homes - done % homes) % homes;
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_CARRY_H_
