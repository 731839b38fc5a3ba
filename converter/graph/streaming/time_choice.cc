// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/time_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "converter/base/visible.h"
#include "converter/graph/port_names.h"
#include "converter/ir/time_length.h"

namespace weft::graph {
namespace {

std::vector<PortAxis> PortsOf(const ir::Graph& graph) {
  std::vector<PortAxis> ports;
  for (size_t i = 0; i < graph.parameters.size(); ++i) ports.push_back({false, i, 0});
  for (size_t i = 0; i < graph.results.size(); ++i) ports.push_back({true, i, 0});
  return ports;
}

std::string MustName(const ir::Graph& graph) {
  constexpr size_t kMax = 16;
  std::vector<std::string> list;
  for (const PortAxis& port : PortsOf(graph)) {
    const ir::Source tensor = PortTensor(graph, port);
    list.push_back(fmt::format("\"{}\" {}", PortName(graph, port), ToString(TypeOf(tensor))));
  }
  const size_t more = list.size() - std::min(list.size(), kMax);
  list.resize(list.size() - more);
  return fmt::format("must be one of {}{}", fmt::join(list, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// Returns the dynamic input axes that are no batch, because they are not the first one.
std::vector<PortAxis> DynamicAxes(const ir::Graph& graph) {
  std::vector<PortAxis> axes;
  for (size_t i = 0; i < graph.parameters.size(); ++i) {
    const ir::Source input = {graph.parameters[i], 0};
    for (size_t axis = 1; axis < DimsOf(input).size(); ++axis) {
      if (ir::IsOpen(input, axis)) axes.push_back({false, i, static_cast<int64_t>(axis)});
    }
  }
  return axes;
}

// Returns every input axis with an extent above 1; only the dynamic ones if these can only be time.
std::vector<PortAxis> AxesOfInputs(const ir::Graph& graph) {
  std::vector<PortAxis> axes = DynamicAxes(graph);
  if (!axes.empty()) return axes;
  for (size_t i = 0; i < graph.parameters.size(); ++i) {
    const Dims& dims = DimsOf({graph.parameters[i], 0});
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] > 1) axes.push_back({false, i, static_cast<int64_t>(axis)});
    }
  }
  return axes;
}

// Returns true for axes without motion that are no time: channels, and the batch. The batch is axis
// 0 of a tensor with more than two axes.
bool IsBatchOrChannels(const ir::Graph& graph, const PortAxis& axis, const TriedTime& tried) {
  const bool has_more = DimsOf(PortTensor(graph, axis)).size() > 2;
  return tried.motion == Motion::kNone && ((axis.axis == 0 && has_more) || tried.is_channels);
}

struct Candidate {
  PortAxis axis;
  Motion motion;
  bool has_weights = false;
};

std::string ListOf(const ir::Graph& graph, const std::vector<Candidate>& candidates) {
  std::vector<std::string> list;
  for (const Candidate& candidate : candidates) {
    const PortAxis& axis = candidate.axis;
    const ir::Source tensor = PortTensor(graph, axis);
    const auto at = static_cast<size_t>(axis.axis);
    list.push_back(fmt::format(
        "\"{}\" axis {} ({})", PortName(graph, axis), axis.axis,
        ir::IsOpen(tensor, at) ? "dynamic" : fmt::format("{} positions", DimsOf(tensor)[at])));
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

// Returns true if the only candidate can be selected without --time-axis. Without motion, it must
// be the middle axis of a model over [batch, time, features].
bool SpeaksForItself(const ir::Graph& graph, const Candidate& candidate) {
  if (candidate.motion != Motion::kNone) return true;
  const bool is_middle = candidate.axis.axis == 1;
  return candidate.has_weights && is_middle &&
         DimsOf(PortTensor(graph, candidate.axis)).size() == 3;
}

}  // namespace

ir::Source PortTensor(const ir::Graph& graph, const PortAxis& port) {
  if (port.output) return graph.results[port.port]->inputs[0];
  return {graph.parameters[port.port], 0};
}

std::string PortName(const ir::Graph& graph, const PortAxis& port) {
  const ir::Source tensor = PortTensor(graph, port);
  const std::vector<std::string>& names = tensor.node->outputs[tensor.port].names;
  const ir::Node* layer = port.output ? graph.results[port.port] : graph.parameters[port.port];
  return OneLine(names.empty() ? layer->name : names.front());
}

std::optional<TimeSeeds> NamedTime(const ir::Graph& graph, const TimeNames& names, Faults& faults) {
  const size_t before = faults.lines().size();
  TimeSeeds seeds;
  for (const auto& [name, given] : names) {
    std::optional<PortAxis> port = PortNamed(graph, name);
    if (!port) {
      faults.Add(fmt::format("--time-axis: port \"{}\": is not in the model; {}", OneLine(name),
                             MustName(graph)));
      continue;
    }
    const auto rank = static_cast<int64_t>(DimsOf(PortTensor(graph, *port)).size());
    port->axis = given < 0 ? given + rank : given;
    const ir::Source tensor = PortTensor(graph, *port);
    const std::string type = ToString(TypeOf(tensor));
    if (port->axis < 0 || port->axis >= rank) {
      faults.Add(fmt::format(
          "--time-axis: port \"{}\": axis {} does not exist in {}; must be from {} to {}",
          OneLine(name), given, type, -rank, rank - 1));
      continue;
    }
    const auto is_same_port = [&](const PortAxis& other) {
      return other.output == port->output && other.port == port->port;
    };
    const auto other = std::ranges::find_if(seeds, is_same_port);
    if (other == seeds.end()) {
      seeds.push_back(*port);
    } else if (other->axis != port->axis) {
      faults.Add(fmt::format("--time-axis: port \"{}\": has axes {} and {}; must have one",
                             OneLine(name), other->axis, port->axis));
    }
  }
  return faults.lines().size() == before ? std::optional(seeds) : std::nullopt;
}

std::optional<TimeSeeds> ChooseTime(const ir::Graph& graph,
                                    const std::function<TriedTime(const TimeSeeds&)>& attempt,
                                    Faults& faults) {
  const TriedTime usual = attempt({});
  const bool is_clear = usual.motion <= Motion::kShifted;
  if (usual.is_sound && is_clear) return TimeSeeds();
  std::vector<Candidate> found;
  TimeSeeds known;
  if (usual.is_sound) {
    known = usual.inputs;
    if (!known.empty()) found.push_back({known.front(), usual.motion});
  }
  for (const PortAxis& axis : AxesOfInputs(graph)) {
    if (std::ranges::find(known, axis) != known.end()) continue;
    const TriedTime tried = attempt({axis});
    known.insert(known.end(), tried.inputs.begin(), tried.inputs.end());
    // An axis with less motion than the graph has is not the time axis; the time axis could not be
    // streamed.
    if (!tried.is_sound || (!usual.is_sound && tried.motion > usual.motion)) continue;
    if (!IsBatchOrChannels(graph, axis, tried)) {
      found.push_back({axis, tried.motion, tried.has_weights});
    }
  }
  if (found.empty() && usual.motion == Motion::kNone) return DynamicAxes(graph);
  if (found.empty() || (usual.is_sound && found.size() == 1)) return TimeSeeds();
  const auto max = std::ranges::min_element(found, {}, &Candidate::motion);
  const auto equals = std::ranges::count(found, max->motion, &Candidate::motion);
  const bool is_only = found.size() == 1 && SpeaksForItself(graph, *max);
  if (is_only || (equals == 1 && max->motion <= Motion::kShifted)) return TimeSeeds{max->axis};
  faults.Add(fmt::format("{}: time may run along {}; --time-axis must select one", graph.file,
                         ListOf(graph, found)));
  return std::nullopt;
}

}  // namespace weft::graph
