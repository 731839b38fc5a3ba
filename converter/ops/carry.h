// SPDX-License-Identifier: Apache-2.0
// How the carried states of a loop travel from one iteration to the next.
//
// A state's value is born once, as a result of the body, and from then on only handed down: a state
// that takes what another one held is the same value an iteration later. So states line up by age,
// as in a delay line, and none of their values ever needs to move: either the states change homes
// (iteration i finds the state at position p in home (p - i) mod homes; the body is laid down once
// per phase) or all values stand in time order in a track, as a scan output has them anyway. A
// state that is overwritten in place is a line of one state and one home, a shuttle one of one
// state and two homes, states that swap are a closed line.
#ifndef WEFT_CONVERTER_OPS_CARRY_H_
#define WEFT_CONVERTER_OPS_CARRY_H_

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace weft::ops {

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
  std::optional<size_t> track;  // where all values stand in time order, instead of a ring
};

// Every state in exactly one line. One result, or one old value, has one home and so one taker; the
// other takers begin lines of their own with a copy.
std::vector<DelayLine> LineUp(std::span<const Origin> origins);

// Phases after which every ring has come round: the least common multiple of their homes.
size_t PhasesOf(std::span<const DelayLine> lines);

// Breaks the longest rings into states that are copied until there are at most `limit` phases.
void LimitPhases(std::vector<DelayLine>& lines, size_t limit);

// Home of the value that was born `age` iterations before the last of `done` ones (0: in it).
inline size_t HomeAfter(const DelayLine& line, size_t done, size_t age) {
  const size_t homes = line.homes;
  return (age % homes + homes - done % homes) % homes;
}

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CARRY_H_
