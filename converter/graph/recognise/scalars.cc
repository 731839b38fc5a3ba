// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/scalars.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// Both operands known. 64 bits hold every result of 32-bit operands; others are not asked.
struct BinaryRow {
  std::string_view type;
  int64_t (*apply)(int64_t a, int64_t b);
};
constexpr BinaryRow kBinary[] = {
    {"Add", [](int64_t a, int64_t b) { return a + b; }},
    {"Subtract", [](int64_t a, int64_t b) { return a - b; }},
    {"Multiply", [](int64_t a, int64_t b) { return a * b; }},
    {"Minimum", [](int64_t a, int64_t b) { return std::min(a, b); }},
    {"Maximum", [](int64_t a, int64_t b) { return std::max(a, b); }},
    {"Less", [](int64_t a, int64_t b) { return int64_t{a < b}; }},
    {"LessEqual", [](int64_t a, int64_t b) { return int64_t{a <= b}; }},
    {"Greater", [](int64_t a, int64_t b) { return int64_t{a > b}; }},
    {"GreaterEqual", [](int64_t a, int64_t b) { return int64_t{a >= b}; }},
    {"Equal", [](int64_t a, int64_t b) { return int64_t{a == b}; }},
    {"NotEqual", [](int64_t a, int64_t b) { return int64_t{a != b}; }},
};

constexpr std::string_view kUnchanged[] = {"Squeeze", "Unsqueeze", "Reshape", "Identity"};

bool IsNarrow(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

// False decides a conjunction, true a disjunction, whatever the other is.
std::optional<int64_t> Decide(bool deciding, std::optional<int64_t> a, std::optional<int64_t> b) {
  if ((a && (*a != 0) == deciding) || (b && (*b != 0) == deciding)) return deciding;
  if (a && b) return !deciding;
  return std::nullopt;
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
  if (node.type == "Parameter") {
    const auto found = parameters_.find(&node);
    return found == parameters_.end() ? std::nullopt : found->second;
  }
  if (node.inputs.empty()) return std::nullopt;
  if (std::ranges::find(kUnchanged, node.type) != std::end(kUnchanged)) {
    return Value(node.inputs[0]);
  }
  if (node.type == "Convert") {
    const auto to = node.attributes.find("destination_type");
    const bool whole = to != node.attributes.end() && (to->second == "i32" || to->second == "i64");
    return whole ? Value(node.inputs[0]) : std::nullopt;
  }
  if (node.type == "LogicalNot") {
    const std::optional<int64_t> a = Value(node.inputs[0]);
    return a ? std::optional(int64_t{*a == 0}) : std::nullopt;
  }
  if (node.inputs.size() != 2) return std::nullopt;
  const std::optional<int64_t> a = Value(node.inputs[0]), b = Value(node.inputs[1]);
  if (node.type == "LogicalAnd") return Decide(false, a, b);
  if (node.type == "LogicalOr") return Decide(true, a, b);
  const auto* row = std::ranges::find(kBinary, node.type, &BinaryRow::type);
  if (row == std::end(kBinary) || !a || !b) return std::nullopt;
  return row->apply(*a, *b);
}

}  // namespace weft::graph
