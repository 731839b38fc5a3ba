// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/liveness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "converter/plan/traffic.h"
#include "converter/program/builder.h"

namespace weft::plan {
namespace {

class LivenessTest : public testing::Test {
 protected:
  program::ValueId Scratch(int64_t elements = 4) {
    return builder_.Scratch({ElementType::f32, {elements}});
  }

  TimeRange TimeOf(program::ValueId value) const {
    for (const Lifetime& each : Liveness(program_)) {
      if (each.root == value) return each.time;
    }
    return {};
  }

  // A section of `trips` iterations around the steps that `body` emits.
  template <typename Body>
  void Loop(int64_t trips, Body body) {
    const program::SectionId id = builder_.NewSection();
    const program::BlockId outside = builder_.block(), inside = builder_.NewBlock();
    builder_.SetBlock(inside);
    body();
    builder_.SetBlock(outside);
    program::Section& section = program_.sections[id];
    section.copies = {inside};
    section.trip_count = section.max_trips = trips;
    builder_.Enter(id);
  }

  program::Program program_;
  program::Builder builder_{program_};
};

// Time 0 is before the run; the steps are at times 1, 2, ...
TEST_F(LivenessTest, AValueLivesFromItsWriteBehindItsLastRead) {
  const program::ValueId x = Scratch(), a = Scratch(), b = Scratch(), y = Scratch();
  program_.inputs.push_back({x, {"x"}});
  program_.outputs.push_back({y, {"y"}});
  builder_.Copy(x, a);
  builder_.Copy(a, b);
  builder_.Copy(b, y);
  EXPECT_EQ(TimeOf(x), (TimeRange{0, 2}));
  EXPECT_EQ(TimeOf(a), (TimeRange{1, 3}));
  EXPECT_EQ(TimeOf(b), (TimeRange{2, 4}));
  EXPECT_EQ(TimeOf(y), (TimeRange{3, 5}));
}

TEST_F(LivenessTest, WhatNothingTouchesHasNoLifetime) {
  const program::ValueId a = Scratch(), b = Scratch();
  Scratch();
  Scratch(0);
  builder_.Copy(a, b);
  EXPECT_EQ(Liveness(program_).size(), 2u);
}

TEST_F(LivenessTest, WhatALoopReadsFromOutsideLivesToItsEnd) {
  const program::ValueId outside = Scratch(), inside = Scratch(), other = Scratch();
  builder_.Fill(outside);
  Loop(3, [&] {
    builder_.Copy(outside, inside);
    builder_.Copy(inside, other);
  });
  const TimeRange all = TimeOf(outside), within = TimeOf(inside);
  EXPECT_LT(all.begin, within.begin);
  EXPECT_GT(all.end, TimeOf(other).end);
  EXPECT_EQ(within.end - within.begin, 2);
}

TEST_F(LivenessTest, ASectionThatRunsOnceIsNoLoop) {
  const program::ValueId outside = Scratch(), inside = Scratch();
  builder_.Fill(outside);
  Loop(1, [&] { builder_.Copy(outside, inside); });
  EXPECT_EQ(TimeOf(outside).end, TimeOf(inside).begin + 1);
}

TEST_F(LivenessTest, TheOutermostLoopThatDoesNotHoldItAllCounts) {
  const program::ValueId outside = Scratch(), state = Scratch(), inside = Scratch();
  builder_.Fill(outside);
  Loop(3, [&] {
    builder_.Copy(outside, state);
    Loop(3, [&] { builder_.Copy(state, inside); });
  });
  EXPECT_GT(TimeOf(outside).end, TimeOf(state).end);
  EXPECT_GT(TimeOf(state).end, TimeOf(inside).end);
}

TEST_F(LivenessTest, ThePeakNamesItsStepAndTheLargestValues) {
  const program::ValueId small = Scratch(4), large = Scratch(100), y = Scratch(100);
  builder_.SetLayer("fill");
  builder_.Fill(small);
  program_.values[small].name = "small";
  builder_.Fill(large);
  program_.values[large].name = "large";
  builder_.SetLayer("join");
  builder_.Copy(large, y);
  program_.values[y].name = "y";
  builder_.Copy(small, builder_.View(y, 0, {ElementType::f32, {4}}));
  EXPECT_EQ(
      DescribePeak(program_),
      "peak is 816 bytes without padding at step 2 (copy \"join\"); live there: large 400, y 400, "
      "small 16");
}

TEST_F(LivenessTest, TrafficCountsLoopsWithTheirTrips) {
  const program::ValueId a = Scratch(2), b = Scratch(2);
  builder_.Fill(a);
  Loop(25, [&] { builder_.Fill(b); });
  EXPECT_EQ(TrafficOf(program_), (std::vector<double>{8, 200}));
}

// Cells of several layers wait at the same time if one loop has them all.
TEST_F(LivenessTest, IterationsWithCellsAreCountedOnce) {
  const auto cell = [&] {
    builder_.Emit(format::LstmCellParams(0, 16, 0, ElementType::f32, 0, 0),
                  std::vector<program::ValueId>(5, Scratch()), {Scratch(), Scratch()});
  };
  Loop(25, [&] { builder_.Fill(Scratch()); });
  EXPECT_EQ(WorkOf(program_, {}).waiting_cells, 0);
  Loop(25, cell);
  Loop(25, cell);
  EXPECT_EQ(WorkOf(program_, {}).waiting_cells, 50);
  Loop(25, [&] {
    cell();
    cell();
  });
  EXPECT_EQ(WorkOf(program_, {}).waiting_cells, 75);
}

}  // namespace
}  // namespace weft::plan
