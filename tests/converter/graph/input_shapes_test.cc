// SPDX-License-Identifier: Apache-2.0
// Shapes from --shape, compared with the declared inputs.
#include "converter/graph/input_shapes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/converter/graph_builder.h"

namespace weft {
namespace {

class InputShapes : public testing::Test {
 protected:
  // f32[1..50,2..,?,8]
  InputShapes() {
    ir::Node& node = *g.Parameter({ElementType::f32, {-1, -1, -1, 8}}).node;
    node.name = "x";
    node.bounds = {{1, 50}, {2, ir::Bounds::kNoLimit}, {}, {8, 8}};
    g.Parameter({ElementType::i64, {3}}).node->name = "n";
  }
  std::vector<std::string> Faults(const std::map<std::string, Dims>& shapes) {
    weft::Faults faults;
    graph::ApplyShapes(g.graph, shapes, faults);
    return faults.lines();
  }
  const ir::Node& x() const { return *g.graph.parameters[0]; }
  const ir::Node& n() const { return *g.graph.parameters[1]; }

  GraphBuilder g;
};

using ShapeFaults = std::vector<std::string>;

TEST_F(InputShapes, WithinTheBoundsAreTaken) {
  EXPECT_EQ(Faults({{"x", {50, 2, 1, 8}}}), ShapeFaults{});
  EXPECT_EQ(x().outputs[0].type.dims, (Dims{50, 2, 1, 8}));
  EXPECT_EQ(ir::BoundedText(x()), "f32[50,2,1,8]");
}

TEST_F(InputShapes, OfAFixedDimensionMayChange) {
  EXPECT_EQ(Faults({{"x", {1, 3, 9, 4}}}), ShapeFaults{});
  EXPECT_EQ(x().outputs[0].type.dims, (Dims{1, 3, 9, 4}));
}

TEST_F(InputShapes, BeyondTheBoundsAreRefusedAxisByAxis) {
  EXPECT_EQ(Faults({{"x", {51, 1, 0, 8}}}),
            (ShapeFaults{
                "--shape: input \"x\": f32[51,1,0,8] has 51 on axis 0; must have from 1 to 50, "
                "as the model's f32[1..50,2..,?,8]",
                "--shape: input \"x\": f32[51,1,0,8] has 1 on axis 1; must have at least 2, as "
                "the model's f32[1..50,2..,?,8]",
                "--shape: input \"x\": f32[51,1,0,8] is empty; dimension 2 must be at least 1"}));
  EXPECT_EQ(x().outputs[0].type.dims, (Dims{-1, -1, -1, 8}));
}

TEST_F(InputShapes, OfAnotherRankAreRefused) {
  EXPECT_EQ(
      Faults({{"x", {5}}}),
      (ShapeFaults{"--shape: input \"x\": f32[5] has rank 1; must have rank 4, as the model's "
                   "f32[1..50,2..,?,8]"}));
}

TEST_F(InputShapes, OfAnUnknownInputNameTheInputs) {
  EXPECT_EQ(Faults({{"y", {5}}}), (ShapeFaults{"--shape: input \"y\": is not in the model; must be "
                                               "one of \"x\" f32[1..50,2..,?,8], \"n\" i64[3]"}));
}

TEST_F(InputShapes, OfAnUnknownInputNameTheFirstOfMany) {
  for (int i = 0; i < 20; ++i) g.Parameter({ElementType::f32, {1}});
  const ShapeFaults faults = Faults({{"y", {5}}});
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_TRUE(faults[0].ends_with("\"Parameter15\" f32[1] and 6 more")) << faults[0];
}

// Layers that depend on such an input are not checked, because its shape is unknown.
TEST_F(InputShapes, AtFaultTakeTheTypeOfTheirInput) {
  Faults({{"x", {5}}});
  EXPECT_EQ(x().type, "");
  EXPECT_EQ(n().type, "Parameter");
}

TEST_F(InputShapes, OfAnUnknownInputTakeTheTypeOfAllThatAreNotGiven) {
  Faults({{"y", {5}}, {"n", {4}}});
  EXPECT_EQ(x().type, "");
  EXPECT_EQ(n().type, "Parameter");
  EXPECT_EQ(n().outputs[0].type.dims, Dims{4});
}

}  // namespace
}  // namespace weft
