// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/aligned_positions.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "converter/graph/canonical/borders.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

// Returns true if the node only moves numbers of its inputs, or computes each from a single number.
// Additions are excluded: equal sums may round differently, depending on the products before them.
bool IsExact(const ir::Graph& graph, const TimeAxes& times, ir::Node& node) {
  if (node.constant || node.inputs.empty()) return false;
  const ops::Traits& traits = ops::TraitsOf(node);
  const AxisRelation& relation = times.Relation(&node);
  const bool takes = relation.selects || !relation.parts.empty() || !relation.selections.empty();
  const bool moves = takes || relation.stretches || traits.reshapes || traits.joins ||
                     traits.converts || IsTransposition(node) || BorderOf(graph, node);
  return moves || (traits.pointwise && node.inputs.size() == 1);
}

// Returns true if a transposition keeps the order of all axes except time.
bool MovesTimeAlone(const ir::Graph& graph, const TimeAxes& times, ir::Node& node) {
  const TimeAxis* time = times.Of(node.inputs[0]);
  const Quiet<ops::NodeScope> scope(graph, node);
  const std::optional<Dims> order = node.inputs.size() > 1 ? scope.Ints(1) : std::nullopt;
  if (time == nullptr || !order || order->empty()) return false;
  Dims others;
  std::ranges::copy_if(*order, std::back_inserter(others),
                       [&](int64_t axis) { return axis != time->axis; });
  return std::ranges::is_sorted(others);
}

// Returns true if each output position is an unchanged position of input 0. A border that was
// merged into a window has no effect.
bool KeepsPositions(const ir::Graph& graph, const TimeAxes& times, ir::Node& node) {
  if (node.constant || node.inputs.empty()) return false;
  if (IsTransposition(node)) return MovesTimeAlone(graph, times, node);
  const std::optional<Border> border = BorderOf(graph, node);
  const auto is_zero = [](int64_t positions) { return positions == 0; };
  const bool is_nothing = border && std::ranges::all_of(border->begin, is_zero) &&
                          std::ranges::all_of(border->end, is_zero);
  return is_nothing || ops::TraitsOf(node).reshapes;
}

}  // namespace

AlignedPositions::AlignedPositions(const ir::Graph& graph, const TimeAxes& times) : times_(times) {
  const ValueTable values(graph);
  std::map<int, std::vector<ir::Source>> known;  // by value: tensors with different sources
  for (ir::Node* node : times.nodes()) {
    if (KeepsPositions(graph, times, *node)) keep_positions_.insert(node);
    if (!IsExact(graph, times, *node)) continue;
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const ir::Source source = {node, port};
      const int value = values.Of(source);
      if (value == kNoValue) continue;
      std::vector<ir::Source>& alike = known[value];
      const auto first = std::ranges::find_if(
          alike, [&](const ir::Source& other) { return AreOfTheSame(*other.node, *node); });
      if (first != alike.end()) {
        order_free_[{node, port}] = *first;
      } else {
        alike.push_back(source);
      }
    }
  }
}

// Two nodes with equal values are bit-identical if they are computed from the same tensors.
bool AlignedPositions::AreOfTheSame(const ir::Node& a, const ir::Node& b) const {
  const auto computed = [&](const ir::Node& node) {
    std::vector<ir::Source> sources;
    for (const ir::Source& input : node.inputs) {
      if (!input.node->constant) sources.push_back(FirstAlike(input));
    }
    return sources;
  };
  return computed(a) == computed(b);
}

ir::Source AlignedPositions::FirstAlike(const ir::Source& source) const {
  const auto found = order_free_.find({source.node, source.port});
  return found == order_free_.end() ? source : found->second;
}

ir::Source AlignedPositions::First(ir::Source source) const {
  for (source = FirstAlike(source); keep_positions_.contains(source.node);) {
    const TimeAxis* time = times_.Of(source);
    const ir::Source from = FirstAlike(source.node->inputs[0]);
    const TimeAxis* before = times_.Of(from);
    if (time == nullptr || before == nullptr || time->outer != before->outer ||
        time->chunk != before->chunk) {
      break;
    }
    source = from;
  }
  return source;
}

}  // namespace weft::graph
