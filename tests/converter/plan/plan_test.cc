// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/ops/support/loop.h"
#include "converter/ops/support/packed.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/validate_placement.h"
#include "converter/program/builder.h"
#include "tests/converter/plan/elementwise.h"

namespace weft::plan {
namespace {

using Lines = std::vector<std::string>;

// Weights -> a -> b, where b is an output; two variables; weights that nothing reads.
class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    weights_ = builder_.WeightsOf<float>(kRow, {1, 2, 3, 4});
    unread_ = builder_.WeightsOf<float>(kRow, {5, 6, 7, 8});
    state_ = builder_.State({ElementType::f32, {5}}, "s");
    program_.variables.push_back({state_, program::kNone, "s"});
    more_state_ = builder_.State({ElementType::f32, {1}}, "t");
    program_.variables.push_back({more_state_, program::kNone, "t"});
    a_ = builder_.Scratch(kRow);
    b_ = builder_.Scratch(kRow);
    program_.values[a_].name = "a";
    program_.values[b_].name = "b";
    builder_.Copy(weights_, a_);
    builder_.Copy(a_, b_);
    program_.outputs.push_back({b_, {"y"}});
  }

  const TensorType kRow = {ElementType::f32, {4}};
  program::Program program_;
  program::Builder builder_{program_};
  program::ValueId weights_, unread_, state_, more_state_, a_, b_;
};

TEST_F(PlanTest, PlacesWhatTheListingNames) {
  const Plan plan = PlanAsIs(program_);
  EXPECT_EQ(plan.weight_roots, (std::vector<program::ValueId>{weights_}));
  EXPECT_EQ(plan.weights_bytes, 16);
  EXPECT_EQ(plan.offsets_bytes[unread_], kNoOffset);
  EXPECT_EQ(plan.offsets_bytes[state_], 0);
  EXPECT_EQ(plan.offsets_bytes[more_state_], 20);
  EXPECT_EQ(plan.state_bytes, 32);
  EXPECT_EQ(plan.scratch_bytes, (std::vector<int64_t>{32}));
  EXPECT_EQ(plan.account.bound_bytes, 32);
  EXPECT_EQ(plan.scratch_roots, (std::vector<program::ValueId>{a_, b_}));
  EXPECT_EQ(plan.offsets_bytes[a_], plan.placement.buffers[0].offset_bytes);
  EXPECT_TRUE(ValidatePlacement(plan.problem, plan.placement).empty());
}

TEST_F(PlanTest, PlacesSingleNumbersBehindTheRestOfTheState) {
  const auto add = [&](const char* name, const TensorType& type) {
    const program::ValueId value = builder_.State(type, name);
    program_.variables.push_back({value, program::kNone, name});
    return value;
  };
  const program::ValueId flag = add("flag", {ElementType::boolean, {}});
  const program::ValueId count = add("count", {ElementType::i64, {}});
  const program::ValueId row = add("row", kRow);
  const Plan plan = PlanAsIs(program_);
  EXPECT_EQ(plan.offsets_bytes[row], 32);
  EXPECT_EQ(plan.offsets_bytes[more_state_], 48);
  EXPECT_EQ(plan.offsets_bytes[flag], 52);
  EXPECT_EQ(plan.offsets_bytes[count], 56);
  EXPECT_EQ(plan.state_bytes, 64);
}

TEST_F(PlanTest, GivesWeightsThatAreReadLaterLaterPlaces) {
  builder_.Copy(unread_, b_);
  const Plan plan = PlanAsIs(program_);
  EXPECT_EQ(plan.weight_roots, (std::vector<program::ValueId>{weights_, unread_}));
  EXPECT_EQ(plan.offsets_bytes[unread_], kWeightsAlignment);
  EXPECT_EQ(plan.weights_bytes, kWeightsAlignment + 16);
}

TEST_F(PlanTest, NamesTheMemoriesOfScratch) {
  const Plan plan = PlanAsIs(program_, std::vector<Memory>{{"fast", 20, 2}, {"slow"}});
  EXPECT_EQ(plan.scratch_bytes, (std::vector<int64_t>{16, 16}));
  EXPECT_NE(plan.memories[a_], plan.memories[b_]);
  EXPECT_EQ(plan.all_scratch_bytes(), 32);
  EXPECT_EQ(plan.problem.memories[0].capacity_bytes, 16);
}

TEST_F(PlanTest, SaysWhatIsBeyondTheMemory) {
  const Plan plan = PlanAsIs(program_, std::vector<Memory>{{"fast", 16, 2}, {"slow", 8}});
  EXPECT_EQ(ExcessOf(plan, {}), "");
  EXPECT_EQ(ExcessOf(plan, {{}, 32}), "");
  EXPECT_EQ(ExcessOf(plan, {{}, 31}), "scratch needs 32 bytes and --arena-budget is 31");
  EXPECT_EQ(ExcessOf(plan, {{{"fast", 16, 2}, {"slow", 8}}, {}}),
            "scratch needs 16 bytes in region \"slow\" in addition to 16 in \"fast\" and --region "
            "slow is 8");
  Plan large = plan;
  large.scratch_bytes = {kMaxRegionBytes + 1, 0};
  EXPECT_EQ(ExcessOf(large, {}),
            "scratch needs 2147483648 bytes and state 32; each must be at most 2147483647");
}

TEST(Plan, LargeBuffersLieAtCacheLinesWhereThatIsFree) {
  program::Program program;
  program::Builder builder(program);
  const auto add = [&](int64_t floats) {
    const program::ValueId value = builder.Scratch({ElementType::f32, {floats}});
    builder.Fill(value);
    program.outputs.push_back({value, {"y" + std::to_string(value)}});
    return value;
  };
  const program::ValueId small = add(12), large = add(70), larger = add(80);
  const Plan plan = PlanAsIs(program);
  EXPECT_EQ(plan.offsets_bytes[large] % kLargeAlignment, 0);
  EXPECT_EQ(plan.offsets_bytes[larger] % kLargeAlignment, 0);
  EXPECT_EQ(plan.offsets_bytes[small] % kScratchAlignment, 0);
  EXPECT_EQ(plan.all_scratch_bytes(), 48 + 288 + 320);
  EXPECT_TRUE(ValidatePlacement(plan.problem, plan.placement).empty());
  // Two without slack: aligning the second one would need 32 bytes more.
  program.outputs.clear();
  program.blocks[program.main].items.clear();
  const program::ValueId first = add(72), second = add(72);
  const Plan tight = PlanAsIs(program);
  EXPECT_EQ(tight.all_scratch_bytes(), 2 * 288);
  EXPECT_EQ(tight.account.bound_bytes, 2 * 288);
  EXPECT_EQ(tight.offsets_bytes[first] + tight.offsets_bytes[second], 288);
}

TEST_F(PlanTest, DropsCopiesAndTakesTheFirstCandidateThatFits) {
  Faults faults;
  const std::optional<Plan> plan = ChoosePlan(program_, {}, faults);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->curve.size(), 1u);
  EXPECT_EQ(plan->chosen, 0u);
  EXPECT_EQ(plan->candidate, Candidate{kAllRows});
  EXPECT_EQ(plan->scratch_bytes, (std::vector<int64_t>{16}));
}

TEST_F(PlanTest, NamesThePeakOfTheLastCandidate) {
  Faults faults;
  EXPECT_FALSE(ChoosePlan(program_, {{}, 8}, faults));
  ASSERT_EQ(faults.lines().size(), 1u);
  EXPECT_EQ(faults.lines()[0].find("plan: scratch needs 16 bytes and --arena-budget is 8; peak is "
                                   "16 bytes without padding at step"),
            0u)
      << faults.lines()[0];
}

// y += x[i] * weights. The products of both iterations at once need more scratch, but read the
// weights once.
program::Program LoopWithProduct(int64_t inputs = 4) {
  constexpr int64_t kRows = 2, kOutputs = 64;
  program::Program program;
  program::Builder builder(program);
  const TensorType row = {ElementType::f32, {1, kOutputs}};
  const program::ValueId x = builder.Scratch({ElementType::f32, {kRows, inputs}});
  const program::ValueId initial = builder.Scratch(row);
  program.inputs.push_back({x, {"x"}});
  program.inputs.push_back({initial, {"initial"}});
  ops::LoopSpec spec;
  spec.trips = kRows;
  spec.sliced.push_back({x, 0, 1, false, 0});
  spec.carried.push_back({initial, 0});
  spec.lasts.push_back({0, row});
  const ops::LoopResults sums = ops::LowerLoop(builder, spec, [&](const ops::Iteration& iteration) {
    const std::vector<float> ones(inputs * kOutputs, 1);
    const program::ValueId weights = ops::PackDense(builder, ones, inputs, 1, kOutputs, inputs);
    const program::ValueId product = builder.Scratch(row);
    ops::EmitDense(builder, 1, inputs, kOutputs, iteration.slices[0], weights, product);
    return std::vector<program::ValueId>{Add(builder, iteration.states[0], product)};
  });
  program.outputs.push_back({sums.lasts[0], {"y"}});
  PlanLoops(program);
  return program;
}

constexpr Candidate kFastest = {kAllRows}, kSmallest = {1, true};

TEST(Candidates, TheFastestThatFitsIsChosen) {
  const program::Program program = LoopWithProduct();
  const Plan fast = MakePlan(program, kFastest, {});
  const Plan small = MakePlan(program, kSmallest, {});
  ASSERT_GT(fast.all_scratch_bytes(), small.all_scratch_bytes());
  Faults faults;
  const auto chosen = ChoosePlan(program, {{}, fast.all_scratch_bytes()}, faults);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->chosen, 0u);
  EXPECT_EQ(chosen->candidate, kFastest);
  const auto other = ChoosePlan(program, {{}, fast.all_scratch_bytes() - 1}, faults);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->candidate, kSmallest);
  EXPECT_EQ(other->all_scratch_bytes(), small.all_scratch_bytes());
}

TEST(Curve, HoldsEachPlanThatIsSmallerThanAllFasterOnes) {
  const program::Program program = LoopWithProduct();
  Faults faults;
  const auto plan = ChoosePlan(program, {}, faults);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->curve.size(), 2u);
  const CurvePoint &fast = plan->curve[0], &small = plan->curve[1];
  EXPECT_EQ(fast.candidate, kFastest);
  EXPECT_EQ(small.candidate, kSmallest);
  EXPECT_EQ(fast.scratch_bytes, MakePlan(program, kFastest, {}).all_scratch_bytes());
  EXPECT_EQ(small.scratch_bytes, MakePlan(program, kSmallest, {}).all_scratch_bytes());
  // One product instead of two.
  EXPECT_EQ(small.work.steps - fast.work.steps, 1);
  EXPECT_EQ(small.work.weight_bytes, 2 * fast.work.weight_bytes);
  EXPECT_TRUE(fast.account.is_optimal());
  EXPECT_EQ(plan->account, plan->curve[plan->chosen].account);
  EXPECT_EQ(plan->work, plan->curve[plan->chosen].work);
}

// Each kind of work increases the cost.
TEST(Cost, GrowsWithAllThatARunDoes) {
  constexpr Work kNothing;
  EXPECT_EQ(CostOf(kNothing), 0);
  EXPECT_EQ(CostOf({.priced_bytes = 64}), 64);
  EXPECT_LT(CostOf({.priced_bytes = 64}), CostOf({.priced_bytes = 64, .overlapped_bytes = 64}));
  EXPECT_LT(CostOf({.priced_bytes = 64}), CostOf({.priced_bytes = 64, .product_bytes = 64}));
  EXPECT_LT(CostOf({.priced_bytes = 64}), CostOf({.steps = 1}));
  EXPECT_LT(CostOf({.steps = 1}), CostOf({.steps = 1, .waiting_cells = 1}));
}

// Both iterations read the same weights, which are in the smallest memory that holds them.
TEST(Cost, PricesWeightsByTheMemoryThatHoldsThem) {
  struct Case {
    int64_t inputs;
    double price;
  };
  for (const auto& [inputs, price] : {Case{100, 0.4}, {1024, 1}, {8192, 4}, {16384, 7}}) {
    const Work work = WorkOf(LoopWithProduct(inputs), {});
    EXPECT_EQ(work.weight_bytes, 2.0 * 4 * 64 * static_cast<double>(inputs));
    EXPECT_NEAR(work.priced_bytes / work.weight_bytes, price, 0.1 * price) << inputs;
    EXPECT_EQ(work.product_bytes, 2 * 64 * 4);
  }
}

TEST(Curve, IsFollowedToTheAim) {
  const program::Program program = LoopWithProduct();
  Faults faults;
  const auto chosen = [&](const PlanOptions& options) {
    return ChoosePlan(program, options, faults)->candidate;
  };
  EXPECT_EQ(chosen({{}, std::nullopt, Aim::kFastest}), kFastest);
  EXPECT_EQ(chosen({{}, std::nullopt, Aim::kSmallest}), kSmallest);
  // The fastest plan needs less than twice the smallest scratch.
  EXPECT_EQ(chosen({{}, std::nullopt, Aim::kBalanced}), kFastest);
  // A budget overrides the aim.
  const int64_t max = ChoosePlan(program, {}, faults)->curve.front().scratch_bytes;
  EXPECT_EQ(chosen({{}, max, Aim::kSmallest}), kFastest);
}

TEST_F(PlanTest, PrintsTheProgramAndItsPlacement) {
  const std::string text = ToString(PlanAsIs(program_));
  EXPECT_EQ(text.find(ToString(program_)), 0u) << text;
  for (const std::string word : {"hoisted: 1 rows", "lifetime", "[1, 3)", "  a\n", "  b\n",
                                 "memory 0: 32 bytes used\n", "weights 16 bytes, state 32"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
  }
}

}  // namespace
}  // namespace weft::plan
