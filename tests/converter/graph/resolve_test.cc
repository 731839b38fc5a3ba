// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/resolve.h"

#include <gtest/gtest.h>

#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

class ResolveTest : public testing::Test {
 protected:
  ResolveTest() { graph.file = "m.xml"; }

  ir::Node& Add(std::string type, std::string version, int line = 1) {
    auto node = std::make_unique<ir::Node>();
    node->type = std::move(type);
    node->version = std::move(version);
    node->line = line;
    graph.nodes.push_back(std::move(node));
    return *graph.nodes.back();
  }
  // Name and version of the row a node of this type gets; empty when none.
  std::string RowOf(const std::string& type, const std::string& version) {
    ir::Node& node = Add(type, version);
    Resolve(graph, faults);
    return node.operation == nullptr
               ? ""
               : std::string(node.operation->name) + "-" + std::to_string(node.operation->opset);
  }

  ir::Graph graph;
  Faults faults;
};

TEST_F(ResolveTest, TakesTheNewestVersionNotAboveTheOneAskedFor) {
  EXPECT_EQ(RowOf("Add", "opset8"), "Add-1");
  EXPECT_EQ(RowOf("Softmax", "opset1"), "Softmax-1");
  EXPECT_EQ(RowOf("Softmax", "opset7"), "Softmax-1");
  EXPECT_EQ(RowOf("SoftMax", "opset13"), "Softmax-8");
  EXPECT_EQ(RowOf("BatchToSpace", "opset1"), "");
  EXPECT_EQ(RowOf("BatchToSpace", "opset2"), "BatchToSpace-2");
}

TEST_F(ResolveTest, KnowsAliasesAndAnyCase) {
  EXPECT_EQ(RowOf("ReLU", "opset1"), "Relu-1");
  EXPECT_EQ(RowOf("Constant", "opset1"), "Const-1");
}

TEST_F(ResolveTest, TakesTheNewestVersionOfLayersWithoutOne) {
  EXPECT_EQ(RowOf("Softmax", ""), "Softmax-8");
}

TEST_F(ResolveTest, KnowsCellsAsExperimental) {
  EXPECT_EQ(RowOf("GRUCell", "experimental"), "GRUCell-3");
  EXPECT_EQ(RowOf("RNNCell", "extension"), "RNNCell-1");
  EXPECT_EQ(RowOf("Add", "extension"), "");
}

TEST_F(ResolveTest, PutsNoOlderRowInPlaceOfANewMeaning) {
  // A reduction came to ScatterElementsUpdate with opset12, an upsampling rule to AvgPool with
  // opset14: a table without that row must not answer with the older one.
  for (const ops::Operation& row : ops::Table()) {
    if (row.name == "ScatterElementsUpdate" && row.opset == 12) return;
  }
  EXPECT_EQ(RowOf("ScatterElementsUpdate", "opset12"), "");
}

TEST_F(ResolveTest, GathersUnknownOperationsInOneLine) {
  Add("Parameter", "opset1");
  Add("Frobnicate", "opset8", 310);
  ir::Node& loop = Add("TensorIterator", "opset1", 320);
  ir::Body body;
  body.graph = std::make_unique<ir::Graph>();
  for (const int line : {330, 340}) {
    auto node = std::make_unique<ir::Node>();
    node->type = "Frobnicate";
    node->version = "opset8";
    node->line = line;
    body.graph->nodes.push_back(std::move(node));
  }
  loop.bodies.push_back(std::move(body));
  Add("NonMaxSuppressing", "opset5", 702);
  Add("MyOwn", "extension", 710);
  EXPECT_FALSE(Resolve(graph, faults));
  EXPECT_EQ(faults.lines(),
            std::vector<std::string>{
                "m.xml: 3 operations have no lowering: Frobnicate-8 (3 times, first at line 310), "
                "NonMaxSuppressing-5 (line 702), MyOwn-extension (line 710); \"weft ops\" lists "
                "those that do"});
}

TEST_F(ResolveTest, SpeaksOfOneOperationInTheSingular) {
  Add("Frobnicate", "opset8", 310);
  EXPECT_FALSE(Resolve(graph, faults));
  EXPECT_EQ(faults.lines(),
            std::vector<std::string>{"m.xml: 1 operation has no lowering: Frobnicate-8 (line 310); "
                                     "\"weft ops\" lists those that do"});
}

}  // namespace
}  // namespace weft::graph
