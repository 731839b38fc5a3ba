// SPDX-License-Identifier: Apache-2.0
// Which axis is time: what --time-axis names, else the one axis of the inputs that can be cut and
// that most of the model moves along (look_backs.h).
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_TIME_CHOICE_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_TIME_CHOICE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/streaming/look_backs.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Names of ports of the model, or indices of its inputs, and axes of theirs; below zero they count
// from the last one.
using TimeNames = std::vector<std::pair<std::string, int64_t>>;

// Axes of the graph's inputs and outputs where time begins to spread. Without any it begins where
// walks, or what looks back, say so.
using TimeSeeds = std::vector<PortAxis>;

// What has come of cutting time along such axes.
struct TriedTime {
  bool is_sound = false;
  Motion motion = Motion::kNone;  // along time; where it is not sound, the likeliest of the graph
  bool is_channels = false;       // of a window that stands over other axes
  bool has_weights = false;       // in a layer that time runs through
  TimeSeeds inputs;               // through which time then runs
};

// The tensor of a port.
ir::Source PortTensor(const ir::Graph& graph, const PortAxis& port);
// "x", by its first name.
std::string PortName(const ir::Graph& graph, const PortAxis& port);

// The port of that name, else the input of that index; nullopt where there is none.
std::optional<PortAxis> PortNamed(const ir::Graph& graph, const std::string& name);

std::optional<TimeSeeds> NamedTime(const ir::Graph& graph, const TimeNames& names, Faults& faults);

// `attempt` changes nothing.
std::optional<TimeSeeds> ChooseTime(const ir::Graph& graph,
                                    const std::function<TriedTime(const TimeSeeds&)>& attempt,
                                    Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_TIME_CHOICE_H_
