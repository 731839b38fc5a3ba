// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/open_time.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/positions.h"

namespace weft::graph {
namespace {

std::optional<size_t> OpenAxis(const ir::Graph& graph, size_t input, const TimeNames& names) {
  const Dims& dims = DimsOf({graph.parameters[input], 0});
  const auto rank = static_cast<int64_t>(dims.size());
  for (const auto& [name, given] : names) {
    const int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank || PortNamed(graph, name) != PortAxis{false, input, 0}) continue;
    if (dims[static_cast<size_t>(axis)] < 0) return static_cast<size_t>(axis);
  }
  const auto is_open = [](int64_t dim) { return dim < 0; };
  if (std::ranges::count_if(dims, is_open) != 1) return std::nullopt;
  return static_cast<size_t>(std::ranges::find_if(dims, is_open) - dims.begin());
}

bool AreOneLayer(const ir::Node& a, const ir::Node& b) {
  return a.id == b.id && a.name == b.name && a.type == b.type && a.operation == b.operation &&
         a.constant.has_value() == b.constant.has_value() && a.inputs.size() == b.inputs.size() &&
         a.outputs.size() == b.outputs.size() && a.bodies.size() == b.bodies.size();
}

void RefuseLength(const ir::Graph& graph, const ir::Node& node, Faults& faults) {
  RefuseToCut(graph, node, "it depends on the total number of steps, which only --shape can set",
              faults);
}

bool AreEqual(const ir::Constant& a, const ir::Constant& b) {
  return a.type == b.type && std::ranges::equal(a.bytes, b.bytes);
}

// Returns the node and output that each input reads.
std::vector<std::pair<size_t, uint32_t>> ReadsOf(const std::map<const ir::Node*, size_t>& positions,
                                                 const ir::Node& node) {
  std::vector<std::pair<size_t, uint32_t>> reads;
  for (const ir::Source& input : node.inputs) {
    reads.emplace_back(positions.at(input.node), input.port);
  }
  return reads;
}

std::map<const ir::Node*, size_t> PositionsOf(const std::vector<ir::Node*>& nodes) {
  std::map<const ir::Node*, size_t> positions;
  for (size_t i = 0; i < nodes.size(); ++i) positions[nodes[i]] = i;
  return positions;
}

// Returns the first node of `a` that differs from the node of `b` at the same index in topological
// order; null if there is none.
const ir::Node* FirstDifference(const ir::Graph& a, const ir::Graph& b) {
  const std::vector<ir::Node*> as = ir::Topological(a), bs = ir::Topological(b);
  const std::map<const ir::Node*, size_t> a_positions = PositionsOf(as),
                                          b_positions = PositionsOf(bs);
  for (size_t i = 0; i < std::min(as.size(), bs.size()); ++i) {
    const ir::Node &x = *as[i], &y = *bs[i];
    const auto type_of = [](const ir::OutputPort& port) { return port.type; };
    const bool is_same = AreOneLayer(x, y) &&
                         (ir::IsParameter(x) || x.attributes == y.attributes) &&
                         ReadsOf(a_positions, x) == ReadsOf(b_positions, y) &&
                         std::ranges::equal(x.outputs, y.outputs, {}, type_of, type_of) &&
                         (!x.constant || AreEqual(*x.constant, *y.constant));
    if (!is_same) return &x;
    for (size_t body = 0; body < x.bodies.size(); ++body) {
      if (FirstDifference(*x.bodies[body].graph, *y.bodies[body].graph) != nullptr) return &x;
    }
  }
  if (as.size() == bs.size()) return nullptr;
  return as.size() > bs.size() ? as[bs.size()] : bs[as.size()];
}

// Sets OutputPort::open_axes of both graphs where their extents differ.
bool MarkOpenAxes(ir::Graph& graph, ir::Graph& second, Faults& faults) {
  const size_t count = std::min(graph.nodes.size(), second.nodes.size());
  for (size_t i = 0; i < count; ++i) {
    ir::Node &node = *graph.nodes[i], &other = *second.nodes[i];
    if (!AreOneLayer(node, other)) return RefuseLength(graph, node, faults), false;
    for (size_t port = 0; port < node.outputs.size(); ++port) {
      const Dims &dims = node.outputs[port].type.dims, &others = other.outputs[port].type.dims;
      if (dims.size() != others.size()) return RefuseLength(graph, node, faults), false;
      uint32_t open = 0;
      for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (dims[axis] != others[axis]) open |= uint32_t{1} << axis;
      }
      node.outputs[port].open_axes = other.outputs[port].open_axes = open;
    }
  }
  if (graph.nodes.size() == second.nodes.size()) return true;
  const ir::Graph& longer = graph.nodes.size() > count ? graph : second;
  RefuseLength(graph, *longer.nodes[count], faults);
  return false;
}

// A difference between the streamed graphs depends on the assumed length.
void RefuseDifferences(const ir::Graph& graph, const ir::Graph& second, Faults& faults) {
  const ir::Node* node = FirstDifference(graph, second);
  if (node != nullptr) RefuseLength(graph, *node, faults);
}

// Returns the input axes that are marked open.
TimeSeeds OpenAxesOfInputs(const ir::Graph& graph) {
  TimeSeeds seeds;
  for (size_t input = 0; input < graph.parameters.size(); ++input) {
    const ir::OutputPort& port = graph.parameters[input]->outputs[0];
    for (size_t axis = 0; axis < port.type.dims.size(); ++axis) {
      if ((port.open_axes >> axis & 1U) == 0) continue;
      seeds.push_back({false, input, static_cast<int64_t>(axis)});
    }
  }
  return seeds;
}

// Removes the assumed lengths, which are no property of the model.
void ForgetLengths(Streamed& streamed) {
  streamed.all_steps = 0;
  for (std::vector<StreamedPort>* ports : {&streamed.inputs, &streamed.outputs}) {
    for (StreamedPort& port : *ports) {
      if (port.time) port.time->all_positions = 0;
    }
  }
}

}  // namespace

TimeSeeds FillOpenAxes(ir::Graph& graph, const TimeNames& names, int64_t length) {
  TimeSeeds open;
  for (size_t input = 0; input < graph.parameters.size(); ++input) {
    ir::Node& parameter = *graph.parameters[input];
    const std::optional<size_t> axis = OpenAxis(graph, input, names);
    if (!parameter.outputs[0].declared || !axis) continue;
    int64_t positions = length;
    if (*axis < parameter.bounds.size()) {
      const auto [min, max] = parameter.bounds[*axis];
      positions = std::max(min, std::min(positions, max));
    }
    parameter.outputs[0].type.dims[*axis] = positions;
    open.push_back({false, input, static_cast<int64_t>(*axis)});
  }
  return open;
}

bool HasPairsOfSteps(const ir::Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const std::unique_ptr<ir::Node>& node) {
    const uint32_t open = node->constant ? node->outputs[0].open_axes : 0;
    return (open & (open >> 1)) != 0;
  });
}

std::optional<Streamed> StreamOpenTime(ir::Graph& graph, ir::Graph& second,
                                       const StreamOptions& options, const InferOptions& infer,
                                       Folding& folding, Faults& faults) {
  if (!MarkOpenAxes(graph, second, faults)) return std::nullopt;
  StreamOptions open = options;
  open.is_open = true;
  const auto stream = [&](ir::Graph& each) -> std::optional<Streamed> {
    ComputePositions(each, folding);
    std::optional<Streamed> streamed = Stream(each, open, folding, faults);
    if (!streamed || !InferAndFold(each, infer, folding, faults)) return std::nullopt;
    return streamed;
  };
  const TimeSeeds seeds = OpenAxesOfInputs(graph);
  std::optional<Streamed> streamed = stream(graph);
  if (streamed && !AreTime(seeds, *streamed)) return streamed;
  if (!streamed || !stream(second)) return std::nullopt;
  RefuseDifferences(graph, second, faults);
  if (!faults.ok()) return std::nullopt;
  ForgetLengths(*streamed);
  return streamed;
}

bool AreTime(const TimeSeeds& open, const Streamed& streamed) {
  return std::ranges::all_of(open, [&](const PortAxis& port) {
    const std::optional<CutAxis>& time = streamed.inputs[port.port].time;
    return time && time->axis == port.axis;
  });
}

}  // namespace weft::graph
