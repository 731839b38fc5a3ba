// SPDX-License-Identifier: Apache-2.0
// Kinds of port map entries, and consistency of the map after edits and copies.
#include "converter/ir/port_map.h"

#include <gtest/gtest.h>

#include "converter/ir/edit.h"
#include "tests/converter/counted_loop.h"

namespace weft::ir {
namespace {

using Kind = BodyInput::Kind;

const TensorType kRow{ElementType::f32, {1, 2}};

using Number = std::optional<int64_t>;
constexpr std::nullopt_t kAbsent = std::nullopt;

ChunkRange Range(Number start, Number end, Number stride = kAbsent, Number part = kAbsent) {
  return {-1, start, end, stride, part};
}

TEST(ChunkRange, IsWholeByBoundsThatFitAnyExtent) {
  EXPECT_TRUE(ChunkRange{}.whole());
  EXPECT_TRUE(Range(0, -1, 3).whole());
  EXPECT_TRUE(Range(-1, 0, -2).whole());
  EXPECT_FALSE(Range(kAbsent, kAbsent, -1).whole());
  EXPECT_FALSE(Range(1, kAbsent).whole());
  EXPECT_FALSE(Range(kAbsent, 5).whole());
}

TEST(ChunkRange, TakesTheWholeAxisInItsDirection) {
  for (const bool backward : {false, true}) {
    const ChunkRange range = WholeRange(2, 4, backward);
    EXPECT_TRUE(range.whole());
    EXPECT_EQ(range.backward(), backward);
    EXPECT_EQ(range.axis, 2);
    EXPECT_EQ(range.stride, backward ? -4 : 4);
    EXPECT_EQ(range.part_size, 4);
  }
  ChunkRange part = Range(-3, 1, -1);
  part.TakeWhole();
  EXPECT_TRUE(part.whole());
  EXPECT_TRUE(part.backward());
}

TEST(ChunkRange, IsByOnesUnlessItSaysOtherwise) {
  EXPECT_TRUE(ChunkRange{}.by_ones());
  EXPECT_TRUE(Range(0, -1, -1, 1).by_ones());
  EXPECT_FALSE(Range(0, -1, 2).by_ones());
  EXPECT_FALSE(Range(0, -1, kAbsent, 2).by_ones());
}

// Input 2 is a state, 3 an invariant, 4 sliced, 5 returned unchanged; and the iteration number.
struct Ports : testing::Test {
  CountedLoop loop{3};
  Source state, same, slice, kept, iteration, next;

  Ports() {
    state = loop.Input(loop.outer.Parameter(kRow));
    same = loop.Input(loop.outer.Parameter(kRow));
    slice = loop.Input(loop.outer.Parameter({ElementType::f32, {3, 2}}));
    slice.node->outputs[0].type = kRow;
    loop.SliceOn(0);
    kept = loop.Input(loop.outer.Parameter(kRow));
    iteration = loop.Iteration();
    next = loop.Typed("Add", {state, slice}, kRow);
    loop.GoesBack(next, state);
    loop.GoesBack(kept, kept);
    loop.Last(next);
  }
  Kind KindOf(Source parameter) const { return loop.map().InputOf(*parameter.node)->kind(); }
  size_t InputOf(Source parameter) const { return *loop.map().InputOf(*parameter.node)->input; }
};

TEST_F(Ports, AreOfFourKinds) {
  EXPECT_EQ(KindOf(state), Kind::kCarried);
  EXPECT_EQ(KindOf(same), Kind::kInvariant);
  EXPECT_EQ(KindOf(slice), Kind::kSliced);
  EXPECT_EQ(KindOf(kept), Kind::kInvariant);
  EXPECT_EQ(KindOf(iteration), Kind::kIteration);
}

TEST_F(Ports, ChangeKindWithWhatTheBodyComputes) {
  loop.map().InputOf(*kept.node)->next->inputs[0] = next;
  EXPECT_EQ(KindOf(kept), Kind::kCarried);
  loop.map().InputOf(*state.node)->next->inputs[0] = state;
  EXPECT_EQ(KindOf(state), Kind::kInvariant);
}

TEST_F(Ports, KnowWhichInputsAreTaken) {
  EXPECT_FALSE(loop.map().Takes(0));
  EXPECT_TRUE(loop.map().Takes(2));
  EXPECT_FALSE(loop.map().Takes(6));
}

TEST_F(Ports, GainAnInputAndAnOutput) {
  loop.Close();
  const Source more = loop.outer.Parameter({ElementType::f32, {3, 2}});
  const size_t input = AddInput(*loop.node, more);
  EXPECT_EQ(input, 6u);
  Node& parameter = *loop.node->bodies[0].graph->parameters[1];
  AddSlice(*loop.node, input, parameter, WholeRange(0, 1, true));
  EXPECT_EQ(loop.map().inputs.back().parameter, &parameter);
  EXPECT_TRUE(loop.map().inputs.back().is(Kind::kSliced));
  loop.map().outputs[0].port_id = 9;  // ids of the file
  EXPECT_EQ(AddOutput(*loop.node, *loop.map().InputOf(*kept.node)->next), 1u);
  EXPECT_EQ(loop.map().outputs[1].port_id, 10);
  EXPECT_EQ(loop.node->outputs[1].type, kRow);
}

TEST_F(Ports, LoseWhatIsNotNeeded) {
  loop.Close();
  const std::set<const Node*> needed = {state.node, slice.node, next.node,
                                        loop.map().InputOf(*state.node)->next,
                                        loop.map().outputs[0].result};
  RemoveFromBody(loop.node->bodies[0], [&](const Node& node) { return needed.contains(&node); });
  EXPECT_EQ(loop.map().inputs.size(), 2u);
  EXPECT_EQ(loop.inside().parameters.size(), 2u);
  EXPECT_EQ(loop.inside().results.size(), 2u);
  EXPECT_EQ(loop.inside().nodes.size(), 5u);
  EXPECT_EQ(loop.node->inputs.size(), 6u);
  const Source sliced = loop.node->inputs[4];
  RemoveUnusedInputs(*loop.node);  // 3 and 5; trip count and condition of the Loop stay
  EXPECT_EQ(loop.node->inputs.size(), 4u);
  EXPECT_EQ(InputOf(state), 2u);
  EXPECT_EQ(InputOf(slice), 3u);
  EXPECT_EQ(loop.node->inputs[3], sliced);
}

TEST_F(Ports, OfACopyNameTheNodesOfTheCopy) {
  loop.GoOn(next);
  loop.Close();
  const std::unique_ptr<Graph> graph = CopyOf(loop.outer.graph);
  const Node* node = graph->results[0]->inputs[0].node;
  ASSERT_EQ(node->bodies.size(), 1u);
  const PortMap& map = node->bodies[0].map;
  const Graph& inside = *node->bodies[0].graph;
  ASSERT_EQ(map.inputs.size(), 5u);
  for (size_t i = 0; i < map.inputs.size(); ++i) {
    const BodyInput &copy = map.inputs[i], &original = loop.map().inputs[i];
    EXPECT_EQ(copy.parameter, inside.parameters[i]);
    EXPECT_NE(copy.parameter, original.parameter);
    EXPECT_EQ(copy.kind(), original.kind());
    EXPECT_EQ(copy.input, original.input);
    EXPECT_EQ(copy.next == nullptr, original.next == nullptr);
    EXPECT_TRUE(copy.next == nullptr ||
                std::ranges::find(inside.results, copy.next) != inside.results.end());
  }
  EXPECT_EQ(map.outputs[0].result, inside.results[2]);
  EXPECT_EQ(map.condition, inside.results[3]);
}

TEST(Edit, MakesNodesInTheNameOfOthers) {
  GraphBuilder g;
  Node& like = *g.Int(7).node;
  like.line = 12;
  const std::unique_ptr<Node> node = MakeNode(like);
  EXPECT_EQ(node->id, like.id);
  EXPECT_EQ(node->line, 12);
  EXPECT_EQ(node->name, like.name);
  EXPECT_TRUE(node->type.empty() && node->inputs.empty() && node->outputs.empty());
}

TEST(Edit, HandsReadersAndNamesOver) {
  GraphBuilder g;
  const Source a = g.Parameter(kRow), b = g.Parameter(kRow);
  const Source sum = g.Add("Add", 1, {a, a});
  a.node->outputs[0].names = {"x"};
  HandOver(g.graph, a, b);
  EXPECT_EQ(sum.node->inputs, (std::vector<Source>{b, b}));
  EXPECT_EQ(b.node->outputs[0].names, std::vector<std::string>{"x"});
  EXPECT_TRUE(a.node->outputs[0].names.empty());
}

}  // namespace
}  // namespace weft::ir
