// SPDX-License-Identifier: Apache-2.0
// Variants of windows with padding. The padding is a Pad before the window, possibly before
// permuted axes. Or it is on both sides, and a slice removes the last outputs. Each becomes padding
// of the operation itself.
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_PADS_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_PADS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/graph/canonical/borders.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Merges Pads into the windows that read them, directly or through permuted axes, if these pad with
// the same number: zeros of convolutions and means, the minimum of maxima. Also in bodies. Keras
// and TensorFlow export causal convolutions with channels-last data in this way.
void JoinOwnPads(ir::Graph& graph);
// Does this for one window. With `may_follow`, the Pad must be the input of an elementwise node
// that `may_follow` accepts: only the window reads it, and it keeps the number of the Pad.
void JoinOwnPad(ir::Graph& graph, ir::Node& window,
                const std::function<bool(const ir::Node&)>& may_follow = nullptr);

// A window that took over a border along an axis with numbers other than its own padding, in
// attribute PadFillOf(axis). Only windows along time may keep it.
struct FilledWindow {
  ir::Node* node = nullptr;
  int64_t axis = 0, positions = 0;
  BorderFill fill;
};

// Merges borders before the first element into the padding of windows, if they look back
// afterwards. Returns the windows that took over other numbers than their own padding.
std::vector<FilledWindow> JoinPads(ir::Graph& graph);
// Moves the border back before the window, once.
void TakeBack(ir::Graph& graph, const FilledWindow& window);

// Sets the padding of all axes with windows as attributes.
void SetPads(ir::Node& window, const Dims& begin, const Dims& end);

// Merges a border on both sides along one axis into the padding of a window that looks ahead, which
// must not compute the windows over the end of the border. Returns false if there is none.
bool JoinBorder(ir::Graph& graph, ir::Node& window, size_t axis);

// Merges zeros after the end of transposed convolutions into their output padding, if the padding
// ends at no element that the convolution would compute.
void JoinEndPads(ir::Graph& graph);

// Removes slices of the end of an axis if only windows computed the sliced elements: the windows
// then end earlier.
void JoinCuts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_PADS_H_
