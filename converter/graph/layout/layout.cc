// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/layout/layout.h"

#include <algorithm>
#include <vector>

#include "converter/base/faults.h"
#include "converter/base/narrow.h"
#include "converter/graph/layout/layout_groups.h"
#include "converter/graph/layout/permuted.h"
#include "converter/graph/recognise/forms/forms.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/support/permutation.h"

namespace weft::graph {
namespace {

using ops::Port;

// A node and its changes.
struct PermutedNode {
  ir::Node* node = nullptr;
  std::vector<bool> inputs = {}, outputs = {};  // true: permuted
  ops::Permutation permutation = {};
};

PermutedNode PermutedNodeOf(const ir::Graph& graph, const LayoutGroups& groups, ir::Node& node) {
  const auto is_permuted = [&](Port port) {
    return groups.IsPermuted(node, port) && groups.IsLast(SourceAt(node, port));
  };
  PermutedNode permuted_node = {&node};
  for (size_t i = 0; i < node.inputs.size(); ++i)
    permuted_node.inputs.push_back(is_permuted(ops::In(i)));
  for (size_t i = 0; i < node.outputs.size(); ++i)
    permuted_node.outputs.push_back(is_permuted(ops::Out(i)));
  if (std::ranges::find(permuted_node.inputs, true) == permuted_node.inputs.end() &&
      std::ranges::find(permuted_node.outputs, true) == permuted_node.outputs.end()) {
    return permuted_node;
  }
  Quiet<ops::PermuteScope> scope(graph, node);
  scope.SetPermuted(permuted_node.inputs, permuted_node.outputs);
  permuted_node.permutation = ops::PermutationRuleOf(scope);
  return permuted_node;
}

void Apply(ir::Graph& graph, const PermutedNode& permuted_node, PermutedValues& values) {
  ir::Node& node = *permuted_node.node;
  const ops::Permutation& permutation = permuted_node.permutation;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    node.inputs[i] = values.As(node, node.inputs[i], permuted_node.inputs[i]);
  }
  for (const auto& [i, dims] : permutation.operands) {
    node.inputs[i] = values.Operand(node, node.inputs[i], dims);
  }
  for (const auto& [i, numbers] : permutation.ints) {
    if (i >= node.inputs.size()) node.inputs.resize(i + 1);
    node.inputs[i] = NewInts(graph, node, numbers);
  }
  for (const auto& [key, value] : permutation.attributes) node.attributes[key] = value;
  if (permutation.reshape) BecomeReshape(graph, node, node.inputs[0], *permutation.reshape);
}

void PermuteLayoutGroups(ir::Graph& graph) {
  const LayoutGroups groups(graph);
  std::vector<PermutedNode> all;
  for (ir::Node* node : ir::Topological(graph)) {
    all.push_back(PermutedNodeOf(graph, groups, *node));
  }
  PermutedValues values(graph);
  for (const PermutedNode& permuted_node : all) {
    for (size_t i = 0; i < permuted_node.outputs.size(); ++i) {
      if (permuted_node.outputs[i])
        values.Permutation({permuted_node.node, Narrow32(i, "an output's index")});
    }
  }
  for (const PermutedNode& permuted_node : all) Apply(graph, permuted_node, values);
}

void PermuteAll(ir::Graph& graph) {
  for (const ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) PermuteAll(*body.graph);
  }
  PermuteLayoutGroups(graph);
}

}  // namespace

void ChooseLayouts(ir::Graph& graph) {
  RecogniseBands(graph);
  PermuteAll(graph);
  JoinMovements(graph);
}

}  // namespace weft::graph
