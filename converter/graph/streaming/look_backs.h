// SPDX-License-Identifier: Apache-2.0
// How much of a graph moves along an axis that may be time: what makes it likely to be.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LOOK_BACKS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LOOK_BACKS_H_

#include <cstdint>
#include <vector>

#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The likeliest first: walks; attention; windows that look back and give a place for each one;
// sums, shifts and borders of other numbers than zero; windows that give fewer, as along the axes
// of an image; those that only stand side by side.
enum class Motion { kWalks, kAttends, kEven, kShifted, kFewer, kApart, kNone };

// An operation that looks back along an axis of its data and not ahead.
struct LookBack {
  ir::Node* node = nullptr;
  int64_t axis = 0, take = 1;
  int64_t places() const { return DimsOf(node->inputs[0])[static_cast<size_t>(axis)]; }
};

// Of all that look back along any axis, the likeliest, which have one motion.
struct LookBacks {
  Motion motion = Motion::kNone;
  std::vector<LookBack> likeliest;
};
LookBacks LookBacksIn(const ir::Graph& graph, const std::vector<CausalAttention>& attentions);

// The likeliest motion along time of what is no walk.
Motion MotionAlong(const TimeAxes& times, const std::vector<CausalAttention>& attentions);
// Does time run through a layer with weights?
bool RunsThroughWeights(const TimeAxes& times);
// Does time run along the channels of windows over other axes?
bool IsChannelsOfWindows(const TimeAxes& times);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LOOK_BACKS_H_
