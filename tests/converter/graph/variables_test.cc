// SPDX-License-Identifier: Apache-2.0
// Each variable has one owner: the graph or the If that reads and assigns it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "converter/base/faults.h"
#include "converter/graph/graph_passes.h"

namespace weft::graph {
namespace {

ir::Node& Add(ir::Graph& graph, const std::string& type, const std::string& variable) {
  graph.nodes.push_back(std::make_unique<ir::Node>());
  ir::Node& node = *graph.nodes.back();
  node.id = static_cast<int64_t>(graph.nodes.size());
  node.name = type;
  node.type = type;
  if (!variable.empty()) node.attributes["variable_id"] = variable;
  return node;
}

// A node whose bodies each read and assign a variable.
void AddOwner(ir::Graph& graph, const std::string& type, size_t bodies,
              const std::string& variable) {
  ir::Node& node = Add(graph, type, "");
  for (size_t i = 0; i < bodies; ++i) {
    ir::Body body;
    body.graph = std::make_unique<ir::Graph>();
    body.graph->file = "test.xml";
    Add(*body.graph, "ReadValue", variable);
    Add(*body.graph, "Assign", variable);
    node.bodies.push_back(std::move(body));
  }
}

ir::Graph Model() {
  ir::Graph graph;
  graph.file = "test.xml";
  return graph;
}

TEST(Variables, MayLiveInAnyOneBody) {
  ir::Graph graph = Model();
  Faults faults;
  Add(graph, "ReadValue", "a");
  Add(graph, "Assign", "a");
  AddOwner(graph, "Loop", 1, "b");
  AddOwner(graph, "TensorIterator", 1, "c");
  AddOwner(graph, "If", 2, "d");
  EXPECT_TRUE(CheckVariables(graph, faults));
  EXPECT_TRUE(faults.ok());
}

TEST(Variables, AreNotSharedByTwoBodies) {
  ir::Graph graph = Model();
  Faults faults;
  AddOwner(graph, "Loop", 1, "s");
  AddOwner(graph, "TensorIterator", 1, "s");
  EXPECT_FALSE(CheckVariables(graph, faults));
  ASSERT_EQ(faults.lines().size(), 2u);
  EXPECT_EQ(faults.lines()[0],
            "test.xml: layer 1 \"ReadValue\" (ReadValue): variable \"s\" is also used in another "
            "body, by layer 1 \"ReadValue\" (ReadValue); all reads and assignments of a variable "
            "must be in one body");
}

TEST(Variables, AreNotSharedByAModelAndItsBody) {
  ir::Graph graph = Model();
  Faults faults;
  Add(graph, "ReadValue", "s");
  AddOwner(graph, "Loop", 1, "s");
  EXPECT_FALSE(CheckVariables(graph, faults));
}

}  // namespace
}  // namespace weft::graph
