// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/listing.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/converter/graph_builder.h"

namespace weft::ir {
namespace {

TEST(GraphListing, HasALineForEachNodeThatIsNeeded) {
  GraphBuilder g;
  const Source x = g.Parameter({ElementType::f32, {1, 4}});
  g.Add("Relu", 1, {x});
  const Source y = g.Add("Add", 1, {x, g.Floats({1}, {0.5f})}, {{"auto_broadcast", "numpy"}});
  y.node->outputs[0].type = {ElementType::f32, {1, 4}};
  g.Result(y);
  EXPECT_EQ(ToString(g.graph),
            "Parameter %0:f32[1,4] <-  (\"Parameter0\" 0 opset1) element_type=f32 shape=1,4\n"
            "Const %1:f32[1] <- = 0.5  (\"Const2\" 2 opset1)\n"
            "Add %2:f32[1,4] <- %0 %1  (\"Add3\" 3 opset1) auto_broadcast=numpy\n"
            "Result <- %2  (\"Result4\" 4 opset1)\n");
}

TEST(GraphListing, NumbersTheOutputsOfANodeWithSeveral) {
  GraphBuilder g;
  const Source x = g.Parameter({ElementType::f32, {2}});
  const Source split = g.Add("Split", 1, {x, g.Int(0)}, {}, 2);
  g.Result({split.node, 1});
  const std::string text = ToString(g.graph);
  EXPECT_NE(text.find("Split %2.0:f32[] %2.1:f32[] <- %0 %1  ("), std::string::npos) << text;
  EXPECT_NE(text.find("Result <- %2.1  ("), std::string::npos) << text;
}

TEST(GraphListing, ShowsShortConstantsOnly) {
  GraphBuilder g;
  g.Result(g.Ints({3, -1}));
  g.Result(g.Ints(std::vector<int64_t>(9, 7)));
  const std::string text = ToString(g.graph);
  EXPECT_NE(text.find("<- = 3 -1  ("), std::string::npos) << text;
  EXPECT_EQ(text.find("7 7"), std::string::npos) << text;
}

TEST(GraphListing, IndentsBodiesBelowTheirNode) {
  GraphBuilder inner, g;
  const Source step = inner.Parameter({ElementType::f32, {1, 2}});
  inner.Result(inner.Add("Relu", 1, {step}));
  const Source x = g.Parameter({ElementType::f32, {7, 2}});
  const Source loop = g.Add("TensorIterator", 1, {x});
  Body body;
  Node* result = inner.graph.results[0];
  body.map.inputs = {
      {.parameter = step.node, .input = 0, .range = WholeRange(0, 1, false), .next = result},
      {.parameter = step.node}};
  body.map.outputs = {{.result = result, .port_id = 1, .range = ChunkRange{}}};
  body.map.condition = result;
  body.trips.max = 7;
  body.graph = std::make_unique<Graph>();
  std::swap(*body.graph, inner.graph);
  loop.node->bodies.push_back(std::move(body));
  g.Result(loop);
  EXPECT_EQ(ToString(g.graph),
            "Parameter %0:f32[7,2] <-  (\"Parameter0\" 0 opset1) element_type=f32 shape=7,2\n"
            "TensorIterator %1:f32[] <- %0  (\"TensorIterator1\" 1 opset1)\n"
            "  body 0, runs 7 times\n"
            "  input port 0: layer 0 axis=0 start=0 end=-1 stride=1 part_size=1, then layer 2\n"
            "  iteration: layer 0\n"
            "  output port 1: layer 2 axis=0\n"
            "  continues while: layer 2\n"
            "    Parameter %2:f32[1,2] <-  (\"Parameter0\" 0 opset1) element_type=f32 shape=1,2\n"
            "    Relu %3:f32[] <- %2  (\"Relu1\" 1 opset1)\n"
            "    Result <- %3  (\"Result2\" 2 opset1)\n"
            "Result <- %1  (\"Result2\" 2 opset1)\n");
}

}  // namespace
}  // namespace weft::ir
