// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/emit/model_file.h"
#include "converter/ops/support/loop.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/plan/plan_passes.h"
#include "converter/plan/validate_placement.h"
#include "converter/plan/validator.h"
#include "converter/program/coalesce.h"
#include "tests/converter/plan/elementwise.h"
#include "tests/converter/program_runner.h"

namespace weft::plan {
namespace {

constexpr int64_t kSteps = 25;

TensorType Floats(int64_t rows, int64_t width) { return {ElementType::f32, {rows, width}}; }

// Each iteration adds the two halves of its slice, of `made` floats each.
program::Program Shrinking(int64_t made, bool backward = false, bool reads_again = false) {
  program::Program program;
  program::Builder builder(program);
  const program::ValueId x = builder.Scratch(Floats(kSteps, 2 * made));
  program.inputs.push_back({x, {"x"}});
  ops::LoopSpec spec;
  spec.trips = kSteps;
  spec.sliced.push_back({x, 0, 1, backward});
  spec.scans.push_back({0, 0, backward, Floats(kSteps, made)});
  const ops::LoopResults results =
      ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
        const program::ValueId slice = iteration.slices[0];
        return std::vector<program::ValueId>{Add(builder, builder.View(slice, 0, Floats(1, made)),
                                                 builder.View(slice, made * 4, Floats(1, made)))};
      });
  program.outputs.push_back({results.scans[0], {"y"}});
  if (reads_again) program.outputs.push_back({x, {"x again"}});
  return program;
}

Plan PlanOf(program::Program program) {
  PlanLoops(program);
  Coalesce(program);
  return PlanAsIs(std::move(program));
}

std::vector<float> Counting(int64_t count) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(i));
  return numbers;
}

TEST(OverlapsOfLoops, OutputLiesOverTheInputThatIsRead) {
  for (const bool backward : {false, true}) {
    const Plan plan = PlanOf(Shrinking(256, backward));
    ASSERT_EQ(plan.problem.allowed_overlaps.size(), 1u);
    EXPECT_TRUE(ValidatePlacement(plan.problem, plan.placement).empty());
    // One chunk more than the input.
    EXPECT_EQ(plan.all_scratch_bytes(), (kSteps * 512 + 256) * 4);
    EXPECT_TRUE(plan.account.is_optimal());
    const std::vector<float> outputs = RunPlan(plan, {Counting(kSteps * 512)}).at(0);
    for (size_t i = 0; i < outputs.size(); ++i) {
      ASSERT_EQ(outputs[i], static_cast<float>(2 * (i / 256 * 512 + i % 256) + 256)) << i;
    }
  }
}

TEST(OverlapsOfLoops, OutputThatGrowsFasterThanTheInputIsReadLiesBeforeIt) {
  program::Program program;
  program::Builder builder(program);
  const program::ValueId x = builder.Scratch(Floats(kSteps, 16));
  program.inputs.push_back({x, {"x"}});
  ops::LoopSpec spec;
  spec.trips = kSteps;
  spec.sliced.push_back({x, 0, 1, false});
  spec.scans.push_back({0, 0, false, Floats(kSteps, 32)});
  const ops::LoopResults results =
      ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
        const program::ValueId both = builder.Scratch(Floats(1, 32));
        EmitUnary(builder, format::UnaryOp::negative, iteration.slices[0],
                  builder.View(both, 0, Floats(1, 16)));
        EmitUnary(builder, format::UnaryOp::abs, iteration.slices[0],
                  builder.View(both, 64, Floats(1, 16)));
        return std::vector<program::ValueId>{both};
      });
  program.outputs.push_back({results.scans[0], {"y"}});
  const Plan plan = PlanOf(program);
  // The last chunk of the input follows the output.
  EXPECT_EQ(plan.all_scratch_bytes(), (kSteps * 32 + 16) * 4);
  const std::vector<float> outputs = RunPlan(plan, {Counting(kSteps * 16)}).at(0);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto of = static_cast<float>(i / 32 * 16 + i % 16);
    ASSERT_EQ(outputs[i], i % 32 < 16 ? -of : of) << i;
  }
}

// Chunks of five steps, as a hoisted product reads them, around a loop over steps.
TEST(OverlapsOfLoops, OutputOfALoopInALoopLiesOverTheInputOfTheOuterOne) {
  program::Program program;
  program::Builder builder(program);
  const program::ValueId x = builder.Scratch(Floats(kSteps, 64));
  program.inputs.push_back({x, {"x"}});
  ops::LoopSpec outer, inner;
  outer.trips = inner.trips = 5;
  outer.sliced.push_back({x, 0, 5, false});
  outer.scans.push_back({0, 0, false, Floats(kSteps, 32)});
  inner.scans.push_back({0, 0, false, Floats(5, 32)});
  const ops::LoopResults results =
      ops::LowerLoop(builder, outer, [&](const ops::Iteration& iteration) {
        inner.sliced = {{Unary(builder, format::UnaryOp::negative, iteration.slices[0]), 0, 1}};
        return ops::LowerLoop(builder, inner,
                              [&](const ops::Iteration& step) {
                                const program::ValueId slice = step.slices[0];
                                return std::vector<program::ValueId>{
                                    Add(builder, builder.View(slice, 0, Floats(1, 32)),
                                        builder.View(slice, 128, Floats(1, 32)))};
                              })
            .scans;
      });
  program.outputs.push_back({results.scans[0], {"y"}});
  const Plan plan = PlanOf(program);
  EXPECT_EQ(plan.problem.allowed_overlaps.size(), 1u);
  // The input, a chunk of the output before it, and the operand of the inner loop.
  EXPECT_LE(plan.all_scratch_bytes(), (kSteps * 64 + 5 * 32 + 5 * 64) * 4);
  const std::vector<float> outputs = RunPlan(plan, {Counting(kSteps * 64)}).at(0);
  for (size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_EQ(outputs[i], -static_cast<float>(2 * (i / 32 * 64 + i % 32) + 32)) << i;
  }
}

TEST(OverlapsOfLoops, InputThatIsReadAgainStaysAsItIs) {
  const Plan plan = PlanOf(Shrinking(32, false, true));
  EXPECT_TRUE(plan.problem.allowed_overlaps.empty());
  EXPECT_EQ(plan.all_scratch_bytes(), kSteps * (64 + 32) * 4);
}

TEST(OverlapsOfLoops, ValidatorRefusesTheOutputOverWhatIsStillRead) {
  Faults faults;
  const Plan plan = PlanOf(Shrinking(32));
  const emit::ModelFile file = emit::WriteModelFile(plan, {}, faults);
  AlignedBytes model(file.bytes.size());
  std::memcpy(model.data(), file.bytes.data(), file.bytes.size());
  ASSERT_TRUE(CheckPlan(*format::GetModel(model.data())).empty());
  auto* root = format::GetMutableModel(model.data());
  // Moves the output chunks, which are before the input chunks, further towards these.
  const uint32_t y = root->slot_buffers()->Get(root->outputs()->Get(0)->slot());
  for (int64_t step = 4; step <= 32 * 4; step += 4) {
    for (uint32_t i = 0; i < root->slots()->size(); ++i) {
      if (root->slot_buffers()->Get(i) != y) continue;
      format::Slot* slot = root->mutable_slots()->GetMutableObject(i);
      slot->mutate_offset_bytes(slot->offset_bytes() + 4);
    }
    EXPECT_FALSE(CheckPlan(*root).empty()) << step << " bytes further";
  }
}

}  // namespace
}  // namespace weft::plan
