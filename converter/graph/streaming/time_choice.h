// SPDX-License-Identifier: Apache-2.0
// Selects the time axis: the axis that --time-axis names, otherwise the input axis that can be
// streamed and along which most of the model moves (look_backs.h).
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_TIME_CHOICE_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_TIME_CHOICE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/port_names.h"
#include "converter/graph/streaming/look_backs.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Axes of the graph's inputs and outputs from which time is propagated. If there are none, it
// starts at time loops and at operations that look back.
using TimeSeeds = std::vector<PortAxis>;

// The result of an attempt to stream along such axes.
struct TriedTime {
  bool is_sound = false;
  Motion motion = Motion::kNone;  // along time; if not sound, the most likely motion of the graph
  bool is_channels = false;       // of a window over other axes
  bool has_weights = false;       // time runs through a layer with weights
  TimeSeeds inputs;               // inputs with a time axis
};

// Returns the tensor of a port.
ir::Source PortTensor(const ir::Graph& graph, const PortAxis& port);
// Returns the first name of a port, without quotes.
std::string PortName(const ir::Graph& graph, const PortAxis& port);

// Returns the axes that --time-axis names; nullopt if faults were added.
std::optional<TimeSeeds> NamedTime(const ir::Graph& graph, const TimeNames& names, Faults& faults);

// Tries the axes of the inputs with `attempt`, which must not change the graph. Returns the
// selected axis, or no seeds if the default is used; nullopt if a fault was added.
std::optional<TimeSeeds> ChooseTime(const ir::Graph& graph,
                                    const std::function<TriedTime(const TimeSeeds&)>& attempt,
                                    Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_TIME_CHOICE_H_
