// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/loops/fuse.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "converter/ops/support/loop.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/program/coalesce.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/converter/program_runner.h"

namespace weft::plan {
namespace {

constexpr int64_t kTrips = 50, kWidth = 16, kRowBytes = kWidth * 4;
const TensorType kStackRow = {ElementType::f32, {1, kWidth}};
const TensorType kStackRows = {ElementType::f32, {kTrips, kWidth}};

// Cumulative sums over the axis, one loop after the other.
struct Sums {
  program::Program program;
  program::Builder builder{program};
  program::ValueId x = Input(kStackRows);

  program::ValueId Input(const TensorType& type) {
    const program::ValueId value = builder.Scratch(type);
    program.inputs.push_back({value, {"x" + std::to_string(value)}});
    return value;
  }
  void Output(program::ValueId value) {
    program.outputs.push_back({value, {"y" + std::to_string(program.outputs.size())}});
  }
  program::ValueId LastOf(program::ValueId all) {
    return builder.View(all, (kTrips - 1) * kRowBytes, kStackRow);
  }

  ops::LoopResults Sum(program::ValueId of, bool backward = false, int64_t trips = kTrips,
                       program::ValueId initial = program::kNone) {
    ops::LoopSpec spec;
    spec.trips = trips;
    spec.sliced.push_back({of, 0, kTrips / trips, backward});
    if (initial == program::kNone) {
      initial = builder.Scratch(kStackRow);
      builder.Fill(initial);
    }
    spec.carried.push_back({initial, 0});
    spec.scans.push_back({0, 0, backward, {ElementType::f32, {trips, kWidth}}});
    spec.lasts.push_back({0, kStackRow});
    return ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
      return std::vector<program::ValueId>{
          Add(builder, iteration.states[0], builder.View(iteration.slices[0], 0, kStackRow))};
    });
  }

  bool Fuses() {
    program::Program copy = program;
    return FuseLoops(copy) == Fusion::kLoops;
  }
};

std::vector<float> Ones() { return std::vector<float>(kTrips * kWidth, 1.0f); }

TEST(FuseLoops, KeepsNoSequenceBetweenLayers) {
  Sums sums;
  sums.Output(sums.x);  // so that no sequence overwrites it
  program::ValueId y = sums.x;
  for (int layer = 0; layer < 3; ++layer) y = sums.Sum(y).scans[0];
  sums.Output(sums.LastOf(y));
  program::Program fused = sums.program;
  ASSERT_EQ(FuseLoops(fused), Fusion::kLoops);
  EXPECT_EQ(FuseLoops(fused), Fusion::kNone);
  // Three cumulative sums of ones.
  const std::vector<float> expected(kWidth,
                                    static_cast<float>(kTrips * (kTrips + 1) * (kTrips + 2) / 6));
  EXPECT_EQ(RunFloats(sums.program, {Ones()}).at(1), expected);
  EXPECT_EQ(RunFloats(fused, {Ones()}).at(1), expected);
  // The input, and the sums of each layer in one buffer per layer.
  EXPECT_EQ(ScratchOf(fused), (kTrips + 3) * kRowBytes);
  EXPECT_GE(ScratchOf(sums.program), 2 * kTrips * kRowBytes);
}

TEST(FuseLoops, KeepsAStripBetweenLayersWhereLoopsAreCutFirst) {
  Sums sums;
  sums.Output(sums.x);
  const ops::LoopResults first = sums.Sum(sums.x);
  const ops::LoopResults second = sums.Sum(first.scans[0]);
  sums.Output(second.scans[0]);
  sums.Output(second.lasts[0]);
  sums.Output(first.lasts[0]);
  const std::vector<std::vector<float>> expected = RunFloats(sums.program, {Ones()});
  EXPECT_EQ(expected[2], std::vector<float>(kWidth, static_cast<float>(kTrips * (kTrips + 1) / 2)));
  const std::vector<FusedProgram> programs = FusedPrograms(sums.program);
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[0].tile, 8);
  EXPECT_EQ(programs[1].tile, 1);
  for (const FusedProgram& each : programs) {
    EXPECT_EQ(RunFloats(each.program, {Ones()}), expected) << each.tile;
  }
  // Fifty iterations in tiles of five.
  const program::Section& around = programs[0].program.sections[0];
  EXPECT_EQ(around.trip_count, 10);
  int loops_inside = 0;
  for (const program::Item& item : programs[0].program.blocks[around.loop->body].items) {
    const auto* entry = std::get_if<program::SectionEntry>(&item);
    if (entry == nullptr) continue;
    ++loops_inside;
    EXPECT_EQ(programs[0].program.sections[entry->section].trip_count, 5);
  }
  EXPECT_EQ(loops_inside, 2);
  EXPECT_LT(ScratchOf(programs[1].program), ScratchOf(programs[0].program));
  EXPECT_LT(ScratchOf(programs[0].program), ScratchOf(sums.program));
}

// -(sums of x) + x, summed again.
Sums SumsWithStepsBetween() {
  Sums sums;
  const program::ValueId negated =
      Unary(sums.builder, format::UnaryOp::negative, sums.Sum(sums.x).scans[0]);
  sums.Output(sums.LastOf(sums.Sum(Add(sums.builder, negated, sums.x)).scans[0]));
  return sums;
}

TEST(FuseLoops, TakesTheStepsBetweenLayersAlong) {
  const Sums sums = SumsWithStepsBetween();
  program::Program fused = sums.program;
  ASSERT_EQ(FuseLoops(fused), Fusion::kSteps);
  const std::vector<float> expected(kWidth, static_cast<float>(kTrips - kTrips * (kTrips + 1) / 2));
  EXPECT_EQ(RunFloats(sums.program, {Ones()}).at(0), expected);
  EXPECT_EQ(RunFloats(fused, {Ones()}).at(0), expected);
  EXPECT_LE(ScratchOf(fused), (kTrips + 4) * kRowBytes);
  const std::vector<FusedProgram> programs = FusedPrograms(sums.program);
  ASSERT_EQ(programs.size(), 2u);
  for (const FusedProgram& each : programs) {
    EXPECT_EQ(each.fusion, Fusion::kSteps);
    EXPECT_EQ(RunFloats(each.program, {Ones()}).at(0), expected) << each.tile;
  }
}

TEST(FuseLoops, TakesSumsWithALayersInputAlong) {
  Sums sums;  // three layers; the second adds its input, the third adds both inputs
  const program::ValueId first = sums.Sum(sums.x).scans[0];
  const program::ValueId second = Add(sums.builder, sums.Sum(first).scans[0], first);
  sums.Output(sums.LastOf(sums.Sum(Add(sums.builder, second, first)).scans[0]));
  program::Program fused = sums.program;
  ASSERT_EQ(FuseLoops(fused), Fusion::kSteps);
  EXPECT_EQ(RunFloats(fused, {Ones()}), RunFloats(sums.program, {Ones()}));
  EXPECT_LE(ScratchOf(fused), (kTrips + 5) * kRowBytes);
}

TEST(FuseLoops, LeavesAloneStepsThatMixIterations) {
  Sums sums;
  const program::ValueId first = sums.Sum(sums.x).scans[0];
  format::SoftmaxParams over_time;
  over_time.mutate_outer(1);
  over_time.mutate_axis(static_cast<uint32_t>(kTrips));
  over_time.mutate_inner(static_cast<uint32_t>(kWidth));
  const program::ValueId weights = sums.builder.Scratch(kStackRows);
  sums.builder.Emit(over_time, {first}, {weights});
  sums.Output(sums.LastOf(sums.Sum(weights).scans[0]));
  program::Program fused = sums.program;
  EXPECT_EQ(FuseLoops(fused), Fusion::kNone);
  EXPECT_TRUE(FusedPrograms(sums.program).empty());
}

TEST(FuseLoops, LeavesAloneStepsBehindTheLastLayer) {
  Sums sums;
  const program::ValueId all = sums.Sum(sums.Sum(sums.x).scans[0]).scans[0];
  sums.Output(Unary(sums.builder, format::UnaryOp::negative, all));
  const std::vector<FusedProgram> programs = FusedPrograms(sums.program);
  ASSERT_EQ(programs.size(), 2u);
  for (const FusedProgram& each : programs) EXPECT_EQ(each.fusion, Fusion::kLoops);
}

TEST(FuseLoops, LeavesAloneWhatElseIsRead) {
  const auto fuses = [](const std::function<void(Sums&)>& make) {
    Sums sums;
    make(sums);
    return sums.Fuses();
  };
  EXPECT_TRUE(fuses([](Sums& sums) { sums.Output(sums.Sum(sums.Sum(sums.x).scans[0]).lasts[0]); }));
  EXPECT_TRUE(fuses([](Sums& sums) {  // the last value of the first loop does not matter
    const ops::LoopResults first = sums.Sum(sums.x);
    sums.Output(sums.Sum(first.scans[0]).lasts[0]);
    sums.Output(first.lasts[0]);
  }));
  EXPECT_FALSE(fuses([](Sums& sums) {  // the sequence itself is an output
    const ops::LoopResults first = sums.Sum(sums.x);
    sums.Output(sums.Sum(first.scans[0]).lasts[0]);
    sums.Output(first.scans[0]);
  }));
  EXPECT_FALSE(fuses([](Sums& sums) {  // the second loop starts at the last chunk
    sums.Output(sums.Sum(sums.Sum(sums.x).scans[0], true).lasts[0]);
  }));
  EXPECT_FALSE(fuses([](Sums& sums) {  // the second loop reads two rows per iteration
    sums.Output(sums.Sum(sums.Sum(sums.x).scans[0], false, kTrips / 2).lasts[0]);
  }));
  EXPECT_FALSE(fuses([](Sums& sums) {  // the second loop starts from the end of the first
    const ops::LoopResults first = sums.Sum(sums.x);
    const program::ValueId initial = sums.builder.Scratch(kStackRow);
    sums.builder.Copy(first.lasts[0], initial);
    sums.Output(sums.Sum(first.scans[0], false, kTrips, initial).lasts[0]);
  }));
  EXPECT_FALSE(fuses([](Sums& sums) {  // the second loop reads another sequence
    sums.Output(sums.Sum(sums.x).lasts[0]);
    sums.Output(sums.Sum(sums.Input(kStackRows)).lasts[0]);
  }));
}

}  // namespace
}  // namespace weft::plan
