// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/carry.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::plan {
namespace {

using Kind = Origin::Kind;
using States = std::vector<size_t>;

Origin Result(size_t index, bool fresh = true) { return {Kind::kResult, index, fresh}; }
Origin OldState(size_t index) { return {Kind::kOldState, index, false}; }

DelayLine Ring(States states, size_t buffers) {
  DelayLine line;
  line.states = std::move(states);
  line.buffers = buffers;
  return line;
}

TEST(LineUp, MakesALineOfEachStateWithAResultOfItsOwn) {
  const std::vector<DelayLine> lines = LineUp(std::vector{Result(0), Result(1, false)});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].states, States{0});
  EXPECT_EQ(lines[0].buffers, 1u);
  EXPECT_TRUE(lines[0].fresh);
  EXPECT_FALSE(lines[1].fresh);
}

TEST(LineUp, OrdersADelayLineByAge) {
  const std::vector<DelayLine> lines = LineUp(std::vector{OldState(2), Result(0), OldState(1)});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].states, (States{1, 2, 0}));
  EXPECT_EQ(lines[0].buffers, 3u);
  EXPECT_TRUE(lines[0].fresh);
  EXPECT_FALSE(lines[0].closed);
}

TEST(LineUp, ClosesALineOfStatesThatSwap) {
  const std::vector<DelayLine> lines = LineUp(std::vector{OldState(1), OldState(0)});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].states, (States{0, 1}));
  EXPECT_TRUE(lines[0].closed);
}

TEST(LineUp, ClosesALineOfAStateThatKeepsItsValue) {
  const std::vector<DelayLine> lines = LineUp(std::vector{OldState(0)});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].closed);
  EXPECT_EQ(lines[0].buffers, 1u);
}

// One result has one buffer; the second state that takes it needs a copy.
TEST(LineUp, LetsOneStateTakeAResult) {
  const std::vector<DelayLine> lines = LineUp(std::vector{Result(0), Result(0)});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].fresh);
  EXPECT_FALSE(lines[1].fresh);
}

TEST(LineUp, LetsOneStateTakeAnOldValue) {
  const std::vector<DelayLine> lines = LineUp(std::vector{Result(0), OldState(0), OldState(0)});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].states, (States{0, 1}));
  EXPECT_EQ(lines[1].states, States{2});
  EXPECT_FALSE(lines[1].fresh);
}

TEST(LineUp, PutsEveryStateInOneLine) {
  const std::vector<Origin> origins = {OldState(3), Result(0),   OldState(1), OldState(0),
                                       OldState(4), OldState(2), Result(1)};
  std::vector<size_t> seen(origins.size());
  for (const DelayLine& line : LineUp(origins)) {
    for (const size_t state : line.states) ++seen[state];
  }
  EXPECT_EQ(seen, std::vector<size_t>(origins.size(), 1));
}

TEST(Phases, AreTheLeastCommonMultipleOfTheHomes) {
  EXPECT_EQ(PhasesOf({}), 1u);
  std::vector<DelayLine> lines = {Ring({0}, 2), Ring({1, 2}, 3), Ring({3}, 1)};
  EXPECT_EQ(PhasesOf(lines), 6u);
  lines[1].scan_buffer = 0;
  EXPECT_EQ(PhasesOf(lines), 2u);
}

TEST(Phases, AreLimitedByBreakingTheLongestRing) {
  std::vector<DelayLine> lines = {Ring({0}, 2), Ring({1, 2}, 3)};
  LimitPhases(lines, 6);
  EXPECT_EQ(lines.size(), 2u);
  LimitPhases(lines, 5);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(PhasesOf(lines), 2u);
  EXPECT_EQ(lines[1].states, States{1});
  EXPECT_FALSE(lines[1].fresh);
  LimitPhases(lines, 1);
  EXPECT_EQ(PhasesOf(lines), 1u);
}

// A new value goes to a buffer that holds no state of the line in that phase. The next phase finds
// it there as the youngest state.
TEST(BufferAfter, FollowsAValueThroughTheLine) {
  const DelayLine line = Ring({0, 1}, 3);
  for (size_t phase = 0; phase < 7; ++phase) {
    const size_t made = BufferAfter(line, phase + 1, 0);
    EXPECT_NE(made, BufferAfter(line, phase, 0));
    EXPECT_NE(made, BufferAfter(line, phase, 1));
    EXPECT_EQ(BufferAfter(line, phase + 2, 1), made);
  }
  EXPECT_EQ(BufferAfter(line, 0, 0), 0u);
  EXPECT_EQ(BufferAfter(line, 0, 1), 1u);
}

}  // namespace
}  // namespace weft::plan
