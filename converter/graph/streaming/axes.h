// SPDX-License-Identifier: Apache-2.0
// Finds the time axis of every tensor of a graph. Starts at the axes given to Set. Propagates along
// and against the data flow, through time loops and the axis groups of ops/axes.h, until nothing
// changes. References the graph's nodes and does not change them.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_

#include <cstdint>
#include <map>
#include <optional>
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

// The time axis of a tensor: `steps` steps have `chunk` elements along `axis`, outer times. `outer`
// is not 1 if a batch axis was flattened into it; `chunk` is not 1 if one step has several
// elements. chunk / steps is reduced; FitStep makes `steps` 1.
struct TimeAxis {
  int64_t axis = 0, outer = 1, chunk = 1, steps = 1;
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

// Where time stops. kCausal: at operations that read later positions or change the number of steps.
// kAhead: time also runs through windows, borders and slices along it, so that tensors may have a
// fractional number of steps, and extents that differ from those of all steps.
enum class TimeReach { kCausal, kAhead };

class TimeAxes {
 public:
  // `steps` is the number of steps of the graph, 0 if it is unknown.
  TimeAxes(ir::Graph& graph, int64_t steps, TimeReach reach = TimeReach::kCausal);

  int64_t steps() const { return steps_; }
  // Returns null if the tensor has no time axis, or no integer number of elements per step.
  const TimeAxis* Of(const ir::Source& source) const;
  // The extent of a tensor along its time axis.
  int64_t Extent(const ir::Source& source) const;
  // Returns true if the time axis of a tensor has the elements of all steps, and no others.
  bool HasAllSteps(const ir::Source& source) const;
  const AxisRelation& Relation(const ir::Node* node) const { return relations_.at(node); }
  // Replaces the axis relation of the operation. Call it before Spread.
  void SetRelation(const ir::Node* node, AxisRelation relation) {
    relations_[node] = std::move(relation);
  }
  const std::vector<ir::Node*>& nodes() const { return nodes_; }
  // Tensors with a second time axis, at the node where it was found.
  const Faults& faults() const { return faults_; }

  // The node iterates over these tensors step by step: time runs along all of the strides or none.
  void AddTimeLoop(const ir::Node& node, const std::vector<Stride>& strides);
  // Returns true if time runs along one of these strides of the node.
  bool RunsAlong(ir::Node& node, const std::vector<Stride>& strides) const;
  // Sets the time axis of a tensor.
  void Set(const ir::Source& source, TimeAxis time, const ir::Node& node);
  void Spread();
  // Valid after Spread: the minimum number of steps with an integer number of elements in every
  // tensor, of iterations in every time loop and of blocks in every operation.
  int64_t StepsTogether() const;
  // Makes the step the minimum of that kind. Returns false if this does not divide the steps.
  bool FitStep();

  // Returns the axes of input 0 along which windows and borders may read later positions, with the
  // blocks that they take and give. They may have a delay along that axis, if they look back.
  std::vector<Delay> AheadOf(ir::Node& node) const;
  // Returns the positions that a slice of kAhead keeps along the time axis of input 0, as an axis.
  std::optional<Selection> CropOf(ir::Node& node) const;

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;

  const TimeAxis* Found(const ir::Source& source) const;
  bool SpreadAt(ir::Node& node);
  bool SpreadThroughTimeLoop(ir::Node& node, const std::vector<Stride>& strides);
  bool SpreadThroughReshape(ir::Node& node);
  // `take` elements of axis `axis` of input 0 correspond to `give` elements of the output.
  bool SpreadThroughBlocks(ir::Node& node, int64_t axis, int64_t take, int64_t give);
  bool SpreadAhead(ir::Node& node);
  bool Join(const ir::Source& source, TimeAxis time, const ir::Node& node);
  // Returns the time axis after a reshape.
  std::optional<TimeAxis> Reshaped(const ir::Source& from, const ir::Source& to) const;
  bool DividesAlike(const ir::Source& source, const TimeAxis& a, const TimeAxis& b) const;
  // Per step, the elements of tensors, the iterations of time loops, and the blocks of operations.
  std::vector<TimeAxis> Rates() const;

  ir::Graph& graph_;
  int64_t steps_;
  const TimeReach reach_;
  Faults faults_;
  std::vector<ir::Node*> nodes_;  // in topological order
  std::map<const ir::Node*, AxisRelation> relations_;
  std::map<const ir::Node*, std::vector<Stride>> strides_;  // of time loops
  std::map<Key, TimeAxis> times_;
};

bool IsTransposition(const ir::Node& node);

// Returns true if one of the node's tensors has a time axis.
bool HasTime(const TimeAxes& times, ir::Node& node);

// Returns true if the operation processes each position of the axis independently.
bool IsInGroup(const AxisRelation& relation, const PortAxis& at);

// Returns the relation's delay along that axis, or null.
const Delay* DelayAlong(const AxisRelation& relation, int64_t axis);

// Returns the tensor at a port of a node.
ir::Source TensorAt(ir::Node& node, const PortAxis& at);
const Dims& DimsOf(const ir::Source& source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_AXES_H_
