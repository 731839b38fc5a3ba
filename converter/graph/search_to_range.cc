// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/search_to_range.h"

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

bool IsOtherThanZero(const ir::Constant* constant) {
  return constant != nullptr && ElementCount(constant->type.dims) == 1 &&
         NumberAt(*constant, 0) != 0;
}

}  // namespace

std::vector<ir::Node*> SearchToRange(ir::Graph& graph, ir::Node& node) {
  if (node.operation->name != "NonZero" || node.inputs[0].node->constant) return {};
  const ir::Node& equal = *node.inputs[0].node;
  const bool is_vector = equal.operation != nullptr && equal.operation->name == "Broadcast" &&
                         TypeOf(node.inputs[0]).dims.size() == 1;
  if (!is_vector || !IsOtherThanZero(ConstantOf(equal.inputs[0]))) return {};
  const TensorType number = {ElementType::i64, {}}, one = {ElementType::i64, {1}};
  const ir::Source count = equal.inputs[1];
  ir::Node* stop = NewNode(graph, node, "Squeeze", 1, {count, NewInts(graph, node, one, {0})});
  ir::Node* range =
      NewNode(graph, node, "Range", 4,
              {NewInts(graph, node, number, {0}), {stop, 0}, NewInts(graph, node, number, {1})}, 1,
              {{"output_type", AttributeText(node, "output_type", "i64")}});
  Become(node, "Unsqueeze", 1, {{range, 0}, NewInts(graph, node, one, {0})});
  return {stop, range};
}

}  // namespace weft::graph
