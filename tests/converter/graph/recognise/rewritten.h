// SPDX-License-Identifier: Apache-2.0
// For tests of rewrites: builds a graph from formulas, and runs it before and after a pass.
#ifndef WEFT_TESTS_CONVERTER_GRAPH_RECOGNISE_REWRITTEN_H_
#define WEFT_TESTS_CONVERTER_GRAPH_RECOGNISE_REWRITTEN_H_

#include <map>
#include <string>
#include <vector>

#include "tests/converter/graph/recognise/decomposed_cells.h"

namespace weft {

using KindCounts = std::map<std::string, int>;

// g("Add", x, 1.0f), g("Exp", x): operations of one or two tensors; a number is a constant.
class FormBuilder : public GraphBuilder {
 public:
  struct Operand {
    Operand(ir::Source given) : source(given) {}
    Operand(float given) : number(given) {}
    ir::Source source;
    float number = 0;
  };
  using Attributes = std::map<std::string, std::string>;

  ir::Source Number(float number) { return Float(number); }
  ir::Source Row(const std::vector<float>& numbers) {
    return Floats({static_cast<int64_t>(numbers.size())}, numbers);
  }
  // Uses the newest version.
  ir::Source Of(const std::string& type, std::vector<ir::Source> inputs, Attributes more = {}) {
    return Add(type, 15, std::move(inputs), std::move(more));
  }
  ir::Source operator()(const std::string& type, ir::Source x, Attributes more = {}) {
    return Of(type, {x}, std::move(more));
  }
  ir::Source operator()(const std::string& type, const Operand& a, const Operand& b) {
    return Of(type, {Source(a), Source(b)});
  }
  ir::Source Reduce(const std::string& type, ir::Source x, const std::vector<int64_t>& axes,
                    bool keeps) {
    return Of(type, {x, Ints(axes)}, {{"keep_dims", keeps ? "true" : "false"}});
  }

 private:
  ir::Source Source(const Operand& operand) {
    return operand.source.node != nullptr ? operand.source : Float(operand.number);
  }
};

// Returns the operations of a graph without ports.
inline KindCounts KindsIn(const GraphBuilder& g) {
  KindCounts kinds = Operations(g.graph);
  kinds.erase("Parameter");
  kinds.erase("Result");
  return kinds;
}

// Infers and rewrites the graph, and checks that the results are equal.
inline KindCounts Rewritten(GraphBuilder& g, void (*pass)(ir::Graph&), double tolerance = 4e-6) {
  EXPECT_TRUE(InferAndFold(g.graph, {.check_declared = false}, g.faults)) << g.FaultText();
  if (!g.faults.ok()) return {};
  const program::Program before = LowerGraph(g);
  pass(g.graph);
  const program::Program after = LowerGraph(g);
  std::vector<std::vector<float>> inputs;
  for (const program::Port& port : before.inputs) {
    inputs.push_back(Numbers(before.values[port.value].bytes / 4, 77));
    for (float& number : inputs.back()) number *= 5;
  }
  const auto expected = RunFloats(before, inputs), actual = RunFloats(after, inputs);
  EXPECT_EQ(expected.size(), actual.size());
  for (size_t port = 0; port < std::min(expected.size(), actual.size()); ++port) {
    EXPECT_EQ(expected[port].size(), actual[port].size());
    for (size_t i = 0; i < expected[port].size(); ++i) {
      const double wanted = double{expected[port][i]};
      EXPECT_NEAR(double{actual[port][i]}, wanted, tolerance * (1 + std::abs(wanted)))
          << "output " << port << " at " << i;
    }
  }
  return KindsIn(g);
}

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_GRAPH_RECOGNISE_REWRITTEN_H_
