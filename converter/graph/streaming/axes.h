// SPDX-License-Identifier: Apache-2.0
// Finds the time axis of every tensor of a graph. Starts at the axes given to Set. Propagates along
// and against the data flow, through time loops and the axis groups of ops/axes.h, until nothing
// changes. References the graph's nodes and does not change them.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {

using ops::AxisGroup;
using ops::AxisRelation;
using ops::Delay;
using ops::PortAxis;
using ops::RunningSum;
using ops::Selection;

// The time axis of a tensor: the extent of `axis` is outer * T * chunk. `outer` is not 1 if a batch
// axis was flattened into it; `chunk` is not 1 if one step has several elements.
struct TimeAxis {
  int64_t axis = 0, outer = 1, chunk = 1;
};

// A tensor of which each step of a time loop reads or writes `chunk` elements along an axis.
struct Stride {
  PortAxis at;
  int64_t chunk = 1;
};

// Adds "{file}:{line}: layer ...: needs the full sequence (WHAT); --streaming must be able to run
// it step by step".
void RefuseToCut(const ir::Graph& graph, const ir::Node& node, const std::string& what,
                 Faults& faults);

class TimeAxes {
 public:
  TimeAxes(ir::Graph& graph, int64_t steps, Faults& faults);

  int64_t steps() const { return steps_; }
  // Returns null if the tensor has no time axis.
  const TimeAxis* Of(const ir::Source& source) const;
  const AxisRelation& Relation(const ir::Node* node) const { return relations_.at(node); }
  // Replaces the axis relation of the operation. Call it before Spread.
  void SetRelation(const ir::Node* node, AxisRelation relation) {
    relations_[node] = std::move(relation);
  }
  const std::vector<ir::Node*>& nodes() const { return nodes_; }

  // The node iterates over these tensors step by step: time runs along all of the strides or none.
  void AddTimeLoop(const ir::Node& node, const std::vector<Stride>& strides);
  // Returns true if time runs along one of these strides of the node.
  bool RunsAlong(ir::Node& node, const std::vector<Stride>& strides) const;
  // Sets the time axis of a tensor. A second time axis in one tensor is a fault of `node`.
  void Set(const ir::Source& source, TimeAxis time, const ir::Node& node);
  void Spread();
  // Valid after Spread: 1, or the divisor of the number of steps that gives every tensor an integer
  // number of elements per step.
  int64_t divisor() const { return divisor_; }

 private:
  bool SpreadAt(ir::Node& node);
  bool SpreadThroughTimeLoop(ir::Node& node, const std::vector<Stride>& strides);
  void CheckTogether(ir::Node& node);
  bool SpreadThroughReshape(ir::Node& node);
  bool SpreadThroughDelay(ir::Node& node, const Delay& delay);
  struct Side {
    ir::Source tensor;
    int64_t positions;  // that correspond to `positions` of the other side
  };
  bool SpreadAtRates(ir::Node& node, int64_t axis, const Side& from, const Side& to);
  bool Join(const ir::Source& source, TimeAxis time, const ir::Node& node);
  // Returns the time axis after a reshape that keeps `together` steps contiguous.
  std::optional<TimeAxis> Reshaped(const ir::Source& from, const ir::Source& to,
                                   int64_t together = 1) const;
  int64_t StepsTogether(const ir::Source& from, const ir::Source& to) const;
  // Returns the number of elements before one step of time, and in one step.
  std::pair<int64_t, int64_t> Position(const ir::Source& source, const TimeAxis& time) const;

  ir::Graph& graph_;
  const int64_t steps_;
  Faults& faults_;
  int64_t divisor_ = 1;
  std::vector<ir::Node*> nodes_;  // in topological order
  std::map<const ir::Node*, AxisRelation> relations_;
  std::map<const ir::Node*, std::vector<Stride>> strides_;  // of time loops
  std::map<std::pair<const ir::Node*, uint32_t>, TimeAxis> times_;
};

bool IsTransposition(const ir::Node& node);

// Returns true if one of the node's tensors has a time axis.
bool HasTime(const TimeAxes& times, ir::Node& node);

// Returns the relation's delay along that axis, or null.
const Delay* DelayAlong(const AxisRelation& relation, int64_t axis);

// Returns the tensor at a port of a node.
ir::Source TensorAt(ir::Node& node, const PortAxis& at);
const Dims& DimsOf(const ir::Source& source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_
