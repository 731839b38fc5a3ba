// SPDX-License-Identifier: Apache-2.0
// Operations that need steps of the past beside their own: windows that look back along time
// (ops/look_back.h), shifts, running sums. Cut, they read their past from a variable. A convolution
// skips its padding and multiplies a variable's zeros: one bit, the sign of a zero, may differ where
// a product of the first steps is too small to be distinguished from zero.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_

#include <string>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The delay along time, or the sum over it, if that is what the node has; else null.
const Delay* DelayOverTime(const TimeAxes& times, ir::Node& node);
const RunningSum* SumOverTime(const TimeAxes& times, ir::Node& node);

// What the state of such an operation holds.
TensorType PastType(const ir::Node& node, const Delay& delay);
TensorType SumType(const ir::Node& node, const RunningSum& sum);

// `data` of `like` behind so many places before, which variable `name` holds, oldest first.
ir::Source WithPast(ir::Graph& graph, ir::Node& like, const ir::Source& data, const Delay& delay,
                    const std::string& name);

// The variables of a past, which is a ring (ops/ring.h): its places and, where there are more than
// one, where it starts. Both are the same for any number of steps a run.
struct PastNames {
  std::string past, start;
};

// Puts the past before input 0, which has its final extents.
void ReadPast(ir::Graph& graph, ir::Node& node, const Delay& delay, const PastNames& names);

// Goes on from the sum that variable `name` holds.
void ReadSum(ir::Graph& graph, ir::Node& node, const RunningSum& sum, const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_
