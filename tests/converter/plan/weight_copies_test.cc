// SPDX-License-Identifier: Apache-2.0
// Which weights are copied to which memory, at the limits of its size.
#include "converter/plan/weight_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "converter/plan/validate_placement.h"
#include "converter/program/builder.h"

namespace weft::plan {
namespace {

constexpr int64_t kBytes = 128;  // of each value

// `often` is read three times, `once` one time; four outputs, each written once.
class WeightCopiesTest : public testing::Test {
 protected:
  WeightCopiesTest() {
    once_ = builder_.WeightsOf<float>(kRow, std::vector<float>(32, 1));
    often_ = builder_.WeightsOf<float>(kRow, std::vector<float>(32, 2));
    small_ = builder_.WeightsOf<float>({ElementType::f32, {4}}, {1, 2, 3, 4});
    Write(once_);
    for (int i = 0; i < 3; ++i) Write(often_);
  }

  void Write(program::ValueId weights) {
    const program::ValueId output = builder_.Scratch(program_.values[weights].type);
    builder_.Copy(weights, output);
    program_.outputs.push_back({output, {"y" + std::to_string(program_.outputs.size())}});
  }

  Plan PlanFor(const PlanOptions& options) const {
    Plan plan = WithWeightCopies(PlanAsIs(program_, options.memories), options);
    EXPECT_TRUE(ValidatePlacement(plan.problem, plan.placement).empty());
    EXPECT_EQ(plan.problem.buffers.size(), plan.scratch_roots.size() + plan.weight_copies.size());
    return plan;
  }

  // The copied weights, of which each is in `memory`, sorted.
  std::vector<program::ValueId> Copied(const PlanOptions& options, uint32_t memory = 0) const {
    std::vector<program::ValueId> roots;
    for (const WeightCopy& copy : PlanFor(options).weight_copies) {
      EXPECT_EQ(copy.memory, memory);
      EXPECT_EQ(copy.offset_bytes % kScratchAlignment, 0);
      roots.push_back(copy.root);
    }
    std::ranges::sort(roots);
    return roots;
  }

  static PlanOptions Over(std::vector<Memory> memories) {
    PlanOptions options;
    options.memories = std::move(memories);
    return options;
  }
  // A fast memory that holds weights, and a slow one without a limit.
  static PlanOptions Fast(int64_t bytes) {
    return Over({{"fast", bytes, 1, true}, {"slow", std::nullopt, 0.5}});
  }

  using Roots = std::vector<program::ValueId>;
  const TensorType kRow = {ElementType::f32, {32}};
  program::Program program_;
  program::Builder builder_{program_};
  program::ValueId once_, often_, small_;
};

TEST_F(WeightCopiesTest, CopiesTheMostReadWeightsThatFit) {
  EXPECT_EQ(Copied(Fast(0)), Roots());
  EXPECT_EQ(Copied(Fast(kBytes - 1)), Roots());
  EXPECT_EQ(Copied(Fast(kBytes)), Roots{often_});
  // Buffers that a run uses as often as `once` come before it.
  EXPECT_EQ(Copied(Fast(5 * kBytes)), Roots{often_});
  EXPECT_EQ(Copied(Fast(6 * kBytes - 1)), Roots{often_});
  EXPECT_EQ(Copied(Fast(6 * kBytes)), (Roots{once_, often_}));
}

TEST_F(WeightCopiesTest, CopiesNothingToMemoriesOfBuffersOnly) {
  const PlanOptions options = Over({{"fast", 6 * kBytes}, {"slow", std::nullopt, 0.5}});
  const Plan plan = PlanFor(options);
  EXPECT_TRUE(plan.weight_copies.empty());
  EXPECT_EQ(plan.scratch_bytes, (std::vector<int64_t>{4 * kBytes, 0}));
}

TEST_F(WeightCopiesTest, CopiesNoWeightsThatAreSmall) {
  Write(small_);
  EXPECT_EQ(Copied(Fast(1 << 20)), (Roots{once_, often_}));
}

TEST_F(WeightCopiesTest, CopiesNoTableOfAGather) {
  const program::ValueId index =
      builder_.WeightsOf<int32_t>({ElementType::i32, {16}}, std::vector<int32_t>(16, 0));
  const program::ValueId output = builder_.Scratch({ElementType::f32, {16}});
  format::GatherParams gather;
  gather.mutate_batch(1);
  gather.mutate_outer(1);
  gather.mutate_axis(32);
  gather.mutate_inner(1);
  gather.mutate_indices(16);
  gather.mutate_element_bytes(4);
  gather.mutate_index_type(ElementType::i32);
  program_.blocks[program_.main].items.push_back(
      program::Step{gather, {once_, index}, {output}, "gather"});
  program_.outputs.push_back({output, {"rows"}});
  EXPECT_EQ(Copied(Fast(1 << 20)), (Roots{often_, index}));
}

TEST_F(WeightCopiesTest, UsesTheFirstMemoryThatHoldsWeights) {
  const PlanOptions options =
      Over({{"a", kBytes, 1}, {"b", kBytes, 0.5, true}, {"c", std::nullopt, 1.0 / 3}});
  EXPECT_EQ(Copied(options, 1), Roots{often_});
  EXPECT_EQ(PlanFor(options).scratch_bytes, (std::vector<int64_t>{kBytes, kBytes, 3 * kBytes}));
}

TEST_F(WeightCopiesTest, LeavesTheLastMemoryToBuffersFirst) {
  const auto copied = [&](int64_t bytes) {
    return Copied(Over({{"fast", kBytes, 1}, {"last", bytes, 0.5, true}}), 1);
  };
  EXPECT_EQ(copied(3 * kBytes), Roots());
  EXPECT_EQ(copied(4 * kBytes - 1), Roots());
  EXPECT_EQ(copied(4 * kBytes), Roots{often_});
  EXPECT_EQ(copied(5 * kBytes), (Roots{once_, often_}));
}

TEST_F(WeightCopiesTest, NeverExceedsAMemoryOrTheBudget) {
  const auto copied = [&](int64_t slow_bytes) {
    return Copied(Over({{"fast", kBytes, 1, true}, {"slow", slow_bytes, 0.5}}));
  };
  EXPECT_EQ(copied(3 * kBytes), Roots());  // the fast memory must hold a buffer
  EXPECT_EQ(copied(4 * kBytes), Roots{often_});
  PlanOptions limited = Fast(1 << 20);
  limited.budget_bytes = 5 * kBytes - 1;
  EXPECT_EQ(Copied(limited), Roots());
  limited.budget_bytes = 5 * kBytes;
  EXPECT_EQ(Copied(limited), Roots{often_});
}

TEST_F(WeightCopiesTest, KeepsCopiesInMemoriesThatHoldWeights) {
  Plan plan = PlanFor(Fast(kBytes));
  plan.problem.memories[0].holds_weights = false;
  const auto faults = ValidatePlacement(plan.problem, plan.placement);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].rule, PlacementRule::kWeights);
}

}  // namespace
}  // namespace weft::plan
