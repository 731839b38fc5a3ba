// SPDX-License-Identifier: Apache-2.0
// A pointwise operation is converted in every setting by its table row only. The rows below are in
// the table of this test only; no pass refers to them.
#include <gtest/gtest.h>

#include "converter/graph/infer.h"
#include "converter/ops/support/pointwise.h"
#include "tests/converter/counted_loop.h"
#include "tests/converter/steps.h"
#include "tests/models/streamed_graph.h"

namespace weft {
namespace {

void InferSame(ops::InferScope& scope) { scope.SetOutput(0, scope.input_type(0)); }

void LowerSquare(ops::LowerScope& scope) {
  const program::ValueId x = scope.input(0), y = scope.NewOutput(0);
  ops::EmitBinary(scope.builder, format::BinaryOp::multiply, x, x, y);
}

// Square has the pointwise trait, Secret has no traits.
constexpr ops::Operation kRows[] = {
    {"Square", 1, 1, 1, InferSame, LowerSquare, ops::kPointwise},
    {"Secret", 1, 1, 1, InferSame, LowerSquare},
};

struct NewOperation : testing::Test {
  ops::ExtraRows rows{kRows};
};

TEST_F(NewOperation, IsFoundWhileItsRowsAreThere) {
  EXPECT_EQ(ops::Find("square", 9), &kRows[0]);
  EXPECT_EQ(ops::Find("Relu", 1)->name, "Relu");
}

TEST(NewOperations, AreGoneWithTheirRows) {
  { const ops::ExtraRows rows(kRows); }
  EXPECT_EQ(ops::Find("Square", 1), nullptr);
}

TEST_F(NewOperation, Folds) {
  GraphBuilder g;
  g.Result(g.Add("Square", 1, {g.Floats({3}, {1.5f, -2.0f, 0.0f})}));
  ASSERT_TRUE(Infer(g)) << g.FaultText();
  const ir::Node& folded = *g.graph.results[0]->inputs[0].node;
  ASSERT_TRUE(folded.constant.has_value());
  const float expected[] = {2.25f, 4.0f, 0.0f};
  ASSERT_EQ(folded.constant->bytes.size(), sizeof(expected));
  EXPECT_EQ(std::memcmp(folded.constant->bytes.data(), expected, sizeof(expected)), 0);
}

// Adds a sequence of 6 steps over [2, 6, 3] with the operation before and after it.
void Around(GraphBuilder& g, const std::string& operation) {
  const ir::Source x = g.Parameter(F32({2, 6, 3}));
  const ir::Source initial = g.Floats({2, 1, 3}, std::vector<float>(6, 0.0f));
  const ir::Source lengths = g.Const<int32_t>({ElementType::i32, {2}}, {6, 6});
  const ir::Source before = g.Add(operation, 1, {x});
  const ir::Source sequence = g.Add("GRUSequence", 5,
                                    {before, initial, lengths, Weights(g, {1, 9, 3}, 1),
                                     Weights(g, {1, 9, 3}, 2), Weights(g, {1, 9}, 3)},
                                    {{"hidden_size", "3"}}, 2);
  g.Result(g.Add(operation, 1, {sequence}));
}

TEST_F(NewOperation, StreamsToTheBit) {
  const Build build = [](GraphBuilder& g) { Around(g, "Square"); };
  for (const int64_t steps : {1, 2, 3}) ExpectSameBits(build, build, 6, steps);
}

TEST_F(NewOperation, DoesNotStreamWithoutSayingThatItIsPointwise) {
  GraphBuilder g;
  Around(g, "Secret");
  ASSERT_TRUE(Infer(g)) << g.FaultText();
  EXPECT_FALSE(graph::Stream(g.graph, 1, FoldingHere(), g.faults));
  EXPECT_PRED2(Contains, g.FaultText(),
               "(Secret): needs the full sequence (it may combine time steps");
}

// A loop that computes rows until their sum reaches 9, and the operation on these rows.
struct OpenLoop : CountedLoop {
  ir::Source made;
  explicit OpenLoop(const std::string& operation) : CountedLoop(5) {
    const TensorType row = F32({1, 3});
    const ir::Source state = Input(outer.Parameter(row));
    const ir::Source next = Typed("Add", {state, state}, row);
    GoesBack(next, state);
    Last(next);
    GatherOn(0);
    node->outputs.back().declared = false;
    GoOn(Compared("Less", body.Add("ReduceSum", 1, {next, body.Ints({0, 1})}), body.Float(9)));
    node->bodies[0].graph = std::make_unique<ir::Graph>(std::move(body.graph));
    made = outer.Add(operation, 1, {{node, 0}});
    outer.Result(made);
  }
};

TEST_F(NewOperation, TakesRunTimeLengths) {
  OpenLoop loop("Square");
  ASSERT_TRUE(Infer(loop.outer)) << loop.outer.FaultText();
  ASSERT_TRUE(loop.made.node->outputs[0].run_time_extent.has_value());
  EXPECT_EQ(loop.made.node->outputs[0].run_time_extent->maker, loop.node);
  program::Program program;
  EXPECT_TRUE(graph::Lower(loop.outer.graph, program, loop.outer.faults));
  EXPECT_NE(program.outputs[0].length, program::kNone);
}

TEST_F(NewOperation, TakesNoRunTimeLengthsWithoutSayingThatItIsPointwise) {
  OpenLoop loop("Secret");
  EXPECT_FALSE(Infer(loop.outer));
  EXPECT_PRED2(Contains, loop.outer.FaultText(),
               "(Secret): axis 0 of its input 0 has a run-time length");
}

}  // namespace
}  // namespace weft
