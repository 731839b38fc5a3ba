// SPDX-License-Identifier: Apache-2.0
// Errors that inference reports for a graph with missing or invalid operations: all independent
// errors, and none that only follow from another.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "converter/graph/infer.h"
#include "tests/converter/counted_loop.h"
#include "tests/converter/folding.h"

namespace weft {
namespace {

const TensorType kVector = {ElementType::f32, {1, 3}};

// Changes the layer to an operation without a row.
ir::Source WithoutOperation(ir::Source source) {
  source.node->type = "Frob";
  source.node->operation = nullptr;
  return source;
}

// A layer with an invalid axis.
ir::Source WrongAxis(GraphBuilder& g, ir::Source x, const std::string& axis) {
  const ir::Source made = g.Add("Softmax", 8, {x}, {{"axis", axis}});
  made.node->outputs[0].type = kVector;
  return made;
}

std::string FaultsOf(GraphBuilder& g) {
  EXPECT_FALSE(InferAndFold(g.graph, {}, g.faults));
  return g.FaultText();
}

testing::AssertionResult IsOneFault(const std::string& text, const std::string& part) {
  const auto lines = std::count(text.begin(), text.end(), '\n');
  if (lines == 1 && text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << text << "\" is not one line with \"" << part << '"';
}

TEST(InferFaults, NoneAreReportedBehindAMissingOperation) {
  GraphBuilder g;
  const ir::Source missing = WithoutOperation(g.Add("Relu", 1, {g.Parameter(kVector)}));
  g.Result(WrongAxis(g, g.Add("Relu", 1, {missing}), "9"));
  EXPECT_EQ(FaultsOf(g), "");
}

TEST(InferFaults, OfOtherLayersAreReportedBesideAMissingOperation) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(kVector);
  g.Result(WithoutOperation(g.Add("Relu", 1, {x})));
  g.Result(WrongAxis(g, x, "9"));
  EXPECT_TRUE(IsOneFault(FaultsOf(g), "axis 9 of a rank 2 tensor"));
}

TEST(InferFaults, AWrongDeclaredShapeIsReportedOnce) {
  GraphBuilder g;
  ir::Source x = g.Parameter(kVector);
  for (int i = 0; i < 3; ++i) {
    x = g.Add("Relu", 1, {x});
    x.node->outputs[0] = {{ElementType::f32, {1, 4}}, true, {}};
  }
  g.Result(x);
  EXPECT_TRUE(IsOneFault(FaultsOf(g), "\"Relu1\" (Relu): output 0 is declared f32[1,4]"));
}

// A read of unknown type, and an assignment of a known type.
TEST(InferFaults, AVariableOfUnknownTypeAgreesWithEveryValue) {
  GraphBuilder g;
  const ir::Source x = g.Parameter(kVector);
  const ir::Source missing = WithoutOperation(g.Add("Relu", 1, {x}));
  g.Result(g.Add("ReadValue", 3, {missing}, {{"variable_id", "v"}}));
  g.Add("Assign", 3, {x}, {{"variable_id", "v"}});
  EXPECT_EQ(FaultsOf(g), "");
}

// A loop with a layer without operation, a layer that depends on it, and a layer with an
// independent error. The layer after the loop would have an error if the loop's outputs were known.
struct LoopWithHole : CountedLoop {
  explicit LoopWithHole(int64_t trips) : CountedLoop(trips) {
    const ir::Source state = Input(outer.Parameter(kVector));
    const ir::Source missing = WithoutOperation(Typed("Relu", {state}, kVector));
    GoesBack(missing, state);
    Last(WrongAxis(body, missing, "8"));
    Last(WrongAxis(body, state, "7"));
    if (trips < 0) GoOn(WithoutOperation(Compared("Less", missing, body.Float(9))));
  }
  std::string Faults() {
    Close();
    outer.Result(WrongAxis(outer, {node, 0}, "6"));
    return FaultsOf(outer);
  }
};

TEST(InferFaults, ACountedLoopShowsThoseOfItsBody) {
  EXPECT_TRUE(IsOneFault(LoopWithHole(5).Faults(), "axis 7 of a rank 2 tensor"));
}

// Its trip count is unknown, so its body cannot be checked.
TEST(InferFaults, AnOpenLoopWithAMissingOperationShowsNone) {
  EXPECT_EQ(LoopWithHole(-1).Faults(), "");
}

TEST(InferFaults, OfBothBranchesAreReported) {
  GraphBuilder outer;
  const ir::Source flag = outer.Parameter({ElementType::boolean, {}});
  const ir::Source x = outer.Parameter(kVector);
  ir::Node* node = outer.Add("If", 8, {flag, x}).node;
  for (const char* axis : {"7", "8"}) {
    GraphBuilder body;
    const ir::Source input = body.Parameter(kVector);
    body.Result(WrongAxis(body, input, axis));
    ir::Body& branch = node->bodies.emplace_back();
    branch.map.inputs.push_back({.parameter = input.node, .input = 1});
    branch.map.outputs.push_back({.result = body.graph.results[0], .port_id = 0});
    branch.graph = std::make_unique<ir::Graph>(std::move(body.graph));
  }
  outer.Result({node, 0});
  const std::string text = FaultsOf(outer);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_NE(text.find("axis 7 of a rank 2 tensor"), std::string::npos) << text;
  EXPECT_NE(text.find("axis 8 of a rank 2 tensor"), std::string::npos) << text;
}

}  // namespace
}  // namespace weft
