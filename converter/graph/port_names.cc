// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/port_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace weft::graph {
namespace {

constexpr size_t kTensor = 0, kResult = 1, kLayer = 2;

struct RankedName {
  std::string name;
  size_t rank;
};
using RankedNames = std::vector<std::vector<RankedName>>;  // by port

void AddTensorNames(std::vector<RankedName>& names, const ir::OutputPort& port) {
  for (const std::string& name : port.names) names.push_back({name, kTensor});
}

// Keeps each name at its best rank, and once per port.
PortNames Resolved(const RankedNames& ports) {
  std::map<std::string_view, size_t> best;
  for (const auto& names : ports) {
    for (const RankedName& name : names) {
      const auto [at, added] = best.try_emplace(name.name, name.rank);
      if (!added) at->second = std::min(at->second, name.rank);
    }
  }
  PortNames resolved;
  for (const auto& names : ports) {
    std::vector<std::string>& kept = resolved.emplace_back();
    for (const RankedName& name : names) {
      const bool wins = best.at(name.name) == name.rank;
      if (wins && std::ranges::find(kept, name.name) == kept.end()) kept.push_back(name.name);
    }
  }
  return resolved;
}

}  // namespace

PortNames NamesOfInputs(const ir::Graph& graph) {
  RankedNames ports;
  for (const ir::Node* parameter : graph.parameters) {
    std::vector<RankedName>& names = ports.emplace_back();
    AddTensorNames(names, parameter->outputs[0]);
    names.push_back({parameter->name, kLayer});
  }
  return Resolved(ports);
}

PortNames NamesOfOutputs(const ir::Graph& graph) {
  RankedNames ports;
  for (const ir::Node* result : graph.results) {
    const ir::Source& source = result->inputs[0];
    std::vector<RankedName>& names = ports.emplace_back();
    AddTensorNames(names, source.node->outputs[source.port]);
    names.push_back({result->name, kResult});
    names.push_back({source.node->name, kLayer});
  }
  return Resolved(ports);
}

std::vector<size_t> PortsWithName(const PortNames& ports, std::string_view name) {
  std::vector<size_t> found;
  for (size_t port = 0; port < ports.size(); ++port) {
    if (std::ranges::find(ports[port], name) != ports[port].end()) found.push_back(port);
  }
  return found;
}

std::vector<size_t> PortsNamed(const PortNames& ports, std::string_view name) {
  std::vector<size_t> found = PortsWithName(ports, name);
  for (size_t port = 0; found.empty() && port < ports.size(); ++port) {
    if (name == fmt::format("{}", port)) found.push_back(port);
  }
  return found;
}

std::vector<std::string> AllNames(const PortNames& ports) {
  std::vector<std::string> all;
  for (const auto& names : ports) all.insert(all.end(), names.begin(), names.end());
  return all;
}

std::optional<ops::PortAxis> PortNamed(const ir::Graph& graph, const std::string& name) {
  const PortNames input_names = NamesOfInputs(graph);
  const std::vector<size_t> inputs = PortsWithName(input_names, name);
  if (!inputs.empty()) return ops::PortAxis{false, inputs[0], 0};
  const std::vector<size_t> outputs = PortsWithName(NamesOfOutputs(graph), name);
  if (!outputs.empty()) return ops::PortAxis{true, outputs[0], 0};
  const std::vector<size_t> by_index = PortsNamed(input_names, name);
  if (!by_index.empty()) return ops::PortAxis{false, by_index[0], 0};
  return std::nullopt;
}

}  // namespace weft::graph
