// SPDX-License-Identifier: Apache-2.0
// Where time runs in the tensors of a graph. It starts at the axes that it is set to and spreads,
// with and against the data, along walks and the axis groups of ops/axes.h until nothing changes.
// Refers to the graph's nodes, changes none.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/ops/axes.h"

namespace weft::graph {

using ops::AxisGroup;
using ops::AxisRelation;
using ops::Delay;
using ops::PortAxis;
using ops::RunningSum;
using ops::Selection;

// Of a tensor: the extent of `axis` is outer * T * chunk. `outer` is not 1 where a batch axis was
// flattened into it, `chunk` where one step covers several elements.
struct TimeAxis {
  int64_t axis = 0, outer = 1, chunk = 1;
};

// A tensor of which each step of a walk reads or writes `chunk` places of an axis.
struct Stride {
  PortAxis at;
  int64_t chunk = 1;
};

// "{file}:{line}: layer ...: needs the whole sequence (WHAT); --streaming must be able to cut
// time".
void RefuseToCut(const ir::Graph& graph, const ir::Node& node, const std::string& what,
                 Faults& faults);

class TimeAxes {
 public:
  TimeAxes(ir::Graph& graph, int64_t steps, Faults& faults);

  int64_t steps() const { return steps_; }
  // Null where no time runs.
  const TimeAxis* Of(const ir::Source& source) const;
  const AxisRelation& Relation(const ir::Node* node) const { return relations_.at(node); }
  // In the place of what the operation says of itself; before Spread.
  void SetRelation(const ir::Node* node, AxisRelation relation) {
    relations_[node] = std::move(relation);
  }
  const std::vector<ir::Node*>& nodes() const { return nodes_; }

  // The node walks these tensors step by step: time runs along all of the strides or none.
  void AddWalk(const ir::Node& node, const std::vector<Stride>& strides);
  // Does time run along one of these strides of the node?
  bool RunsAlong(ir::Node& node, const std::vector<Stride>& strides) const;
  // A second time axis in one tensor is a fault of `node`.
  void Set(const ir::Source& source, TimeAxis time, const ir::Node& node);
  void Spread();
  // Behind Spread: 1, or by what the number of steps must be divided so that every tensor has whole
  // places for a step.
  int64_t divisor() const { return divisor_; }

 private:
  bool SpreadAt(ir::Node& node);
  bool SpreadThroughWalk(ir::Node& node, const std::vector<Stride>& strides);
  void CheckTogether(ir::Node& node);
  bool SpreadThroughReshape(ir::Node& node);
  bool SpreadThroughDelay(ir::Node& node, const Delay& delay);
  struct Side {
    ir::Source tensor;
    int64_t places;  // that belong together with so many of the other side
  };
  bool SpreadAtRates(ir::Node& node, int64_t axis, const Side& from, const Side& to);
  bool Join(const ir::Source& source, TimeAxis time, const ir::Node& node);
  // With so many of its steps together.
  std::optional<TimeAxis> Reshaped(const ir::Source& from, const ir::Source& to,
                                   int64_t together = 1) const;
  int64_t StepsTogether(const ir::Source& from, const ir::Source& to) const;
  // Elements before one step of time, and in one step.
  std::pair<int64_t, int64_t> Place(const ir::Source& source, const TimeAxis& time) const;

  ir::Graph& graph_;
  const int64_t steps_;
  Faults& faults_;
  int64_t divisor_ = 1;
  std::vector<ir::Node*> nodes_;  // producers first
  std::map<const ir::Node*, AxisRelation> relations_;
  std::map<const ir::Node*, std::vector<Stride>> strides_;  // of walks
  std::map<std::pair<const ir::Node*, uint32_t>, TimeAxis> times_;
};

bool IsTransposition(const ir::Node& node);

// Does time run through one of the node's tensors?
bool HasTime(const TimeAxes& times, ir::Node& node);

// The one of a relation's delays along that axis, or null.
const Delay* DelayAlong(const AxisRelation& relation, int64_t axis);

// The tensor at a port of a node.
ir::Source TensorAt(ir::Node& node, const PortAxis& at);
const Dims& DimsOf(const ir::Source& source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_
