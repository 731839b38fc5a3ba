// SPDX-License-Identifier: Apache-2.0
// The two ways in which models write a window that looks back along time: a Pad before it, and
// padding on both sides of which a slice behind it takes off what looked ahead. Both become
// padding of the operation itself, in front alone.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_PADS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_PADS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A window that has taken over a border of other numbers than its own padding: an attribute
// (kPadFill), with which only a window over time may go on.
struct FilledWindow {
  ir::Node* node = nullptr;
  std::map<std::string, std::string> attributes;  // before
  ir::Source data;
};

// Puts a constant border in front of the data of convolutions and pools into their own padding
// where they then look back.
std::vector<FilledWindow> JoinPads(ir::Graph& graph);

// Does the window look back along time?
bool IsOverTime(const TimeAxes& times, const FilledWindow& window);
void TakeBack(FilledWindow& window);

// Padding of all axes of space as attributes.
void SetPads(ir::Node& window, const Dims& begin, const Dims& end);

// A border of one number on both sides of the data, along one axis, becomes padding of the window.
void JoinBorder(ir::Graph& graph, ir::Node& window, size_t axis);

// Slices that leave the end of an axis out, which nothing but windows that end behind it has made,
// take all of what now ends there.
void JoinCuts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_PADS_H_
