// SPDX-License-Identifier: Apache-2.0
// Rates how much of a graph depends on an axis that may be time.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LOOK_BACKS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LOOK_BACKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// In order of likelihood: time loops, attention, windows that look back with one output per
// position. Then sums, shifts and borders of numbers other than zero, windows that look ahead,
// windows with fewer outputs (as along image axes), and independent elements.
enum class Motion { kTimeLoops, kAttends, kEven, kShifted, kAround, kFewer, kApart, kNone };

// An operation that looks back along an axis of its data.
struct LookBack {
  ir::Node* node = nullptr;
  int64_t axis = 0, take = 1;
  int64_t positions() const { return DimsOf(node->inputs[0])[static_cast<size_t>(axis)]; }
};

// The most likely operations that look back along any axis; all have the same motion. With kAhead,
// operations that look ahead count, but no independent elements.
struct LookBacks {
  Motion motion = Motion::kNone;
  std::vector<LookBack> likeliest;
};
LookBacks LookBacksIn(const ir::Graph& graph, const std::vector<CausalAttention>& attentions,
                      TimeReach reach = TimeReach::kCausal);
// Returns the error for a graph without a time loop and without such an operation.
std::string NoLookBackFault(const ir::Graph& graph);
// Returns advice for a graph with a window over all positions of an axis; empty if it has none. The
// axis may be time: the model then computes the result of one window.
std::string AdviceForOneWindow(const ir::Graph& graph);

// Returns the most likely motion along time of operations that are no time loops.
Motion MotionAlong(const TimeAxes& times, const std::vector<CausalAttention>& attentions);
// Returns true if time runs through a layer with weights.
bool RunsThroughWeights(const TimeAxes& times);
// Returns true if time runs along the channels of windows over other axes.
bool IsChannelsOfWindows(const TimeAxes& times);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LOOK_BACKS_H_
