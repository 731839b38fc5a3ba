// SPDX-License-Identifier: Apache-2.0
// Two forms of windows that look back along time. One is a Pad before the window. The other is
// padding on both sides, with a slice that removes the outputs that looked ahead. Both become
// padding of the operation itself, before the first element only.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_PADS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_PADS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A window that took over a border of numbers other than its own padding, in attribute kPadFill.
// Only windows over time may keep it.
struct FilledWindow {
  ir::Node* node = nullptr;
  std::map<std::string, std::string> attributes;  // before
  ir::Source data;
};

// Merges constant borders before the data of convolutions and pools into their own padding, if they
// look back afterwards. Returns the windows that took over other numbers than their own padding.
std::vector<FilledWindow> JoinPads(ir::Graph& graph);

// Returns true if the window looks back along time.
bool IsOverTime(const TimeAxes& times, const FilledWindow& window);
// Restores the window and its border.
void TakeBack(FilledWindow& window);

// Sets the padding of all spatial axes as attributes.
void SetPads(ir::Node& window, const Dims& begin, const Dims& end);

// Merges a border of one number on both sides along one axis into the padding of the window.
void JoinBorder(ir::Graph& graph, ir::Node& window, size_t axis);

// Removes slices of the end of an axis if only windows computed the sliced elements: the windows
// then end earlier.
void JoinCuts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_PADS_H_
