// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "converter/graph/graph_passes.h"
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
  // Returns name and version of the row for a node of this type; empty if there is none.
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

TEST_F(ResolveTest, KnowsNoneThatPassesAloneMake) {
  EXPECT_NE(ops::Find("Snake", ops::kPassOnly), nullptr);
  EXPECT_EQ(RowOf("Snake", ""), "");
  EXPECT_EQ(RowOf("Snake", "opset0"), "");
  EXPECT_EQ(RowOf("Snake", "opset15"), "");
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
  // ScatterElementsUpdate got a reduction in opset12 and AvgPool a rounding mode in opset14: a
  // table without these rows must not return the older ones.
  for (const ops::Operation& row : ops::Table()) {
    if (row.name == "ScatterElementsUpdate" && row.opset == 12) return;
  }
  EXPECT_EQ(RowOf("ScatterElementsUpdate", "opset12"), "");
}

TEST_F(ResolveTest, GivesEachUnknownOperationALineWithItsFirstLayers) {
  Add("Parameter", "opset1");
  Add("Frobnicate", "opset8", 310).name = "a";
  ir::Node& loop = Add("TensorIterator", "opset1", 320);
  ir::Body body;
  body.graph = std::make_unique<ir::Graph>();
  for (const int line : {330, 340, 350}) {
    auto node = std::make_unique<ir::Node>();
    node->type = "Frobnicate";
    node->version = "opset8";
    node->line = line;
    node->name = "b" + std::to_string(line);
    body.graph->nodes.push_back(std::move(node));
  }
  loop.bodies.push_back(std::move(body));
  Add("NonMaxSuppressing", "opset5", 702).name = "n";
  Add("Frobnicate", "opset9", 704).name = "c";
  Add("Frobnicate", "opset9", 706).name = "d";
  Add("MyOwn", "extension", 710).id = 7;
  EXPECT_FALSE(Resolve(graph, faults));
  EXPECT_EQ(
      faults.lines(),
      (std::vector<std::string>{
          "m.xml:310: Frobnicate-8, layers \"a\", \"b330\" and 2 more: has no lowering; must "
          "be one that \"weft ops\" lists",
          "m.xml:702: NonMaxSuppressing-5, layer \"n\": has no lowering; must be one that "
          "\"weft ops\" lists",
          "m.xml:704: Frobnicate-9, layers \"c\" and \"d\": has no lowering; must be one that "
          "\"weft ops\" lists",
          "m.xml:710: MyOwn-extension, layer 7: has no lowering; must be one that \"weft "
          "ops\" lists"}));
}

TEST_F(ResolveTest, SaysWhatTheSourceCallsAnOperationAndWhatToDo) {
  Add("DeformableConvolution", "opset8", 5).name = "d";
  Add("Multinomial", "opset13", 6).name = "r";
  Add("MatrixNms", "opset8", 7).name = "s";
  Resolve(graph, faults);
  EXPECT_EQ(
      faults.lines(),
      (std::vector<std::string>{
          "m.xml:5: DeformableConvolution-8 (DeformConv), layer \"d\": has no lowering: no "
          "exporter of recurrent, audio, sensor or small vision models writes it; must be one that "
          "\"weft ops\" lists",
          "m.xml:6: Multinomial-13 (sampling), layer \"r\": has no lowering: it draws random "
          "numbers; must be outside the model: let the probabilities be an output, and sample in "
          "the program",
          "m.xml:7: MatrixNms-8, layer \"s\": has no lowering: its selection of boxes is "
          "not implemented; must be NonMaxSuppression or outside the model: let "
          "its boxes and scores be outputs, and select in the program"}));
}

TEST_F(ResolveTest, NamesTheVersionsThatConvert) {
  Add("BatchToSpace", "opset1", 5).name = "b";
  Add("Add", "extension", 6).name = "a";
  Add("LSTMCell", "opset0", 7).name = "c";
  Resolve(graph, faults);
  EXPECT_EQ(faults.lines(),
            (std::vector<std::string>{
                "m.xml:5: BatchToSpace-1, layer \"b\": has no lowering; must be of version 2",
                "m.xml:6: Add-extension, layer \"a\": has no lowering; must be of version 1",
                "m.xml:7: LSTMCell-opset0, layer \"c\": has no lowering; must be of version 1 or "
                "4"}));
}

}  // namespace
}  // namespace weft::graph
