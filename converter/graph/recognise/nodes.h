// SPDX-License-Identifier: Apache-2.0
// Properties of nodes and constants that recognised patterns check.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_NODES_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_NODES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The operations of a formula, except the last one, which computes its result.
using Covered = std::set<const ir::Node*>;
void Join(Covered& covered, const Covered& more);

// Returns the number that every element of an f32 constant equals.
std::optional<double> NumberIn(ir::Source source);
// Returns true if the numbers are equal up to f32 rounding in a different order of operations.
bool IsClose(double number, double wanted);
// A commutative operation with one such constant input: its other input, and the number.
struct WithNumber {
  ir::Source other;
  double number = 0;
};
std::optional<WithNumber> SplitNumber(const ir::Node& node);
int64_t CountIn(ir::Source source);

// Returns number `index` of an attribute, with 1 for true; `fallback` if the node does not have it.
double AttributeOf(const ir::Node& node, const std::string& key, double fallback = 0,
                   size_t index = 0);

// The matrix of a product with one f32 constant.
struct ConstantMatrix {
  const ir::Constant* constant = nullptr;
  int64_t outputs = 0, inputs = 0;
  bool outputs_first = false;  // elements are stored as [outputs, inputs]
  size_t IndexOf(int64_t output, int64_t input) const {
    return static_cast<size_t>(outputs_first ? output * inputs + input : input * outputs + output);
  }
};
// Reads the matrix of a MatMul, which is its input 1.
std::optional<ConstantMatrix> MatrixIn(const ir::Node& node);

// A Gather along one axis by constant indices.
struct Gathering {
  size_t axis = 0;
  Dims indices;  // not negative
};
std::optional<Gathering> GatheringOf(const ir::Graph& graph, ir::Node& node);
// Returns how often each of the `positions` elements is repeated consecutively.
std::optional<int64_t> RepeatsIn(const Dims& indices, int64_t positions);

// Returns the order of axes of a Transpose.
std::optional<std::vector<size_t>> PermutationOf(const ir::Node& node);

// Returns true if the output has the elements of input 0 in the same order: reshapes, Pads by
// nothing, and Transposes that only move axes of extent 1.
bool KeepsOrder(const ir::Node& node);
// Skips nodes that keep the order.
ir::Source SkipReshapes(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_NODES_H_
