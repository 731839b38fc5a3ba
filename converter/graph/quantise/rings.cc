// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/quantise/rings.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/recognise/nodes.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/support/ring.h"

namespace weft::graph {
namespace {

constexpr size_t kData = 0, kPast = 1;

bool IsRing(const ir::Node& node) { return node.operation == &ops::RingOperation(); }

bool Reads(const ir::Node& node, const ir::Node& read) {
  return std::ranges::any_of(node.inputs,
                             [&](const ir::Source& source) { return source.node == &read; });
}

// Returns the tensor before reshapes and transpositions.
ir::Source Unmoved(ir::Source source) {
  while (KeepsOrder(*source.node) || PermutationOf(*source.node)) {
    source = source.node->inputs[0];
  }
  return source;
}

ir::Node* RingOfIntegers(ir::Graph& graph, const ir::Node& ring, ir::Source integers,
                         ir::Source past) {
  std::vector<ir::Source> inputs = ring.inputs;
  inputs[kData] = integers;
  inputs[kPast] = past;
  const auto count = static_cast<uint32_t>(ring.outputs.size());
  ir::Node* made = NewNode(graph, ring, ring.type, 0, inputs, count, ring.attributes);
  made->operation = ring.operation;
  for (uint32_t i = 0; i < count; ++i) made->outputs[i].type = ring.outputs[i].type;
  made->outputs[0].type.type = TypeOf(integers).type;
  if (count > kPast) made->outputs[kPast].type = TypeOf(past);
  return made;
}

}  // namespace

bool IsQuantisable(const ir::Graph& graph, const ir::Node& ring, const QuantParams& quant_params,
                   const std::function<bool(const ir::Source&)>& has_codes) {
  if (!IsRing(ring) || !ir::IsReadValue(*ring.inputs[kPast].node)) return false;
  const ir::Node& read = *ring.inputs[kPast].node;
  if (read.inputs.empty()) return false;
  if (const std::optional<double> first = NumberIn(read.inputs[0])) {
    // Maximum pooling starts from -infinity; the lowest code is equivalent.
    const auto number = static_cast<float>(*first);
    const bool is_min = number == -std::numeric_limits<float>::infinity();
    if (!is_min && NumberAt(CodeOf(number, quant_params), quant_params) != number) return false;
  } else if (!has_codes || !has_codes(read.inputs[0])) {
    return false;
  }
  return std::ranges::all_of(graph.nodes, [&](const std::unique_ptr<ir::Node>& node) {
    return !Reads(*node, read) ||
           (IsRing(*node) && Unmoved(node->inputs[kData]) == Unmoved(ring.inputs[kData]));
  });
}

std::optional<ir::Source> ComputedFirst(const ir::Node& ring) {
  const ir::Source& first = ring.inputs[kPast].node->inputs[0];
  return NumberIn(first) ? std::nullopt : std::optional(first);
}

std::vector<RingPair> RingsOfIntegers(
    ir::Graph& graph, const ir::Node& ring,
    const std::function<ir::Source(const ir::Source&)>& integers_of,
    std::optional<ir::Source> first, const QuantParams& quant_params) {
  const ir::Node& read = *ring.inputs[kPast].node;
  const TensorType type = {quant_params.type, read.outputs[0].type.dims};
  if (!first) {
    const int64_t code = CodeOf(static_cast<float>(*NumberIn(read.inputs[0])), quant_params);
    const auto count = static_cast<size_t>(ElementCount(type.dims).value_or(0));
    first = NewInts(graph, read, type, std::vector<int64_t>(count, code));
  }
  std::vector<RingPair> pairs;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    if (IsRing(*node) && Reads(*node, read)) pairs.push_back({node.get(), nullptr});
  }
  const ir::Source past = {NewNode(graph, read, read.type, 6, {*first}, 1, read.attributes), 0};
  past.node->outputs[0].type = type;
  for (RingPair& pair : pairs) {
    pair.of_integers =
        RingOfIntegers(graph, *pair.ring, integers_of(pair.ring->inputs[kData]), past);
    for (uint32_t i = kPast; i < pair.ring->outputs.size(); ++i) {
      ir::HandOver(graph, {pair.ring, i}, {pair.of_integers, i});
    }
    pair.ring->outputs.resize(1);
  }
  for (ir::Node* sink : graph.sinks) sink->outputs[0].type = TypeOf(sink->inputs[0]);
  return pairs;
}

}  // namespace weft::graph
