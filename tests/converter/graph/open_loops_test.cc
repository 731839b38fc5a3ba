// SPDX-License-Identifier: Apache-2.0
// Trip counts that follow from the shape of an input.
#include <gtest/gtest.h>

#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/rewrite.h"
#include "tests/converter/counted_loop.h"
#include "tests/converter/folding.h"

namespace weft {
namespace {

// Returns the recognised trip count of a loop that ends at x.shape[1], with x f32[2, `time`].
int64_t TripsOver(int64_t time) {
  CountedLoop loop(-1);
  GraphBuilder& g = loop.outer;
  const ir::Source x = g.Parameter({ElementType::f32, {2, time}});
  const ir::Source shape = g.Add("ShapeOf", 3, {x}, {{"output_type", "i64"}});
  const ir::Source length = g.Add("Gather", 8, {shape, g.Int(1), g.Int(0)});
  const ir::Source limit = loop.Input(length);
  const TensorType row{ElementType::f32, {3}};
  const ir::Source state = loop.Input(g.Parameter(row));
  const ir::Source next = loop.Typed("Add", {state, state}, row);
  loop.GoesBack(next, state);
  loop.Last(next);
  const ir::Source counter =
      loop.Typed("Add", {loop.Counter(0, 1), loop.body.Int(1)}, {ElementType::i64, {}});
  loop.GoOn(loop.Compared("Less", counter, limit));
  loop.Close();
  graph::RecogniseCountsByShapes(g.graph, FoldingHere());
  return graph::IntsOf(loop.node->inputs[0]).at(0);
}

TEST(OpenLoops, CountsToALengthThatInferenceKnows) {
  EXPECT_EQ(TripsOver(7), 7);
  EXPECT_EQ(TripsOver(1), 1);
}

TEST(OpenLoops, LeavesAnUnknownLength) { EXPECT_EQ(TripsOver(-1), -1); }

// A loop of x.shape[1] iterations, as exported from scripts, with a list that grows along axis 1.
TEST(OpenLoops, GathersAListOnceItsTripCountIsKnown) {
  CountedLoop loop(1);
  GraphBuilder& g = loop.outer;
  const ir::Source x = g.Parameter({ElementType::f32, {2, 7, 3}});
  const ir::Source shape = g.Add("ShapeOf", 3, {x}, {{"output_type", "i64"}});
  loop.node->inputs[0] = g.Add("Gather", 8, {shape, g.Int(1), g.Int(0)});
  const ir::Source list = loop.Input(g.Const<float>({ElementType::f32, {2, 0, 3}}, {}));
  const ir::Source all = loop.Input(x);
  const TensorType row = {ElementType::f32, {2, 1, 3}};
  const ir::Source axis = loop.body.Ints({1});
  const ir::Source taken = loop.Typed("Gather", {all, loop.Iteration(), loop.body.Int(1)},
                                      {ElementType::f32, {2, 3}}, {}, 8);
  const ir::Source grown = loop.Typed("Concat", {list, loop.Typed("Unsqueeze", {taken, axis}, row)},
                                      {ElementType::f32, {2, -1, 3}}, {{"axis", "1"}});
  loop.GoesBack(grown, list);
  loop.LastOf(loop.map().InputOf(*list.node)->next);
  loop.node->outputs.push_back({{ElementType::f32, {2, -1, 3}}, true, {}});
  loop.Close();
  graph::RecogniseCountsByShapes(g.graph, FoldingHere());
  EXPECT_EQ(graph::IntsOf(loop.node->inputs[0]), Dims{7});
  ASSERT_EQ(loop.map().outputs.size(), 1u);
  ASSERT_TRUE(loop.map().outputs[0].range);
  EXPECT_EQ(loop.map().outputs[0].range->axis, 1);
  ASSERT_EQ(loop.map().inputs.size(), 1u);  // the slice
  ASSERT_TRUE(loop.map().inputs[0].range);
  EXPECT_EQ(loop.map().inputs[0].range->axis, 1);
}

}  // namespace
}  // namespace weft
