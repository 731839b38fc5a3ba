// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/whole_gathers.h"

#include <cstdint>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

bool TakesAllInOrder(const ir::Graph& graph, ir::Node& gather) {
  Faults discarded;
  const ops::NodeScope scope(graph, gather, discarded);
  const std::vector<int64_t> indices = IntsOf(gather.inputs[1]), axis = IntsOf(gather.inputs[2]);
  if (axis.size() != 1 || scope.attributes.Int("batch_dims", 0) != 0) return false;
  const Dims& dims = TypeOf(gather.inputs[0]).dims;
  const int64_t rank = scope.rank(0), at = axis[0] < 0 ? axis[0] + rank : axis[0];
  const auto positions = static_cast<size_t>(dims[static_cast<size_t>(at)]);
  if (positions == 0 || positions != indices.size()) return false;
  for (size_t i = 0; i < positions; ++i) {
    if (indices[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

void WholeGathersToReshapes(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    const bool gathers =
        node->operation != nullptr && !node->constant && node->operation->name == "Gather";
    if (!gathers || !TakesAllInOrder(graph, *node)) continue;
    BecomeReshape(graph, *node, node->inputs[0], Dims(node->outputs[0].type.dims));
  }
}

}  // namespace weft::graph
