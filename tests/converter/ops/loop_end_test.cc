// SPDX-License-Identifier: Apache-2.0
// The number of iterations of loops as far as it is known at conversion, the bounds that other
// loops need, and readers of run-time lengths. The conformance cases loop_run/* and if/* check
// results.
#include <gtest/gtest.h>

#include <limits>

#include "converter/graph/infer.h"
#include "converter/graph/recognise/loops/loop_passes.h"
#include "tests/converter/counted_loop.h"
#include "tests/converter/folding.h"

namespace weft {
namespace {

const TensorType kRow = {ElementType::f32, {1, 3}};
const TensorType kFlag = {ElementType::boolean, {}};
const TensorType kCount = {ElementType::i64, {1}};

// A state that doubles, collected along axis 0. The caller may change the end condition.
struct Doubling : CountedLoop {
  ir::Source state, next, gathered;
  explicit Doubling(int64_t trips) : CountedLoop(trips) {
    state = Input(outer.Parameter(kRow));
    next = Typed("Add", {state, state}, kRow);
    GoesBack(next, state);
    gathered = Last(next);
    GatherOn(0);
    node->outputs.back().declared = false;
  }
  void EndsByCondition() {
    GoOn(Compared(
        "Less",
        body.Add("ReduceSum", 1, {next, body.Const<int64_t>({ElementType::i64, {2}}, {0, 1})}),
        body.Float(9)));
  }
  ir::Trips Infer(int64_t max_iterations = 0) {
    Close();
    InferAndFold(outer.graph, {true, max_iterations}, outer.faults);
    return node->bodies[0].trips;
  }
  std::string Refusal(int64_t max_iterations = 0) {
    Infer(max_iterations);
    return outer.FaultText();
  }
};

bool operator==(const ir::Trips& a, const ir::Trips& b) {
  return a.max == b.max && a.exact == b.exact && a.limited == b.limited;
}

testing::AssertionResult Contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << text << "\" lacks \"" << part << '"';
}

TEST(LoopEnd, IsKnownWhereCountAndConditionsAre) {
  Doubling loop(5);
  EXPECT_TRUE(loop.Infer() == (ir::Trips{5, true, false})) << loop.outer.FaultText();
  EXPECT_EQ(loop.node->outputs[0].type.dims, (Dims{5, 3}));
  EXPECT_FALSE(loop.node->outputs[0].run_time_extent.has_value());
}

TEST(LoopEnd, OfAConditionIsBoundedByTheCount) {
  Doubling loop(5);
  loop.EndsByCondition();
  EXPECT_TRUE(loop.Infer() == (ir::Trips{5, false, false})) << loop.outer.FaultText();
  ASSERT_TRUE(loop.node->outputs[0].run_time_extent.has_value());
}

TEST(LoopEnd, OfAConditionAloneNeedsABound) {
  Doubling open(-1), bounded(-1), tighter(100);
  for (Doubling* loop : {&open, &bounded, &tighter}) loop->EndsByCondition();
  EXPECT_TRUE(Contains(open.Refusal(), "must be bounded by --max-iterations"));
  EXPECT_TRUE(bounded.Infer(7) == (ir::Trips{7, false, true})) << bounded.outer.FaultText();
  EXPECT_TRUE(tighter.Infer(7) == (ir::Trips{7, false, true})) << tighter.outer.FaultText();
}

// The file format counts iterations in 32 bits, but an i32 length has 31 bits.
TEST(LoopEnd, RefusesACountThatTheFileCannotHold) {
  constexpr int64_t kMax = 0x7FFFFFFF;
  for (const int64_t trips :
       {kMax + 1, int64_t{0xFFFFFFFE}, int64_t{0xFFFFFFFF}, int64_t{1} << 32,
        (int64_t{1} << 32) + 7, (int64_t{1} << 40) + 7, std::numeric_limits<int64_t>::max() - 1}) {
    Doubling loop(trips), open(trips), bounded(trips);
    EXPECT_TRUE(Contains(loop.Refusal(9), "(Loop): trip count is " + std::to_string(trips) +
                                              "; must be at most 2147483647"));
    open.EndsByCondition();
    EXPECT_TRUE(
        Contains(open.Refusal(), "must be at most 2147483647, or be bounded by --max-iterations"));
    bounded.EndsByCondition();
    EXPECT_TRUE(bounded.Infer(9) == (ir::Trips{9, false, true})) << bounded.outer.FaultText();
  }
  Doubling loop(kMax);
  loop.node->outputs.clear();
  loop.map().outputs.clear();
  loop.Last(loop.next);
  EXPECT_TRUE(loop.Infer() == (ir::Trips{kMax, true, false})) << loop.outer.FaultText();
}

TEST(LoopEnd, RefusesACountComputedAheadOfTime) {
  Doubling loop(0);
  loop.node->inputs[0] =
      loop.outer.Add("Multiply", 1, {loop.outer.Int(int64_t{1} << 31), loop.outer.Int(4)});
  EXPECT_TRUE(Contains(loop.Refusal(), "trip count is 8589934592; must be at most 2147483647"));
}

TEST(LoopEnd, OfARunTimeCountIsBoundedByItsSlices) {
  Doubling loop(5);
  loop.node->inputs[0] = loop.outer.Parameter(kCount);
  const ir::Source slice = loop.Input(loop.outer.Parameter({ElementType::f32, {4, 3}}));
  slice.node->outputs[0].type = kRow;
  loop.SliceOn(0);
  EXPECT_TRUE(loop.Infer() == (ir::Trips{4, false, true})) << loop.outer.FaultText();
}

// The loop continues while a run-time flag is true and its counter is below 4.
void EndsByFlagAndCounter(Doubling& loop) {
  const ir::Source flag = loop.Input(loop.outer.Parameter(kFlag));
  const ir::Source next =
      loop.Typed("Add", {loop.Counter(0, 1), loop.body.Int(1)}, {ElementType::i64, {}});
  loop.GoOn(loop.Compared("LogicalAnd", flag, loop.Compared("Less", next, loop.body.Int(4))));
  loop.Close();
  graph::RecogniseCounts(loop.outer.graph);
}

ir::Trips TripsOf(Doubling& loop, int64_t max_iterations) {
  InferAndFold(loop.outer.graph, {true, max_iterations}, loop.outer.faults);
  return loop.node->bodies[0].trips;
}

TEST(LoopEnd, IsBoundedByACounterInTheCondition) {
  Doubling loop(-1), tighter(-1);
  for (Doubling* each : {&loop, &tighter}) EndsByFlagAndCounter(*each);
  EXPECT_TRUE(TripsOf(loop, 0) == (ir::Trips{4, false, false})) << loop.outer.FaultText();
  EXPECT_TRUE(TripsOf(tighter, 3) == (ir::Trips{3, false, true})) << tighter.outer.FaultText();
}

TEST(LoopEnd, OfARunTimeCountIsBoundedByACounterInTheCondition) {
  Doubling loop(5), tighter(5);
  for (Doubling* each : {&loop, &tighter}) {
    each->node->inputs[0] = each->outer.Parameter(kCount);
    EndsByFlagAndCounter(*each);
  }
  EXPECT_TRUE(TripsOf(loop, 0) == (ir::Trips{4, false, false})) << loop.outer.FaultText();
  EXPECT_TRUE(TripsOf(tighter, 3) == (ir::Trips{3, false, true})) << tighter.outer.FaultText();
}

TEST(LoopEnd, RefusesWhatNeverEnds) {
  Doubling loop(-1);
  EXPECT_TRUE(
      Contains(loop.Refusal(9), "trip count is -1 and its condition is always true; must end"));
}

TEST(LoopEnd, RefusesMoreIterationsThanSlices) {
  Doubling loop(5);
  const ir::Source slice = loop.Input(loop.outer.Parameter({ElementType::f32, {4, 3}}));
  slice.node->outputs[0].type = kRow;
  loop.SliceOn(0);
  EXPECT_TRUE(Contains(loop.Refusal(), "runs 5 iterations over 4 slices"));
}

TEST(LoopEnd, RefusesControlsOfAnotherType) {
  Doubling trip(5), first(5), condition(5);
  trip.node->inputs[0] = trip.outer.Parameter({ElementType::f32, {}});
  EXPECT_TRUE(
      Contains(trip.Refusal(9), "its trip count is f32[]; must be one element of i32 or i64"));
  first.node->inputs[1] = first.outer.Parameter({ElementType::boolean, {2}});
  EXPECT_TRUE(Contains(first.Refusal(9), "its execution condition is boolean[2]; must be one"));
  condition.GoOn(condition.next);
  EXPECT_TRUE(
      Contains(condition.Refusal(9), "its body condition is f32[1,3]; must be one element"));
}

TEST(LoopEnd, RefusesToGatherAnOpenCountBackwards) {
  Doubling loop(5);
  loop.EndsByCondition();
  loop.map().outputs[0].range->stride = -1;
  EXPECT_TRUE(Contains(loop.Refusal(), "concatenated backwards but has a run-time length"));
}

TEST(OpenLength, PassesThroughWhatKeepsPlacesApart) {
  Doubling loop(5);
  loop.EndsByCondition();
  const ir::Source half = loop.outer.Add("Multiply", 1, {loop.gathered, loop.outer.Float(0.5f)});
  loop.outer.Result(loop.outer.Add("CumSum", 3, {half, loop.outer.Int(0)}));
  const std::string text = loop.Refusal();
  ASSERT_TRUE(half.node->outputs[0].run_time_extent.has_value());
  EXPECT_EQ(half.node->outputs[0].run_time_extent->maker, loop.node);
  EXPECT_TRUE(Contains(text, "(CumSum): axis 0 of its input 0 has a run-time length"));
}

TEST(OpenLength, PassesThroughWhatIsPointwise) {
  Doubling loop(5);
  loop.EndsByCondition();
  const ir::Source half = loop.outer.Add("Relu", 1, {loop.gathered});
  loop.outer.Result(half);
  EXPECT_EQ(loop.Refusal(), "");
  EXPECT_TRUE(half.node->outputs[0].run_time_extent.has_value());
}

TEST(OpenLength, RefusesToMeetAFixedOne) {
  Doubling loop(5);
  loop.EndsByCondition();
  const ir::Source fixed = loop.outer.Parameter({ElementType::f32, {5, 3}});
  loop.outer.Result(loop.outer.Add("Add", 1, {loop.gathered, fixed}));
  EXPECT_TRUE(Contains(loop.Refusal(), "its inputs have different lengths on axis 0"));
}

// Errors of an If whose branches compute values of these types.
std::string BranchesOf(const TensorType& then, const TensorType& other, const TensorType& flag) {
  GraphBuilder outer;
  ir::Node* node = outer.Add("If", 8, {outer.Parameter(flag)}).node;
  for (const TensorType& type : {then, other}) {
    GraphBuilder body;
    const std::vector<float> ones(static_cast<size_t>(*ElementCount(type.dims)), 1.0f);
    body.Result(body.Const<float>(type, ones));
    node->bodies.emplace_back();
    node->bodies.back().map.outputs.push_back({.result = body.graph.results[0], .port_id = 0});
    node->bodies.back().graph = std::make_unique<ir::Graph>(std::move(body.graph));
  }
  outer.Result({node, 0});
  InferAndFold(outer.graph, {}, outer.faults);
  return outer.FaultText();
}

TEST(Branches, CountNoIterations) {
  GraphBuilder outer;
  ir::Node* node = outer.Add("If", 8, {outer.Const<uint8_t>(kFlag, {1})}).node;
  for (int i = 0; i < 2; ++i) {
    GraphBuilder body;
    const ir::Source number = body.Parameter(kCount);
    body.Result(number);
    ir::Body& branch = node->bodies.emplace_back();
    branch.map.inputs.push_back({.parameter = number.node});
    branch.map.outputs.push_back({.result = body.graph.results[0], .port_id = 0});
    branch.graph = std::make_unique<ir::Graph>(std::move(body.graph));
  }
  outer.Result({node, 0});
  EXPECT_FALSE(InferAndFold(outer.graph, {}, outer.faults));
  EXPECT_TRUE(Contains(outer.FaultText(), "is the current_iteration; a branch has none"));
}

TEST(Branches, MustMakeOneTypeAndHaveACondition) {
  EXPECT_EQ(BranchesOf(kRow, kRow, kFlag), "");
  EXPECT_TRUE(Contains(BranchesOf(kRow, {ElementType::f32, {3}}, kFlag),
                       "output 0 is f32[1,3] in its then-body and f32[3] in its else-body"));
  EXPECT_TRUE(Contains(BranchesOf(kRow, {ElementType::f32, {2, 4}}, kFlag),
                       "types and ranks must be equal, and at most one extent may differ"));
  EXPECT_EQ(BranchesOf(kRow, {ElementType::f32, {5, 3}}, kFlag), "");
  EXPECT_TRUE(
      Contains(BranchesOf(kRow, kRow, kCount), "condition is i64[1]; must be one boolean element"));
}

}  // namespace
}  // namespace weft
