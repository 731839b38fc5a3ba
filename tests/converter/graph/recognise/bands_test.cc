// SPDX-License-Identifier: Apache-2.0
// Constants between a reshape and its inverse are expanded to the outer dims, and both reshapes are
// removed.
#include "converter/graph/recognise/forms/forms.h"
#include "tests/converter/graph/recognise/rewritten.h"

namespace weft {
namespace {

using Dimensions = std::vector<int64_t>;

struct Bands : testing::Test {
  weft::FormBuilder g;

  ir::Source Shape(ir::Source x, const Dimensions& dims) {
    return g.Of("Reshape", {x, g.Ints(dims)}, {{"special_zero", "false"}});
  }
  ir::Source Random(const Dimensions& dims) {
    return g.Floats(dims, Numbers(static_cast<size_t>(ElementCount(dims).value_or(0)), 1));
  }
  KindCounts Left() { return Rewritten(g, graph::RecogniseBands, 0); }
};

TEST_F(Bands, OfASpectrumAreScaledWhereTheyStand) {
  ir::Source x = Shape(g.Parameter(F32({2, 3, 4, 5})), {2, 6, 2, 5});
  x = g.Of("Multiply", {x, Random({1, 6, 1, 1})});
  x = g("Relu", g.Of("Add", {Random({6, 1, 1}), x}));
  g.Result(Shape(x, {2, 3, 4, 5}));
  EXPECT_EQ(Left(), (KindCounts{{"Multiply", 1}, {"Add", 1}, {"Relu", 1}}));
  const ir::Node& sum = *g.graph.results[0]->inputs[0].node->inputs[0].node;
  EXPECT_EQ(sum.inputs[0].node->constant->type.dims, (Dims{1, 3, 4, 1}));
}

TEST_F(Bands, ConstantsThatStretchAlongOtherAxesStayAsSmallAsTheyAre) {
  ir::Source x = Shape(g.Parameter(F32({2, 3, 4, 5})), {3, 2, 20});
  x = g.Of("Subtract", {g.Float(3), g.Of("Multiply", {x, Random({20})})});
  g.Result(g("Exp", Shape(x, {2, 3, 4, 5})));
  EXPECT_EQ(Left(), (KindCounts{{"Multiply", 1}, {"Subtract", 1}, {"Exp", 1}}));
}

TEST_F(Bands, StayWhereWeightsWouldSwell) {
  const ir::Source x = Shape(g.Parameter(F32({1, 2, 40, 3})), {1, 4, 20, 3});
  g.Result(Shape(g.Of("Multiply", {x, Random({4, 1, 1})}), {1, 2, 40, 3}));
  EXPECT_EQ(Left(), (KindCounts{{"Reshape", 2}, {"Multiply", 1}}));
}

TEST_F(Bands, StayWhereTheyAreReadBesidesOrTwoTensorsMeet) {
  const ir::Source x = Shape(g.Parameter(F32({1, 2, 4, 3})), {1, 4, 2, 3});
  const ir::Source scaled = g.Of("Multiply", {x, Random({4, 1, 1})});
  g.Result(Shape(scaled, {1, 2, 4, 3}));
  g.Result(scaled);
  g.Result(Shape(g.Of("Add", {x, g.Parameter(F32({1, 4, 2, 3}))}), {1, 2, 4, 3}));
  EXPECT_EQ(Left(), (KindCounts{{"Reshape", 3}, {"Multiply", 1}, {"Add", 1}}));
}

TEST_F(Bands, StayWhereOtherDimsFollow) {
  const ir::Source x = Shape(g.Parameter(F32({1, 2, 4, 3})), {1, 4, 2, 3});
  g.Result(Shape(g.Of("Multiply", {x, Random({4, 1, 1})}), {1, 8, 3}));
  EXPECT_EQ(Left(), (KindCounts{{"Reshape", 2}, {"Multiply", 1}}));
}

}  // namespace
}  // namespace weft
