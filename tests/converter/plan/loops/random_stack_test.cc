// SPDX-License-Identifier: Apache-2.0
// Every possible plan of random stacks of loops computes the same results. Also reports how far its
// scratch is above the lower bound for its order of steps.
#include "tests/converter/plan/loops/random_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <optional>
#include <vector>

#include "converter/plan/loops/fuse.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/program/coalesce.h"
#include "converter/program/consistency.h"
#include "tests/converter/program_runner.h"
#include "tests/rounds.h"

namespace weft {
namespace {

struct Gaps {
  int plans = 0, proven = 0, below_one_percent = 0, below_ten_percent = 0;
  double widest_percent = 0;

  void Add(const plan::Account& account) {
    const double percent = 100.0 * static_cast<double>(account.used_bytes - account.bound_bytes) /
                           static_cast<double>(account.bound_bytes);
    ++plans;
    proven += account.is_optimal();
    below_one_percent += percent < 1;
    below_ten_percent += percent < 10;
    widest_percent = std::max(widest_percent, percent);
  }
};

TEST(RandomStacks, ComputeTheSameByEveryPlanAndTakeWhatTheirBoundSays) {
  const int kStacks = Rounds(1200);
  Gaps gaps;
  int fused_stacks = 0, fused_steps = 0;
  for (int seed = 1; seed <= kStacks; ++seed) {
    const RandomStack stack(static_cast<uint32_t>(seed));
    program::Program apart = stack.program();
    std::vector<plan::FusedProgram> fused = plan::FusedPrograms(apart);
    fused_stacks += !fused.empty();
    fused_steps += !fused.empty() && fused.back().fusion == plan::Fusion::kSteps;
    plan::PlanLoops(apart);
    for (plan::FusedProgram& each : fused) {
      plan::PlanLoops(each.program);
      program::Coalesce(each.program);
      ASSERT_EQ(RunPlan(plan::PlanAsIs(each.program), stack.inputs()), stack.expected())
          << "seed " << seed << ", tiles of " << each.tile;
    }
    for (const plan::Aim aim : {plan::Aim::kFastest, plan::Aim::kSmallest}) {
      Faults faults;
      const std::optional<plan::Plan> plan =
          plan::ChoosePlan(apart, {{}, std::nullopt, aim}, faults, fused);
      ASSERT_TRUE(plan);
      gaps.Add(plan->account);
      ASSERT_EQ(RunPlan(*plan, stack.inputs()), stack.expected()) << "seed " << seed;
    }
  }
  std::printf(
      "%d stacks, %d fused, %d with steps; of %d plans %d are proven optimal for their schedule, "
      "%d within "
      "1 %%, %d within 10 %%, the widest gap is %.1f %%\n",
      kStacks, fused_stacks, fused_steps, gaps.plans, gaps.proven, gaps.below_one_percent,
      gaps.below_ten_percent, gaps.widest_percent);
  EXPECT_GT(4 * fused_stacks, kStacks);
  EXPECT_GT(20 * fused_steps, kStacks);
  EXPECT_GT(100 * gaps.proven, 90 * gaps.plans);
}

// Compares bits, so signs of zeros count.
std::vector<std::vector<uint32_t>> BitsOf(const std::vector<std::vector<float>>& outputs) {
  std::vector<std::vector<uint32_t>> bits;
  for (const std::vector<float>& output : outputs) {
    std::vector<uint32_t>& of = bits.emplace_back();
    for (const float number : output) of.push_back(std::bit_cast<uint32_t>(number));
  }
  return bits;
}

// Scratch of the smallest plans, in percent of the scratch without fused windows.
struct Savings {
  std::vector<int64_t> percent;

  void Add(const plan::Plan& with, const plan::Plan& without) {
    percent.push_back(100 * with.all_scratch_bytes() / without.all_scratch_bytes());
  }
  int64_t At(size_t part) {
    std::ranges::sort(percent);
    return percent[(percent.size() - 1) * part / 4];
  }
};

std::optional<plan::Plan> Smallest(const program::Program& apart,
                                   const std::vector<plan::FusedProgram>& fused) {
  Faults faults;
  return plan::ChoosePlan(apart, {{}, std::nullopt, plan::Aim::kSmallest}, faults, fused);
}

TEST(RandomStacks, ComputeTheSameWithWindowsInStrips) {
  const int kStacks = Rounds(200);
  Savings savings;
  for (int seed = 1; seed <= kStacks; ++seed) {
    const RandomStack stack(static_cast<uint32_t>(seed), true);
    const auto expected = BitsOf(stack.expected());
    program::Program apart = stack.program();
    std::vector<plan::FusedProgram> fused = plan::FusedPrograms(apart), without;
    plan::PlanLoops(apart);
    ASSERT_EQ(BitsOf(RunPlan(plan::PlanAsIs(apart), stack.inputs())), expected) << "seed " << seed;
    for (plan::FusedProgram& each : fused) {
      ASSERT_EQ(program::InconsistencyIn(each.program), "") << "seed " << seed;
      plan::PlanLoops(each.program);
      ASSERT_EQ(BitsOf(RunPlan(plan::PlanAsIs(each.program), stack.inputs())), expected)
          << "seed " << seed << ", tiles of " << each.tile;
      if (each.fusion != plan::Fusion::kWindows) without.push_back(each);
    }
    const std::optional<plan::Plan> plan = Smallest(apart, fused);
    ASSERT_TRUE(plan);
    ASSERT_EQ(BitsOf(RunPlan(*plan, stack.inputs())), expected) << "seed " << seed;
    if (without.size() == fused.size()) continue;
    savings.Add(*plan, *Smallest(apart, without));
  }
  std::printf(
      "%d stacks, %d with windows in tiles: their scratch is %d, %d, %d %% of that without\n",
      kStacks, static_cast<int>(savings.percent.size()), static_cast<int>(savings.At(1)),
      static_cast<int>(savings.At(2)), static_cast<int>(savings.At(3)));
  EXPECT_GT(2 * savings.percent.size(), static_cast<size_t>(kStacks));
}

}  // namespace
}  // namespace weft
