// SPDX-License-Identifier: Apache-2.0
// Inconsistent graphs, which no pass may create.
#include "converter/ir/consistency.h"

#include <gtest/gtest.h>

#include "tests/converter/graph_builder.h"
#include "tests/converter/steps.h"

namespace weft {
namespace {

class Consistency : public testing::Test {
 protected:
  Consistency() {
    x_ = g_.Parameter({ElementType::f32, {2, 3}});
    y_ = g_.Add("Tanh", 1, {x_});
    g_.Result(y_);
    g_.Infer();
  }
  void ExpectFault(const std::string& part) {
    EXPECT_PRED2(Contains, ir::InconsistencyIn(g_.graph), part);
  }

  GraphBuilder g_;
  ir::Source x_, y_;
};

TEST_F(Consistency, FindsNothingInASoundGraph) { EXPECT_EQ(ir::InconsistencyIn(g_.graph), ""); }

TEST_F(Consistency, FindsAnEdgeFromOutside) {
  ir::Node foreign;
  foreign.outputs.resize(1);
  y_.node->inputs[0] = {&foreign, 0};
  ExpectFault("input 0 comes from outside the graph");
}

TEST_F(Consistency, FindsAnEdgeFromAnOutputThatIsNotThere) {
  y_.node->inputs[0].port = 1;
  ExpectFault("input 0 is output 1 of a layer with 1");
}

TEST_F(Consistency, FindsAListThatHoldsSomethingElse) {
  g_.graph.results.push_back(y_.node);
  ExpectFault("the list of Results holds another node");
}

TEST_F(Consistency, FindsAMapThatMissesAnOutput) {
  y_.node->bodies.emplace_back().graph = std::make_unique<ir::Graph>();
  ExpectFault("the port map has 0 outputs and the layer 1");
}

TEST_F(Consistency, FindsAMapWithAForeignParameter) {
  ir::Body& body = y_.node->bodies.emplace_back();
  body.graph = std::make_unique<ir::Graph>();
  body.map.inputs.push_back({.parameter = x_.node, .input = 0});
  ExpectFault("the port map names a foreign Parameter");
}

TEST_F(Consistency, FindsAFaultInABody) {
  ir::Body& body = y_.node->bodies.emplace_back();
  body.graph = std::make_unique<ir::Graph>();
  body.graph->nodes.push_back(std::make_unique<ir::Node>());
  body.graph->nodes[0]->type = "Result";
  body.graph->nodes[0]->inputs = {{x_.node, 0}};
  body.graph->results = {body.graph->nodes[0].get()};
  body.map.outputs.push_back({.result = body.graph->results[0], .port_id = 0});
  ExpectFault("input 0 comes from outside the graph");
}

}  // namespace
}  // namespace weft
