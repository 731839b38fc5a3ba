// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/scalars.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

bool IsNarrow(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

}  // namespace

ir::Node* NodeOfId(const std::vector<ir::Node*>& nodes, int64_t id) {
  const auto found = std::ranges::find_if(nodes, [&](ir::Node* node) { return node->id == id; });
  return found == nodes.end() ? nullptr : *found;
}

std::optional<int64_t> IntOf(ir::Source source) {
  const std::vector<int64_t> ints = IntsOf(source);
  return ints.size() == 1 ? std::optional(ints[0]) : std::nullopt;
}

LoopScalars::LoopScalars(const ir::Node& loop) : body_(loop.bodies[0]) {
  for (const ir::PortMapEntry& entry : body_.inputs) {
    const ir::Node* parameter = NodeOfId(body_.graph->parameters, entry.internal_layer_id);
    if (parameter == nullptr || entry.axis) continue;
    if (entry.external_port_id >= 0) {
      parameters_[parameter] = IntOf(loop.inputs[static_cast<size_t>(entry.external_port_id)]);
    } else if (entry.purpose == "current_iteration") {
      parameters_[parameter] = 0;
    }
  }
}

void LoopScalars::Advance() {
  std::map<const ir::Node*, std::optional<int64_t>> next = parameters_;
  ++iteration_;
  for (const ir::PortMapEntry& entry : body_.inputs) {
    if (entry.external_port_id >= 0 || entry.purpose != "current_iteration") continue;
    next[NodeOfId(body_.graph->parameters, entry.internal_layer_id)] = iteration_;
  }
  for (const ir::BackEdge& edge : body_.back_edges) {
    const ir::Node* to = NodeOfId(body_.graph->parameters, edge.to_layer);
    const ir::Node* from = NodeOfId(body_.graph->results, edge.from_layer);
    if (to == nullptr || from == nullptr || !parameters_.contains(to)) continue;
    next[to] = Value(from->inputs[0]);
  }
  parameters_ = std::move(next);
  known_.clear();
}

std::optional<int64_t> LoopScalars::Value(ir::Source source) {
  const auto [found, fresh] = known_.try_emplace({source.node, source.port});
  if (!fresh) return found->second;
  std::optional<int64_t> value = Compute(source);
  if (value && !IsNarrow(*value)) value.reset();
  known_[{source.node, source.port}] = value;
  return value;
}

std::optional<int64_t> LoopScalars::Compute(ir::Source source) {
  const ir::Node& node = *source.node;
  if (node.constant) return IntOf(source);
  if (ir::IsParameter(node)) {
    const auto found = parameters_.find(&node);
    return found == parameters_.end() ? std::nullopt : found->second;
  }
  const ops::ScalarRule rule = ops::TraitsOf(node).scalar;
  if (rule == nullptr || node.inputs.empty()) return std::nullopt;
  std::vector<std::optional<int64_t>> inputs;
  for (const ir::Source& input : node.inputs) inputs.push_back(Value(input));
  return rule(node, inputs);
}

}  // namespace weft::graph
