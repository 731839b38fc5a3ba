// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "converter/plan/plan.h"
#include "converter/plan/plan_passes.h"
#include "converter/plan/validate_placement.h"
#include "converter/program/builder.h"
#include "tests/converter/program_runner.h"

namespace weft::plan {
namespace {

constexpr int64_t kHeight = 25, kWidth = 5, kChannels = 64;
constexpr int64_t kPixels = kHeight * kWidth, kRowFloats = kWidth * kChannels;
const TensorType kMap = {ElementType::f32, {kPixels, kChannels}};
constexpr int64_t kMapBytes = kPixels * kChannels * 4;
const format::MapStrides kLast = {kPixels * kChannels, kRowFloats, kChannels, 1};

// Steps over channels-last maps of 25 x 5 pixels.
class Net {
 public:
  program::ValueId Input(const TensorType& type) {
    const program::ValueId x = builder_.Scratch(type);
    program_.inputs.push_back({x, {"x" + std::to_string(x)}});
    return x;
  }
  void Output(program::ValueId y) { program_.outputs.push_back({y, {"y" + std::to_string(y)}}); }

  // A convolution of 10 x 4 taps, stride 2, from one channel to all.
  program::ValueId First(program::ValueId x) {
    const program::ValueId y = builder_.Scratch(kMap);
    builder_.Emit(format::ConvParams(1, 1, 1, kChannels, 49, 10, kHeight, kWidth, 10, 4, 2, 2, 1, 1,
                                     4, 1, format::MapStrides(490, 10, 1, 490), kLast, relu_,
                                     format::ElementType::f32, 0, 0),
                  {x, Weights(40 * kChannels), Weights(kChannels)}, {y});
    return y;
  }
  program::ValueId Depthwise(program::ValueId x) {
    const program::ValueId y = builder_.Scratch(kMap);
    builder_.Emit(
        format::DepthwiseParams(1, kChannels, 1, kHeight, kWidth, kHeight, kWidth, 3, 3, 1, 1, 1, 1,
                                1, 1, kLast, kLast, relu_, format::ElementType::f32, 0, 0),
        {x, Weights(9 * kChannels), Weights(kChannels)}, {y});
    return y;
  }
  program::ValueId Pointwise(program::ValueId x) {
    const program::ValueId y = builder_.Scratch(kMap);
    builder_.Emit(
        format::ConvParams(1, 1, kChannels, kChannels, kHeight, kWidth, kHeight, kWidth, 1, 1, 1, 1,
                           1, 1, 0, 0, kLast, kLast, relu_, format::ElementType::f32, 0, 0),
        {x, Weights(kChannels * kChannels), Weights(kChannels)}, {y});
    return y;
  }
  program::ValueId Mean(program::ValueId x) {
    const program::ValueId y = builder_.Scratch({ElementType::f32, {kChannels}});
    builder_.Emit(
        format::PoolParams(1, kChannels, kHeight, kWidth, 1, 1, kHeight, kWidth, 1, 1, 1, 1, 0, 0,
                           0, 0, kLast, format::MapStrides(kChannels, kChannels, kChannels, 1),
                           format::PoolOp::mean_exclude_pad, 0, 0),
        {x}, {y});
    return y;
  }
  program::Builder& builder() { return builder_; }
  program::Program& program() { return program_; }
  std::vector<AllowedOverlap> Overlaps() const { return OverlapsOf(program_, Liveness(program_)); }

 private:
  program::ValueId Weights(int64_t count) {
    std::vector<float> numbers(static_cast<size_t>(count));
    for (float& number : numbers) {
      seed_ = seed_ * 1664525u + 1013904223u;
      number = static_cast<float>(static_cast<int32_t>(seed_ >> 16) - 32768) / 262144.0f;
    }
    return builder_.WeightsOf<float>({ElementType::f32, {count}}, numbers);
  }

  program::Program program_;
  program::Builder builder_{program_};
  uint32_t seed_ = 1;
  format::Activation relu_ = format::Activation(0, 0, 0, format::UnaryOp::relu, 0, 0);
};

// A keyword-spotting net: a convolution, then depthwise and pointwise four times.
Net Keywords() {
  Net net;
  program::ValueId map = net.First(net.Input({ElementType::f32, {490}}));
  for (int pair = 0; pair < 4; ++pair) map = net.Pointwise(net.Depthwise(map));
  net.Output(net.Mean(map));
  return net;
}

TEST(AllowedOverlap, TwoFullMapsNeverStandSideBySide) {
  const program::Program program = Keywords().program();
  const Plan apart = PlanAsIs(program), overlap = PlanAsIs(program, {}, true);
  EXPECT_EQ(apart.all_scratch_bytes(), 2 * kMapBytes);
  // One map, and the 15 pixels by which the output of a pointwise step must be shifted.
  EXPECT_EQ(overlap.all_scratch_bytes(), kMapBytes + 15 * kChannels * 4);
  EXPECT_EQ(overlap.account.bound_bytes, overlap.all_scratch_bytes());
  EXPECT_EQ(overlap.problem.allowed_overlaps.size(), 9u);
  EXPECT_TRUE(ValidatePlacement(overlap.problem, overlap.placement).empty());
}

TEST(AllowedOverlap, ChangesNoBit) {
  const program::Program program = Keywords().program();
  std::vector<float> x(490);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17) / 8 - 1;
  const auto apart = RunFloats(program, {x}), overlap = RunFloats(program, {x}, true);
  ASSERT_EQ(overlap.size(), 1u);
  EXPECT_EQ(overlap, apart);
  float sum = 0;
  for (const float y : overlap[0]) sum += y;
  EXPECT_GT(sum, 0);
}

TEST(AllowedOverlap, IsChosenForABudgetThatNoOtherPlanMeets) {
  const program::Program program = Keywords().program();
  Faults faults;
  const auto wide = ChoosePlan(program, {{}, 2 * kMapBytes}, faults);
  ASSERT_TRUE(wide);
  EXPECT_FALSE(wide->candidate.outputs_over_inputs);
  const auto narrow = ChoosePlan(program, {{}, 36 * 1024}, faults);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->candidate, (Candidate{kAllRows, true}));
  EXPECT_FALSE(ChoosePlan(program, {{}, kMapBytes}, faults));
  ASSERT_EQ(faults.lines().size(), 1u);
  EXPECT_NE(faults.lines()[0].find("scratch needs 35840 bytes and --arena-budget is 32000; peak is "
                                   "35840 bytes without padding at step"),
            std::string::npos)
      << faults.lines()[0];
}

TEST(AllowedOverlap, AStepSaysHowNearItsOutputMayLie) {
  Net net;
  const program::ValueId x = net.Input(kMap);
  net.Output(net.Mean(net.Pointwise(net.Depthwise(x))));
  const std::vector<AllowedOverlap> allowed_overlaps = net.Overlaps();
  ASSERT_EQ(allowed_overlaps.size(),
            2u);  // a mean of all pixels is one block: it reads all before it writes
  EXPECT_EQ(allowed_overlaps[0], (AllowedOverlap{0, 1, 10 * kChannels * 4, kMapBytes}));
  EXPECT_EQ(allowed_overlaps[1], (AllowedOverlap{1, 2, 15 * kChannels * 4, 15 * kChannels * 4}));
}

TEST(AllowedOverlap, WhatIsReadAgainStaysApart) {
  Net net;
  const program::ValueId x = net.Input(kMap);
  const program::ValueId once = net.Depthwise(x), again = net.Depthwise(x);
  net.Output(once);
  net.Output(again);
  EXPECT_EQ(net.Overlaps(), (std::vector<AllowedOverlap>{{0, 2, 10 * kChannels * 4, kMapBytes}}));
}

TEST(AllowedOverlap, PartsOfValuesStayApart) {
  Net net;
  const program::ValueId both = net.Input({ElementType::f32, {2 * kPixels, kChannels}});
  net.Output(net.Depthwise(net.builder().View(both, kMapBytes, kMap)));
  EXPECT_TRUE(net.Overlaps().empty());
}

}  // namespace
}  // namespace weft::plan
