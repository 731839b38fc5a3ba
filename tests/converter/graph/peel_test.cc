// SPDX-License-Identifier: Apache-2.0
// Loops that lack their first step become loops over all steps, with bit-identical results.
#include "converter/graph/reroll/peel.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/converter/counted_loop.h"
#include "tests/converter/folding.h"
#include "tests/converter/graph/recognise/decomposed_cells.h"

namespace weft {
namespace {

constexpr int64_t kPeeledSteps = 6;
const TensorType kPeeledRow = F32({1, 1, 4});

// h = tanh(0.9 h + x) in a loop over all steps except the first, in which h = function(0.9 h + x).
GraphBuilder PeeledLoop(const std::string& function) {
  CountedLoop loop(kPeeledSteps - 1);
  GraphBuilder& g = loop.outer;
  const ir::Source x = g.Parameter(F32({1, kPeeledSteps, 4})), before = g.Parameter(kPeeledRow);
  const ir::Source first =
      g.Add("Slice", 8, {x, g.Ints({0}), g.Ints({1}), g.Ints({1}), g.Ints({1})});
  const ir::Source kept = g.Add("Multiply", 1, {before, g.Float(0.9f)});
  const ir::Source start = g.Add(function, 1, {g.Add("Add", 1, {kept, first})});
  const ir::Source h = loop.body.Parameter(kPeeledRow), xt = loop.body.Parameter(kPeeledRow);
  loop.map().inputs.push_back({.parameter = h.node, .input = ir::AddInput(*loop.node, start)});
  ir::ChunkRange range = CountedLoop::On(1);
  range.start = 1;
  ir::AddSlice(*loop.node, ir::AddInput(*loop.node, x), *xt.node, range);
  const ir::Source scaled = loop.Typed("Multiply", {h, loop.body.Float(0.9f)}, kPeeledRow);
  const ir::Source sum = loop.Typed("Add", {scaled, xt}, kPeeledRow);
  const ir::Source next = loop.Typed("Tanh", {sum}, kPeeledRow);
  loop.GoesBack(next, h);
  const ir::Source rest = loop.Last(next);
  loop.GatherOn(1);
  loop.node->outputs.back().type = F32({1, kPeeledSteps - 1, 4});
  loop.GoOn(loop.body.Const<uint8_t>({ElementType::boolean, {}}, {1}));
  loop.node->bodies[0].graph = std::make_unique<ir::Graph>(std::move(loop.body.graph));
  g.Result(g.Add("Concat", 1, {start, rest}, {{"axis", "1"}}));
  return std::move(loop.outer);
}

// Returns the operations after the pass, with those of the body, and compares the results.
std::map<std::string, int> MergedSteps(GraphBuilder g, graph::Peeled which) {
  EXPECT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  if (!g.faults.ok()) return {};
  const program::Program before = LowerGraph(g);
  graph::MergePeeledSteps(g.graph, which, FoldingHere());
  const program::Program after = LowerGraph(g);
  const std::vector<std::vector<float>> inputs = {Numbers(4 * kPeeledSteps, 1), Numbers(4, 2)};
  EXPECT_EQ(RunFloats(after, inputs), RunFloats(before, inputs));
  return Operations(g.graph);
}

TEST(Peel, TakesInACopyOfTheBody) {
  std::map<std::string, int> left = MergedSteps(PeeledLoop("Tanh"), graph::Peeled::kCopies);
  EXPECT_EQ(left["Loop"], 1);
  EXPECT_EQ(left["Tanh"], 1);
  for (const char* operation : {"Concat", "Select", "Slice"}) {
    EXPECT_EQ(left[operation], 0) << operation;
  }
}

TEST(Peel, LeavesAStepThatIsNoCopy) {
  std::map<std::string, int> left = MergedSteps(PeeledLoop("Sigmoid"), graph::Peeled::kCopies);
  EXPECT_EQ(left["Concat"], 1);
  EXPECT_EQ(left["Sigmoid"], 1);
}

TEST(Peel, SelectsAStepThatIsNoCopy) {
  std::map<std::string, int> left = MergedSteps(PeeledLoop("Sigmoid"), graph::Peeled::kAll);
  EXPECT_EQ(left["Concat"], 0);
  EXPECT_EQ(left["Slice"], 0);
  EXPECT_EQ(left["Select"], 1);
}

}  // namespace
}  // namespace weft
