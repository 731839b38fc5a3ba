// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "converter/ops/support/loop.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/plan/loops/time_group.h"
#include "converter/program/builder.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/converter/program_runner.h"

namespace weft::plan {
namespace {

constexpr int64_t kSteps = 40, kFeatures = 16;
const TensorType kStep = {ElementType::f32, {1, kFeatures}};

TensorType StepsType(int64_t steps) { return {ElementType::f32, {steps, kFeatures}}; }

// Cumulative sums over time, and pooling along it.
struct Stack {
  program::Program program;
  program::Builder builder{program};
  program::ValueId x = builder.Scratch(StepsType(kSteps));

  Stack() { program.inputs.push_back({x, {"x"}}); }

  void Output(program::ValueId value) {
    program.outputs.push_back({value, {"y" + std::to_string(program.outputs.size())}});
  }
  void OutputLast(program::ValueId all) {
    Output(builder.View(all, builder.value(all).bytes - kFeatures * 4, kStep));
  }

  ops::LoopResults Sum(program::ValueId of, bool backward = false,
                       program::ValueId initial = program::kNone) {
    ops::LoopSpec spec;
    spec.trips = builder.dims(of)[0];
    spec.sliced.push_back({of, 0, 1, backward});
    if (initial == program::kNone) {
      initial = builder.Scratch(kStep);
      builder.Fill(initial);
    }
    spec.carried.push_back({initial, 0});
    spec.scans.push_back({0, 0, backward, builder.value(of).type});
    spec.lasts.push_back({0, kStep});
    return ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
      return std::vector<program::ValueId>{Add(builder, iteration.states[0], iteration.slices[0])};
    });
  }

  // The maximum of three rows, `dilation` rows apart.
  program::ValueId Max(program::ValueId of, uint32_t front, uint32_t after, uint32_t dilation = 1,
                       uint32_t stride = 1) {
    const int64_t in = builder.dims(of)[0];
    const int64_t out = (in + front + after - 2 * dilation - 1) / stride + 1;
    format::PoolParams params;
    params.mutate_batch(1);
    params.mutate_channels(kFeatures);
    params.mutate_in_height(1);
    params.mutate_out_height(1);
    params.mutate_kernel_height(1);
    params.mutate_stride_y(1);
    params.mutate_dilation_y(1);
    params.mutate_in_width(static_cast<uint32_t>(in));
    params.mutate_out_width(static_cast<uint32_t>(out));
    params.mutate_kernel_width(3);
    params.mutate_stride_x(stride);
    params.mutate_dilation_x(dilation);
    params.mutate_pad_left(front);
    params.mutate_pad_right(after);
    params.mutable_x() = params.mutable_y() = format::MapStrides(0, 0, kFeatures, 1);
    params.mutate_op(format::PoolOp::max);
    const program::ValueId y = builder.Scratch(StepsType(out));
    builder.Emit(params, {of}, {y});
    return y;
  }

  std::optional<TimeGroup> Group(int64_t rows = 8) const {
    return FindTimeGroup(program, program.main, 0, rows);
  }
};

TEST(TimeGroup, LagsBehindWhatLooksAhead) {
  Stack stack;
  const program::ValueId causal = stack.Max(stack.Sum(stack.x).scans[0], 2, 0);
  const program::ValueId around = stack.Max(causal, 3, 3, 3);
  stack.OutputLast(stack.Sum(around).scans[0]);
  const auto group = stack.Group();
  ASSERT_TRUE(group);
  ASSERT_EQ(group->members.size(), 4u);
  EXPECT_EQ(group->members[1].lag, 0);
  EXPECT_EQ(group->members[2].lag, 3);
  EXPECT_EQ(group->members[3].lag, 3);
  EXPECT_EQ(group->sequences[0].history, 2);
  EXPECT_EQ(group->sequences[1].history, 6);
  EXPECT_EQ(group->sequences[3].kept_from, kSteps - 1);
  EXPECT_EQ(group->RestOf(group->members[0]), 0);
  EXPECT_EQ(group->RestOf(group->members[3]), 3);
  EXPECT_EQ(group->lead + group->tiles * group->tile, kSteps);
}

TEST(TimeGroup, HasNoMemberThatNeedsTheWholeSequence) {
  const std::vector<std::function<void(Stack&)>> others = {
      [](Stack& s) { s.OutputLast(s.Sum(s.Max(s.Sum(s.x, true).scans[0], 2, 0), true).scans[0]); },
      [](Stack& s) { s.OutputLast(s.Max(s.Sum(s.x).scans[0], 2, 0, 1, 2)); },
      [](Stack& s) { s.Output(s.Max(s.Max(s.x, 2, 0), 2, 0)); },
      [](Stack& s) { s.OutputLast(s.Sum(s.Sum(s.x).scans[0]).scans[0]); },
      [](Stack& s) { s.OutputLast(s.Sum(s.Max(s.Sum(s.x).scans[0], 40, 0, 20)).scans[0]); },
  };
  for (size_t i = 0; i < others.size(); ++i) {
    Stack stack;
    others[i](stack);
    EXPECT_FALSE(stack.Group()) << i;
  }
}

// A decoder starts from the last state of the encoder.
TEST(TimeGroup, EndsWhereALayerBeginsWithTheLastStateOfAnother) {
  Stack stack;
  const ops::LoopResults first = stack.Sum(stack.x);
  const program::ValueId window = stack.Max(first.scans[0], 2, 0);
  stack.OutputLast(stack.Sum(window, false, first.lasts[0]).scans[0]);
  const auto group = stack.Group();
  ASSERT_TRUE(group);
  EXPECT_EQ(group->members.size(), 2u);
  EXPECT_EQ(group->sequences[1].kept_from, 0);
}

TEST(TimeTiles, KeepRowsOfAWindowInsteadOfSequences) {
  Stack stack;
  stack.Output(stack.x);  // so that no sequence overwrites it
  stack.OutputLast(stack.Sum(stack.Max(stack.Sum(stack.x).scans[0], 2, 0)).scans[0]);
  const std::vector<float> ones(kSteps * kFeatures, 1.0f);
  const auto expected = RunFloats(stack.program, {ones});
  EXPECT_EQ(expected[1], std::vector<float>(kFeatures, kSteps * (kSteps + 1) / 2));
  program::Program tiles = stack.program;
  ASSERT_TRUE(RunInTiles(tiles, 1));
  EXPECT_EQ(RunFloats(tiles, {ones}), expected);
  PlanLoops(tiles);
  Coalesce(tiles);
  EXPECT_LE(PlanAsIs(std::move(tiles)).all_scratch_bytes(), (kSteps + 8) * kFeatures * 4);
}

}  // namespace
}  // namespace weft::plan
