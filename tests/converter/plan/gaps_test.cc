// SPDX-License-Identifier: Apache-2.0
// Values that are overwritten before they are read again: other values use their bytes in between,
// and results do not change. In each of these programs the value holds nothing at the moment of the
// peak.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/ops/support/loop.h"
#include "converter/plan/liveness.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/program/coalesce.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/converter/program_runner.h"

namespace weft::plan {
namespace {

constexpr int64_t kSmall = 64, kLarge = 1024, kWide = 2048;
constexpr int64_t kFloat = 4;
constexpr int64_t kTrips = 5;
using Row = std::vector<float>;

TensorType F32Rows(int64_t rows, int64_t width) { return {ElementType::f32, {rows, width}}; }

// kLarge floats computed from kSmall ones, with two wide values that are live together.
program::ValueId Widened(program::Builder& builder, program::ValueId small) {
  constexpr int64_t kRows = kWide / kSmall;
  const program::ValueId rows = builder.Scratch(F32Rows(1, kWide)),
                         permuted = builder.Scratch(F32Rows(1, kWide));
  builder.CopyStrided(small, rows, {kRows, kSmall}, {0, 1}, 0, {kSmall, 1}, 0);
  builder.CopyStrided(rows, permuted, {kSmall, kRows}, {1, kSmall}, 0, {kRows, 1}, 0);
  return Add(builder, builder.View(permuted, 0, F32Rows(1, kLarge)),
             builder.View(permuted, kLarge * kFloat, F32Rows(1, kLarge)));
}

Row Widened(const float* small) {
  Row large;
  for (int64_t i = 0; i < kLarge; ++i) {
    const int64_t of = i / (kWide / kSmall);
    large.push_back(small[of] + small[kSmall / 2 + of]);
  }
  return large;
}

Row Pattern(int64_t count) {
  Row numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i % 61));
  return numbers;
}

// Outputs of a program, its scratch, and the scratch that it would need if no value had gaps.
struct Planned {
  std::vector<Row> outputs;
  int64_t scratch_bytes = 0, without_gaps_bytes = 0;
};

Planned PlannedOf(program::Program program, const std::vector<Row>& inputs) {
  PlanLoops(program);
  Coalesce(program);
  const Plan plan = PlanAsIs(std::move(program));
  Problem without = plan.problem;
  for (Buffer& buffer : without.buffers) buffer.gaps.clear();
  return {RunPlan(plan, inputs), plan.all_scratch_bytes(),
          RoundUp(Solve(without).used_bytes[0], kScratchAlignment)};
}

struct InLoop {
  program::Program program;
  program::Builder builder{program};

  // The inputs are a sequence and a state of kLarge floats.
  Planned Plan(
      const std::function<ops::LoopResults(program::ValueId x, program::ValueId initial)>& loop) {
    const program::ValueId x = builder.Scratch(F32Rows(kTrips, kSmall));
    const program::ValueId initial = builder.Scratch(F32Rows(1, kLarge));
    program.inputs = {{x, {"x"}}, {initial, {"h"}}};
    const ops::LoopResults results = loop(x, initial);
    for (const program::ValueId value : results.scans) program.outputs.push_back({value, {"scan"}});
    for (const program::ValueId value : results.lasts) program.outputs.push_back({value, {"last"}});
    return PlannedOf(program, {Pattern(kTrips * kSmall), Pattern(kLarge)});
  }
};

// The first elements of the state are read first, and all of it is written at the end: a frame that
// is expanded from a small code of the previous frame.
TEST(Gaps, AStateThatIsReadFirstAndWrittenLastHoldsNothingInBetween) {
  InLoop net;
  program::Builder& builder = net.builder;
  const Planned planned = net.Plan([&](program::ValueId x, program::ValueId initial) {
    ops::LoopSpec spec;
    spec.trips = kTrips;
    spec.sliced = {{x, 0, 1, false}};
    spec.carried = {{initial, 0}};
    spec.lasts = {{0, F32Rows(1, kLarge)}};
    return ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
      const program::ValueId code = Add(
          builder, builder.View(iteration.states[0], 0, F32Rows(1, kSmall)), iteration.slices[0]);
      return std::vector<program::ValueId>{Widened(builder, code)};
    });
  });
  Row state = Pattern(kLarge), x = Pattern(kTrips * kSmall);
  for (int64_t trip = 0; trip < kTrips; ++trip) {
    Row code;
    for (int64_t i = 0; i < kSmall; ++i) {
      code.push_back(state[static_cast<size_t>(i)] + x[static_cast<size_t>(trip * kSmall + i)]);
    }
    state = Widened(code.data());
  }
  EXPECT_EQ(planned.outputs, (std::vector<Row>{state}));
  EXPECT_EQ(planned.without_gaps_bytes - planned.scratch_bytes, kLarge * kFloat);
}

// The old state is read after the new one is written. So the state alternates between two buffers,
// and one of them is not read until it is written.
TEST(Gaps, APlaceOfAPingPongPairHoldsNothingUntilItIsWritten) {
  InLoop net;
  program::Builder& builder = net.builder;
  const Planned planned = net.Plan([&](program::ValueId x, program::ValueId initial) {
    ops::LoopSpec spec;
    spec.trips = kTrips;
    spec.sliced = {{x, 0, 1, false}};
    spec.carried = {{initial, 0}};
    spec.scans = {{1, 0, false, F32Rows(kTrips, kSmall)}};
    spec.lasts = {{0, F32Rows(1, kLarge)}};
    return ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
      const program::ValueId old = iteration.states[0];
      const program::ValueId next = Add(builder, Widened(builder, iteration.slices[0]), old);
      const program::ValueId y = Add(builder, builder.View(next, 0, F32Rows(1, kSmall)),
                                     builder.View(old, kSmall * kFloat, F32Rows(1, kSmall)));
      return std::vector<program::ValueId>{next, y};
    });
  });
  Row state = Pattern(kLarge), x = Pattern(kTrips * kSmall), scan;
  for (int64_t trip = 0; trip < kTrips; ++trip) {
    Row next = Widened(x.data() + trip * kSmall);
    for (size_t i = 0; i < next.size(); ++i) next[i] += state[i];
    for (size_t i = 0; i < kSmall; ++i) scan.push_back(next[i] + state[kSmall + i]);
    state = next;
  }
  EXPECT_EQ(planned.outputs, (std::vector<Row>{scan, state}));
  EXPECT_EQ(planned.without_gaps_bytes - planned.scratch_bytes, kLarge * kFloat);
}

TEST(Gaps, WhatTheLastIterationMakesHoldsNothingBeforeThatInAnyOther) {
  InLoop net;
  program::Builder& builder = net.builder;
  const Planned planned = net.Plan([&](program::ValueId x, program::ValueId initial) {
    ops::LoopSpec spec;
    spec.trips = kTrips;
    spec.sliced = {{x, 0, 1, false}};
    spec.lasts = {{0, F32Rows(1, kLarge)}};
    return ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
      return std::vector<program::ValueId>{
          Widened(builder,
                  Add(builder, iteration.slices[0], builder.View(initial, 0, F32Rows(1, kSmall))))};
    });
  });
  Row code, x = Pattern(kTrips * kSmall), initial = Pattern(kLarge);
  for (int64_t i = 0; i < kSmall; ++i) {
    code.push_back(x[static_cast<size_t>((kTrips - 1) * kSmall + i)] +
                   initial[static_cast<size_t>(i)]);
  }
  EXPECT_EQ(planned.outputs, (std::vector<Row>{Widened(code.data())}));
  // The inputs and two wide values.
  EXPECT_EQ(planned.scratch_bytes, (kTrips * kSmall + kLarge + 2 * kWide) * kFloat);
}

// Both branches read the value first, then compute wide values. The first branch need not keep the
// value for the second one.
TEST(Gaps, ABranchKeepsNothingForTheOtherOne) {
  for (const bool takes_first : {true, false}) {
    program::Program program;
    program::Builder builder(program);
    const program::ValueId x = builder.Scratch(F32Rows(1, kLarge)),
                           made = builder.Scratch(F32Rows(1, kLarge));
    const program::ValueId condition = builder.Scratch({ElementType::boolean, {1}});
    const program::ValueId y = builder.Scratch(F32Rows(1, kLarge));
    program.inputs = {{x, {"x"}}};
    program.outputs = {{y, {"y"}}};
    builder.Fill(condition, takes_first ? 1 : 0);
    EmitUnary(builder, format::UnaryOp::negative, x, made);
    for (const bool runs_when : {true, false}) {
      const program::SectionId id = builder.NewSection();
      const program::BlockId outside = builder.block(), inside = builder.NewBlock();
      builder.SetBlock(inside);
      const int64_t begin = runs_when ? 0 : kSmall * kFloat;
      EmitUnary(builder, format::UnaryOp::negative,
                Widened(builder, Unary(builder, format::UnaryOp::negative,
                                       builder.View(made, begin, F32Rows(1, kSmall)))),
                y);
      builder.SetBlock(outside);
      program::Section& section = program.sections[id];
      section.copies = {inside};
      section.trip_count = section.max_trips = 1;
      section.first_condition = condition;
      section.runs_when = runs_when;
      builder.Enter(id);
    }
    const Planned planned = PlannedOf(program, {Pattern(kLarge)});
    const Row input = Pattern(kLarge);
    Row expected = Widened(input.data() + (takes_first ? 0 : kSmall));
    for (float& number : expected) number = -number;
    EXPECT_EQ(planned.outputs, (std::vector<Row>{expected}));
    EXPECT_EQ(planned.without_gaps_bytes - planned.scratch_bytes, kLarge * kFloat);
  }
}

}  // namespace
}  // namespace weft::plan
