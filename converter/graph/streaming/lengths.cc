// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/lengths.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "converter/graph/streaming/closed_values.h"
#include "converter/graph/streaming/resize.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Returns the extents for one more step. The time axis is unknown for tensors that are read only
// for their shape: an axis with the extent T is assumed to be time.
Dims Longer(const TimeAxes& times, const ir::Source& source) {
  Dims dims = DimsOf(source);
  if (const TimeAxis* time = times.Of(source)) {
    dims[static_cast<size_t>(time->axis)] += time->outer * time->chunk;
    return dims;
  }
  const bool is_needed = std::ranges::find(times.nodes(), source.node) != times.nodes().end();
  for (int64_t& dim : dims) {
    if (!is_needed && times.steps() > 1 && dim == times.steps()) ++dim;
  }
  return dims;
}

bool IsSame(const ir::Constant& constant, const ir::Node& result, const TimeAxis* time) {
  const ir::Node& again = *result.inputs[0].node;
  if (!again.constant) return false;
  if (time != nullptr) return HaveTheSameStep(constant, *again.constant, *time);
  return constant.type == again.constant->type &&
         std::ranges::equal(constant.bytes, again.constant->bytes);
}

}  // namespace

std::set<const ir::Node*> ConstantsOfLength(const ir::Graph& graph, const TimeAxes& times,
                                            const Folding& folding) {
  OtherLength longer(graph, [&](const ir::Source& source) { return Longer(times, source); });
  std::vector<std::pair<ir::Node*, ir::Node*>> added;
  for (ir::Node* node : times.nodes()) {
    if (node->constant && longer.ReadsAShape(*node))
      added.emplace_back(node, longer.Add({node, 0}));
  }
  longer.Compute(folding);
  std::set<const ir::Node*> changed;
  for (const auto& [node, result] : added) {
    if (!IsSame(*node->constant, *result, times.Of({node, 0}))) changed.insert(node);
  }
  return changed;
}

}  // namespace weft::graph
