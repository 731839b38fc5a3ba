// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <optional>
#include <vector>

#include "converter/graph/quantise/conversions.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/permutation.h"
#include "converter/program/builder.h"

namespace weft::graph {
namespace {

// The summed axes of data and weights.
struct SummedAxes {
  size_t data, weights;
};

std::optional<SummedAxes> SummedAxesOf(const ir::Node& node) {
  const size_t rank = TypeOf(node.inputs[0]).dims.size();
  const size_t weights_rank = TypeOf(node.inputs[1]).dims.size();
  if (IsConvolved(node)) {
    if (weights_rank != rank || !ops::HasChannelAxis(rank))
      return std::nullopt;  // grouped, or a volume
    return SummedAxes{node.attributes.contains(ops::kXLast) ? rank - 1 : 1, 1};
  }
  if (!IsCalled(node, "MatMul") || rank < 2 || weights_rank != 2) return std::nullopt;
  if (IsFlagged(node, "transpose_a")) return std::nullopt;
  return SummedAxes{rank - 1, IsFlagged(node, "transpose_b") ? size_t{1} : size_t{0}};
}

}  // namespace

size_t JoinedAxisOf(const ir::Node& join) {
  const int64_t axis = std::strtoll(join.attributes.at("axis").c_str(), nullptr, 10);
  const auto rank = static_cast<int64_t>(join.outputs[0].type.dims.size());
  return static_cast<size_t>(axis < 0 ? axis + rank : axis);
}

bool QuantiseJoinedProduct(QuantiseSite& site, ir::Node& node) {
  if (node.inputs.size() != 2 || ConstantOf(node.inputs[1]) == nullptr) return false;
  const ir::Node& join = *node.inputs[0].node;
  const std::optional<SummedAxes> axes = SummedAxesOf(node);
  if (!axes || !site.ArePartsQuantised(join) || join.inputs.size() < 2 ||
      JoinedAxisOf(join) != axes->data)
    return false;
  ir::Graph& graph = site.graph();
  std::vector<ir::Source> products;
  int64_t begin = 0;
  for (const ir::Source& part : join.inputs) {
    const int64_t count = TypeOf(part).dims[axes->data];
    const ir::Source weights =
        NewConstant(graph, node, PartOf(*ConstantOf(node.inputs[1]), axes->weights, begin, count));
    ir::Node* product = NewInferredNode(graph, node, node.type, node.operation->opset,
                                        {part, weights}, 1, node.attributes);
    if (!QuantiseProduct(site, *product)) return false;
    products.push_back({product, 0});
    begin += count;
  }
  ir::Source sum = products[0];
  for (size_t i = 1; i + 1 < products.size(); ++i) {
    sum = NewOperation(graph, node, "Add", 1, {sum, products[i]});
  }
  Become(node, "Add", 1, {sum, products.back()});
  return true;
}

}  // namespace weft::graph
