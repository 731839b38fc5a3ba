// SPDX-License-Identifier: Apache-2.0
// Operations that need steps of the past beside their own: windows that look back along time
// (ops/look_back.h), shifts, running sums. Cut, they read their past from a variable. A convolution
// skips its padding and multiplies a variable's zeros: one bit, the sign of a zero, may differ
// where a product of the first steps is too small to be distinguished from zero.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"
#include "converter/ops/ring.h"
#include "runtime/format/weft_generated.h"

namespace weft::graph {

// The delay along time, or the sum over it, if that is what the node has; else null.
const Delay* DelayOverTime(const TimeAxes& times, ir::Node& node);
const RunningSum* SumOverTime(const TimeAxes& times, ir::Node& node);

// What the states of such operations hold: so many places of the node's data, and the sum.
TensorType PastType(const ir::Node& node, const Delay& delay, int64_t places);
TensorType SumType(const ir::Node& node, const RunningSum& sum);

// The variables of a past, which is a ring (ops/ring.h): its places and, where there are more than
// one, where it starts. Both are the same for any number of steps a run.
struct PastNames {
  std::string past, start;
};

// A past that begins before the data of `first`. All its readers have input 0 of its final extents,
// and hold in each place the same numbers in the same order.
class Past {
 public:
  Past(ir::Graph& graph, const ir::Node& first, const Delay& delay, int64_t places,
       PastNames names);
  // Puts it before input 0. Those that read the same places of the same tensor read them once.
  void PutBefore(ir::Node& node, const Delay& delay);
  // The last reader in the order in which the graph is computed, which is `order`, writes the new
  // places over the oldest.
  void Write(const std::vector<ir::Node*>& order);

 private:
  ir::Source WindowOf(const ir::Node& node, const ops::RingReads& reads);

  ir::Graph& graph_;
  const int64_t places_;
  const PastNames names_;
  std::vector<ir::Source> state_;  // the ring and where it starts
  std::vector<ir::Node*> rings_;   // that read it
};

// All of `past` places, zeros at first, with `data` of `like` behind them along `axis`.
struct WholePast {
  int64_t axis = 0, past = 0;
  format::RingOrder order = format::RingOrder::places_outer_inner;
};
TensorType PastType(const ir::Source& data, const WholePast& whole);
ir::Source WithPast(ir::Graph& graph, ir::Node& like, const ir::Source& data,
                    const WholePast& whole, const PastNames& names);

// Goes on from the sum that variable `name` holds.
void ReadSum(ir::Graph& graph, ir::Node& node, const RunningSum& sum, const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_
