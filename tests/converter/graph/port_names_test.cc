// SPDX-License-Identifier: Apache-2.0
// Which port a name selects, if tensors, Results and layers share names.
#include "converter/graph/port_names.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace weft::graph {
namespace {

// A graph of inputs and of one layer with several outputs, such as Split, If or Loop.
class PortNamesTest : public testing::Test {
 protected:
  ir::Node& AddNode(const std::string& name, std::vector<std::vector<std::string>> tensors) {
    nodes_.push_back(std::make_unique<ir::Node>());
    ir::Node& node = *nodes_.back();
    node.name = name;
    for (std::vector<std::string>& names : tensors) {
      node.outputs.emplace_back();
      node.outputs.back().names = std::move(names);
    }
    return node;
  }
  void AddInput(const std::string& layer, const std::vector<std::string>& names) {
    graph_.parameters.push_back(&AddNode(layer, {names}));
  }
  void AddOutput(const std::string& result, ir::Node& layer, uint32_t port) {
    ir::Node& node = AddNode(result, {});
    node.inputs.push_back({&layer, port});
    graph_.results.push_back(&node);
  }
  std::vector<size_t> Output(const std::string& name) {
    return PortsNamed(NamesOfOutputs(graph_), name);
  }
  std::vector<size_t> Input(const std::string& name) {
    return PortsNamed(NamesOfInputs(graph_), name);
  }

  ir::Graph graph_;
  std::vector<std::unique_ptr<ir::Node>> nodes_;
};

using Ports = std::vector<size_t>;

TEST_F(PortNamesTest, ATensorWinsOverTheLayerOfAnother) {
  ir::Node& split = AddNode("hn", {{"y"}, {"hn"}});
  AddOutput("first", split, 0);
  AddOutput("second", split, 1);
  EXPECT_EQ(Output("hn"), Ports{1});
  EXPECT_EQ(Output("y"), Ports{0});
  EXPECT_EQ(NamesOfOutputs(graph_), (PortNames{{"y", "first"}, {"hn", "second"}}));
}

TEST_F(PortNamesTest, ATensorWinsOverAResultAndAResultOverALayer) {
  ir::Node& split = AddNode("b", {{"a"}, {}, {}});
  AddOutput("unused", split, 0);
  AddOutput("a", split, 1);
  AddOutput("b", split, 2);
  EXPECT_EQ(Output("a"), Ports{0});
  EXPECT_EQ(Output("b"), Ports{2});
}

TEST_F(PortNamesTest, AreAmbiguousWithinOneRankOnly) {
  ir::Node& split = AddNode("layer", {{"y"}, {"z"}});
  AddOutput("same", split, 0);
  AddOutput("same", split, 1);
  EXPECT_EQ(Output("layer"), (Ports{0, 1}));
  EXPECT_EQ(Output("same"), (Ports{0, 1}));
  EXPECT_EQ(Output("1"), Ports{1});
}

TEST_F(PortNamesTest, APortWithoutANameOfItsOwnHasItsIndex) {
  ir::Node& split = AddNode("y", {{"y"}, {}});
  AddOutput("y/result", split, 0);
  AddOutput("y", split, 1);
  EXPECT_EQ(Output("y"), Ports{0});
  EXPECT_EQ(NamesOfOutputs(graph_)[1], std::vector<std::string>{});
  EXPECT_EQ(Output("1"), Ports{1});
}

TEST_F(PortNamesTest, ANameThatIsANumberWinsOverAnIndex) {
  AddInput("x", {"1"});
  AddInput("1", {"h"});
  EXPECT_EQ(Input("1"), Ports{0});
  EXPECT_EQ(Input("0"), Ports{0});
  EXPECT_EQ(Input("h"), Ports{1});
  EXPECT_EQ(Input("2"), Ports{});
  EXPECT_EQ(Input(""), Ports{});
}

}  // namespace
}  // namespace weft::graph
