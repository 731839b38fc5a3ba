// SPDX-License-Identifier: Apache-2.0
// Operations that need past steps in addition to the new ones: windows that look back along time
// (ops/look_back.h), shifts, running sums. In a streaming model they read the past from a variable.
// A convolution skips its padding, but multiplies the zeros of a variable. So the sign of a zero
// may differ if the products of the first steps underflow to zero.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/graph/canonical/pads.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"
#include "converter/ops/support/ring.h"
#include "runtime/format/weft_generated.h"

namespace weft::graph {

// Returns the node's delay along time, or its sum over time; null if it has none.
const Delay* DelayOverTime(const TimeAxes& times, const ir::Node& node);
const RunningSum* SumOverTime(const TimeAxes& times, const ir::Node& node);
// Returns true if the window looks back along time and its border is along time.
bool IsOverTime(const TimeAxes& times, const FilledWindow& window);

// Types of their states: `positions` positions of the node's data, and the sum.
TensorType PastType(const ir::Node& node, const Delay& delay, int64_t positions);
TensorType SumType(const ir::Node& node, const RunningSum& sum);

// Names of the variables of a past, which is a ring (ops/ring.h): the positions and, if there are
// several, the start index. Both are equal for any number of steps per run.
struct PastNames {
  std::string past, start;
};

// A past that starts before the data of `first`. Input 0 of all its readers has its final extents
// and the same numbers at each position.
class Past {
 public:
  Past(ir::Graph& graph, const ir::Node& first, const Delay& delay, int64_t positions,
       PastNames names);
  // Prepends the past to input 0. Readers of the same positions of the same tensor share one read.
  void PutBefore(ir::Node& node, const Delay& delay);
  // Makes the last reader in `order`, the computation order of the graph, overwrite the oldest
  // positions by the new ones.
  void Write(const std::vector<ir::Node*>& order);

 private:
  ir::Source WindowOf(const ir::Node& node, const ops::RingReads& reads);

  ir::Graph& graph_;
  const int64_t positions_;
  const PastNames names_;
  std::vector<ir::Source> state_;  // the ring and its start
  std::vector<ir::Node*> rings_;   // its readers
};

// A complete past of `past` positions, initially zeros, followed by `data` along `axis`.
struct WholePast {
  int64_t axis = 0, past = 0;
  format::RingOrder order = format::RingOrder::positions_outer_inner;
};
TensorType PastType(const ir::Source& data, const WholePast& whole);
// Returns the past followed by `data`, read from a new ring; `like` names the new nodes.
ir::Source WithPast(ir::Graph& graph, ir::Node& like, const ir::Source& data,
                    const WholePast& whole, const PastNames& names);

// Makes the sum continue from the value of variable `name`.
void ReadSum(ir::Graph& graph, ir::Node& node, const RunningSum& sum, const std::string& name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_DELAYS_H_
