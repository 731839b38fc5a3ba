// SPDX-License-Identifier: Apache-2.0
// Propagation of a time axis from the ports where it is set, along and against the data flow.
#include "converter/graph/streaming/axes.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/graph/streaming/streaming.h"
#include "converter/ir/time_length.h"
#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft::graph {
namespace {

constexpr int64_t kSteps = 6;

struct Spreading : testing::Test {
  GraphBuilder g;
  std::optional<TimeAxes> times;

  ir::Source X(Dims dims) { return g.Parameter({ElementType::f32, std::move(dims)}); }
  void SpreadFrom(ir::Source source, TimeAxis time, const std::vector<ir::Source>& results) {
    for (const ir::Source& result : results) g.Result(result);
    ASSERT_TRUE(g.Infer()) << g.FaultText();
    times.emplace(g.graph, kSteps);
    times->Set(source, time, *source.node);
    times->Spread();
  }
  // Returns "axis outer chunk" of a tensor's time axis; empty if it has none.
  std::string Of(ir::Source source) const {
    const TimeAxis* time = times->Of(source);
    if (time == nullptr) return "";
    return std::to_string(time->axis) + " " + std::to_string(time->outer) + " " +
           std::to_string(time->chunk);
  }
};

TEST_F(Spreading, GoesWithAndAgainstTheData) {
  const ir::Source x = X({2, kSteps, 3}), y = X({kSteps, 3});
  const ir::Source sum = g.Add("Add", 1, {x, y});
  const ir::Source permuted = g.Add("Transpose", 1, {sum, g.Ints({2, 1, 0})});
  SpreadFrom(permuted, {1, 1, 1}, {permuted});
  EXPECT_EQ(Of(sum), "1 1 1");
  EXPECT_EQ(Of(x), "1 1 1");
  EXPECT_EQ(Of(y), "0 1 1");
  EXPECT_TRUE(times->faults().ok());
}

TEST_F(Spreading, EndsWhereAnAxisIsMixed) {
  const ir::Source x = X({kSteps, 3});
  const ir::Source sum = g.Add("ReduceSum", 1, {x, g.Ints({0})});
  const ir::Source more = g.Add("Relu", 1, {sum});
  SpreadFrom(x, {0, 1, 1}, {more});
  EXPECT_EQ(Of(sum), "");
  EXPECT_EQ(Of(more), "");
}

TEST_F(Spreading, FollowsReshapesThatKeepTheAxisApart) {
  const ir::Source x = X({2, kSteps, 3});
  const ir::Source rows = g.Add("Reshape", 1, {x, g.Ints({2 * kSteps, 3})});
  const ir::Source wide = g.Add("Reshape", 1, {x, g.Ints({2, 3 * kSteps})});
  const ir::Source other = g.Add("Reshape", 1, {x, g.Ints({4, 9})});
  SpreadFrom(x, {1, 1, 1}, {rows, wide, other});
  EXPECT_EQ(Of(rows), "0 2 1");  // a batch of 2 is flattened into it
  EXPECT_EQ(Of(wide), "1 1 3");  // a step covers 3 elements
  EXPECT_EQ(Of(other), "");
}

TEST_F(Spreading, FitsTheStepToReshapesThatJoinSteps) {
  const ir::Source x = X({kSteps, 3});
  const ir::Source pairs = g.Add("Reshape", 1, {x, g.Ints({kSteps / 2, 6})});
  SpreadFrom(x, {0, 1, 1}, {pairs});
  EXPECT_EQ(Of(pairs), "");  // half an element per step
  EXPECT_EQ(times->StepsTogether(), 2);
  ASSERT_TRUE(times->FitStep());
  EXPECT_EQ(times->steps(), kSteps / 2);
  EXPECT_EQ(Of(x), "0 1 2");
  EXPECT_EQ(Of(pairs), "0 1 1");
}

TEST_F(Spreading, RefusesBlocksThatDoNotDivideTheSteps) {
  const ir::Source x = X({kSteps, 3});
  const ir::Source blocks = g.Add("Relu", 1, {x});
  SpreadFrom(x, {0, 1, 1}, {blocks});
  AxisRelation relation = times->Relation(blocks.node);
  relation.together = {0, 4};
  times->SetRelation(blocks.node, relation);
  EXPECT_EQ(times->StepsTogether(), 4);
  EXPECT_FALSE(times->FitStep());
  EXPECT_EQ(times->steps(), kSteps);
}

TEST_F(Spreading, PassesSlicesOnlyIfTheyMayLookAhead) {
  const ir::Source x = X({kSteps, 3});
  const ir::Source later = g.Add("Slice", 8, {x, g.Ints({2}), g.Ints({kSteps}), g.Ints({1})});
  SpreadFrom(x, {0, 1, 1}, {later});
  EXPECT_EQ(Of(later), "");
  times.emplace(g.graph, 0, TimeReach::kAhead);
  times->Set(later, {0, 1, 1}, *later.node);
  times->Spread();
  EXPECT_EQ(Of(x), "0 1 1");
  EXPECT_EQ(times->Extent(later), kSteps - 2);
}

TEST_F(Spreading, RefusesASecondTimeAxisInOneTensor) {
  const ir::Source x = X({kSteps, kSteps});
  const ir::Source permuted = g.Add("Transpose", 1, {x, g.Ints({1, 0})});
  const ir::Source sum = g.Add("Add", 1, {x, permuted});
  SpreadFrom(x, {0, 1, 1}, {sum});
  ASSERT_FALSE(times->faults().ok());
  EXPECT_PRED2(Contains, times->faults().lines()[0], "time runs along axis");
}

// A state of T batches would exceed memory.
TEST(OpenTime, IsNotConvertedIfItIsABatch) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::f32, {ir::kTimeLength, 4, 2}});
  x.node->outputs[0].doubled = {2 * ir::kTimeLength, 4, 2};
  g.Result(g.Add("CumSum", 3, {x, g.Int(1)}, {{"exclusive", "false"}, {"reverse", "false"}}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  const std::optional<Streamed> streamed =
      Stream(g.graph, {.time_axes = {{"0", 1}}, .is_open = true}, FoldingHere(), g.faults);
  ASSERT_TRUE(streamed) << g.FaultText();
  EXPECT_TRUE(streamed->inputs.empty());
  for (const std::unique_ptr<ir::Node>& node : g.graph.nodes) {
    EXPECT_FALSE(ir::IsReadValue(*node));
  }
}

// The last step of x, from a position of another axis that is known only at run time.
TEST(Streaming, RefusesTheLastStepFromARunTimePosition) {
  GraphBuilder g;
  const ir::Source x = g.Parameter({ElementType::f32, {1, kSteps, 4}});
  const ir::Source at = g.Parameter({ElementType::i64, {1}});
  const ir::Source sums =
      g.Add("CumSum", 3, {x, g.Int(1)}, {{"exclusive", "false"}, {"reverse", "false"}});
  const ir::Source begin = g.Add("Concat", 1, {g.Ints({0, -1}), at}, {{"axis", "0"}});
  g.Result(g.Add("StridedSlice", 1, {sums, begin, g.Ints({1, 100, 100}), g.Ints({1, 1, 1})},
                 {{"begin_mask", "1,0,0"}, {"end_mask", "1,0,0"}}));
  ASSERT_TRUE(g.Infer()) << g.FaultText();
  EXPECT_FALSE(Stream(g.graph, 1, FoldingHere(), g.faults));
  EXPECT_NE(g.FaultText().find("slices the time axis"), std::string::npos) << g.FaultText();
}

}  // namespace
}  // namespace weft::graph
