// SPDX-License-Identifier: Apache-2.0
// Which loops are unrolled, and that unrolled loops have equal results.
#include <gtest/gtest.h>

#include "converter/graph/recognise/loops/loop_passes.h"
#include "tests/converter/counted_loop.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph/recognise/decomposed_cells.h"

namespace weft {
namespace {

const TensorType kNumber{ElementType::i64, {}};
const TensorType kPair{ElementType::f32, {2}};

// A sum of rows `factor` * i of x [12, 2] that starts at an input. Outputs: the final sum, and the
// sums of all iterations as a scan output.
struct SumOfScaledRows {
  CountedLoop loop;
  ir::Source index, sum;

  explicit SumOfScaledRows(int64_t trips, int64_t factor = 2) : loop(trips) {
    const ir::Source x = loop.Input(loop.outer.Parameter(F32({12, 2})));
    sum = loop.Input(loop.outer.Parameter(kPair));
    index = loop.Typed("Multiply", {loop.Iteration(), loop.body.Int(factor)}, kNumber);
    const ir::Source row =
        loop.Typed("Gather", {x, index, loop.body.Int(0)}, kPair, {{"batch_dims", "0"}}, 8);
    Close(loop.Typed("Add", {sum, row}, kPair));
  }

  void Close(ir::Source next) {
    loop.GoesBack(next, sum);
    loop.Last(next);
    const ir::Source part = loop.Typed("Unsqueeze", {next, loop.body.Ints({0})}, F32({1, 2}));
    loop.Last(part);
    loop.GatherOn(0);
    loop.node->outputs[1].type = F32({0, 2});
    loop.node->outputs[1].declared = false;
  }

  // Returns the operations after the pass, and checks that the results are equal.
  std::map<std::string, int> Flattened() {
    loop.Close();
    GraphBuilder& g = loop.outer;
    const std::vector<std::vector<float>> inputs = {Numbers(24, 5), Numbers(2, 6)};
    // Lowering needs inference, and Flatten runs before it, so each gets a separate loop.
    graph::Flatten(g.graph);
    std::map<std::string, int> left = Operations(g.graph);
    EXPECT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
    if (g.faults.ok()) answers = RunFloats(LowerGraph(g), inputs);
    return left;
  }

  std::vector<std::vector<float>> answers;
};

TEST(Flatten, FoldsWhatTheIterationIndexes) {
  SumOfScaledRows flat(4);
  flat.loop.node->outputs[0].names = {"last"};
  std::map<std::string, int> left = flat.Flattened();
  EXPECT_EQ(left["Loop"], 0);
  EXPECT_EQ(left["Gather"], 4);
  ASSERT_EQ(flat.answers.size(), 2u);
  std::vector<float> sum = Numbers(2, 6);
  const std::vector<float> x = Numbers(24, 5);
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < 2; ++k) sum[k] += x[4 * i + k];
    EXPECT_EQ(flat.answers[1][2 * i], sum[0]);
    EXPECT_EQ(flat.answers[1][2 * i + 1], sum[1]);
  }
  EXPECT_EQ(flat.answers[0], sum);
  const ir::Source last = flat.loop.outer.graph.results[0]->inputs[0];
  EXPECT_EQ(last.node->outputs[last.port].names, std::vector<std::string>{"last"});
  EXPECT_TRUE(last.node->name.ends_with("[3]")) << last.node->name;
}

TEST(Flatten, LeavesLoopsOfMoreWorkAndOfOneIteration) {
  EXPECT_EQ(SumOfScaledRows(6).Flattened()["Loop"], 0);
  EXPECT_EQ(SumOfScaledRows(22, 0).Flattened()["Loop"], 1);  // 22 times 3 operations
  SumOfScaledRows once(1);
  EXPECT_EQ(once.Flattened()["Loop"], 1);
}

TEST(Flatten, LeavesLoopsWhoseIterationDecidesNothing) {
  CountedLoop loop(4);
  const ir::Source sum = loop.Input(loop.outer.Parameter(kPair));
  const ir::Source real = loop.Typed("Convert", {loop.Iteration()}, {ElementType::f32, {}},
                                     {{"destination_type", "f32"}});
  const ir::Source next = loop.Typed("Add", {sum, real}, kPair);
  loop.GoesBack(next, sum);
  loop.Last(next);
  loop.Close();
  graph::Flatten(loop.outer.graph);
  EXPECT_EQ(Operations(loop.outer.graph)["Loop"], 1);
}

TEST(Flatten, LeavesProductsInTheLoop) {
  CountedLoop loop(4);
  const ir::Source x = loop.Input(loop.outer.Parameter(F32({12, 2})));
  const ir::Source twice = loop.Typed("Multiply", {loop.Iteration(), loop.body.Int(2)}, kNumber);
  const ir::Source row =
      loop.Typed("Gather", {x, twice, loop.body.Int(0)}, kPair, {{"batch_dims", "0"}}, 8);
  loop.Last(loop.Typed("MatMul", {row, Constant(loop.body, {2, 2}, 1)}, kPair));
  loop.Close();
  graph::Flatten(loop.outer.graph);
  EXPECT_EQ(Operations(loop.outer.graph)["Loop"], 1);
}

// Bounds of a slice must be constant, so this loop is unrolled regardless of the rest of its body.
TEST(Flatten, LaysBoundsFlatThatTheIterationComputes) {
  CountedLoop loop(4);
  const ir::Source x = loop.Input(loop.outer.Parameter(F32({12, 2})));
  const TensorType one{ElementType::i64, {1}};
  const ir::Source begin = loop.Typed("Unsqueeze", {loop.Iteration(), loop.body.Ints({0})}, one);
  const ir::Source end = loop.Typed("Add", {begin, loop.body.Ints({3})}, one);
  const ir::Source window = loop.Typed(
      "Slice", {x, begin, end, loop.body.Ints({1}), loop.body.Ints({0})}, F32({3, 2}), {}, 8);
  const ir::Source product =
      loop.Typed("MatMul", {window, Constant(loop.body, {2, 2}, 1)}, F32({3, 2}));
  loop.Last(product);
  loop.GatherOn(1);
  loop.node->outputs[0].declared = false;
  loop.Close();
  GraphBuilder& g = loop.outer;
  graph::Flatten(g.graph);
  EXPECT_EQ(Operations(g.graph)["Loop"], 0);
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  EXPECT_EQ(ToString(g.type(g.graph.results[0]->inputs[0])), "f32[3,8]");
}

TEST(Flatten, TakesSlicesFromTheEndWhenTheyRunBackwards) {
  CountedLoop loop(3);
  const ir::Source x = loop.outer.Parameter(F32({3, 2}));
  const ir::Source slice = loop.Input(x);
  slice.node->outputs[0].type = F32({1, 2});
  loop.map().inputs.back().range = ir::WholeRange(0, 1, /*backward=*/true);
  const ir::Source table = loop.Input(loop.outer.Parameter(F32({12, 2})));
  const ir::Source row = loop.Typed("Gather", {table, loop.Iteration(), loop.body.Int(0)}, kPair,
                                    {{"batch_dims", "0"}}, 8);
  loop.Last(loop.Typed("Add", {slice, row}, F32({1, 2})));
  loop.GatherOn(0);
  loop.node->outputs[0].declared = false;
  loop.Close();
  GraphBuilder& g = loop.outer;
  graph::Flatten(g.graph);
  EXPECT_EQ(Operations(g.graph)["Loop"], 0);
  ASSERT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  const std::vector<float> rows = Numbers(6, 1), more = Numbers(24, 2);
  const auto answers = RunFloats(LowerGraph(g), {rows, more});
  ASSERT_EQ(answers.size(), 1u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(answers[0][2 * i], rows[2 * (2 - i)] + more[2 * i]);
  }
}

}  // namespace
}  // namespace weft
