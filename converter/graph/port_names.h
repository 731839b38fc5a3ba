// SPDX-License-Identifier: Apache-2.0
// The names of a model's ports, for every option that takes a name and for the file. A port is
// named by its tensor, by its Result and by its layer (for an output: the layer that computes it),
// in this order. A tensor name of one port has priority over the Result or layer name of another,
// and a Result name over a layer name. So a name is ambiguous only if two ports have it with the
// same priority.
#ifndef WEFT_CONVERTER_GRAPH_PORT_NAMES_H_
#define WEFT_CONVERTER_GRAPH_PORT_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {

// By port: the names that select it, without names that select another port; tensor names first.
using PortNames = std::vector<std::vector<std::string>>;

// Ports named as time: names of ports or indices of its inputs, with their axes; negative axes
// count from the last one.
using TimeNames = std::vector<std::pair<std::string, int64_t>>;

PortNames NamesOfInputs(const ir::Graph& graph);
PortNames NamesOfOutputs(const ir::Graph& graph);

// Returns the ports that have the name.
std::vector<size_t> PortsWithName(const PortNames& ports, std::string_view name);

// Returns the ports that have the name; if there are none, the port with that index.
std::vector<size_t> PortsNamed(const PortNames& ports, std::string_view name);

// Returns all names of all ports.
std::vector<std::string> AllNames(const PortNames& ports);

// Returns the port with that name, otherwise the input with that index, and axis 0; nullopt if
// there is none.
std::optional<ops::PortAxis> PortNamed(const ir::Graph& graph, const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_PORT_NAMES_H_
