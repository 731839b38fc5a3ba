// SPDX-License-Identifier: Apache-2.0
// Finds the time axis in a graph whose tensors may have a fractional number of steps. Windows
// without padding and slices remove positions at the ends; borders add some. Each tensor has its
// own extent and a rate, the number of positions per step.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_FLOWS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_FLOWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The reduced fraction `positions` / `of`.
struct Rate {
  int64_t positions = 1, of = 1;
  Rate Times(int64_t factor, int64_t divisor) const;
  bool operator==(const Rate&) const = default;
};

struct Flow {
  int64_t axis = 0;
  Rate rate;
};

class Flows {
 public:
  // Time starts at the seeds. Without seeds it starts at the strides of time loops; without time
  // loops, at the axis along which operations look back or ahead.
  Flows(ir::Graph& graph, const TimeSeeds& seeds);

  // Returns false if time would run along two axes of a tensor or at two rates, or if a time loop
  // cannot be streamed.
  bool sound() const { return sound_; }
  bool empty() const { return flows_.empty(); }
  const Flow* Of(const ir::Source& source) const;
  void Set(const ir::Source& source, const Flow& flow);
  const AxisRelation& Relation(const ir::Node* node) const { return relations_.at(node); }
  const std::vector<ir::Node*>& nodes() const { return nodes_; }
  const std::vector<TimeLoop>& time_loops() const { return time_loops_; }
  const TimeLoop* TimeLoopOf(const ir::Node& node) const;
  // Extent of a tensor along its time axis.
  int64_t Extent(const ir::Source& source) const;
  // Returns the positions of a tensor per step. A step is the minimum with an integer number of
  // positions in every tensor.
  int64_t PositionsPerStep(const ir::Source& source) const;
  // Iterations of the time loop per step.
  int64_t IterationsPerStep(const TimeLoop& time_loop) const;

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;

  void ReadSeeds(const TimeSeeds& seeds);
  void ReadTimeLoops();
  void StartAtTimeLoops();
  void ReadWindows();
  bool RunsAlong(const TimeLoop& time_loop) const;
  void KeepTimeLoopsOverTime();
  void CheckAnchors();
  void Spread();
  void SpreadAt(ir::Node& node);
  void SpreadThroughTimeLoop(const TimeLoop& time_loop);
  void SpreadThroughReshape(ir::Node& node);
  // Propagates along axis `axis` of input 0 and output 0: `of_input` positions correspond to
  // `of_output`.
  void SpreadBoth(ir::Node& node, int64_t axis, int64_t of_input, int64_t of_output);
  void FindStep();

  ir::Graph& graph_;
  bool sound_ = true, changed_ = false;
  std::vector<ir::Node*> nodes_;  // in topological order
  std::map<const ir::Node*, AxisRelation> relations_;
  std::vector<TimeLoop> time_loops_;
  std::map<const ir::Node*, Faults> time_loop_faults_;
  std::map<Key, Flow> flows_;
  std::vector<std::pair<ir::Source, int64_t>> anchors_;  // starts outside of time loops
  Rate step_;                                            // steps per unit of the rate
};

// Returns the positions of input 0 along its time axis that a slice keeps as an axis; else nullopt.
std::optional<Selection> CropOf(const Flows& flows, ir::Node& node);

// The effect of a reshape on an axis: `from_positions` positions become `to_positions` positions of
// axis `axis` of `to`.
struct Regrouping {
  int64_t axis = 0, from_positions = 1, to_positions = 1;
};
std::optional<Regrouping> RegroupingOf(const Dims& from, int64_t axis, const Dims& to);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_FLOWS_H_
