// SPDX-License-Identifier: Apache-2.0
// The time axes of a graph together with the loops over time.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_TIME_MAP_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_TIME_MAP_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/look_backs.h"
#include "converter/graph/streaming/rewrites.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct TimeMap {
  TimeAxes axes;
  std::vector<TimeLoop> loops;
  bool has_steps = true;  // false if the number of steps is unknown; a fault then has the reason
  // Time loops that cannot be streamed, and tensors with two time axes.
  Faults faults = {};
  std::set<const ir::Node*> lengths = {};  // of the graph before it was delayed (delay_graph.h)

  const TimeLoop* LoopOf(const ir::Node& node) const;
  // Iterations of the loop per step.
  int64_t IterationsPerStep(const TimeLoop& loop) const;
};

// Maps time in a rewritten graph. Time starts at the seeds; without seeds at time loops; without
// time loops at the operations that most likely look back along time. Takes back borders along
// other axes, and converts starts along time to shifts.
TimeMap MapTime(const Rewritten& rewritten, const TimeSeeds& seeds);

// Returns true if operations may read later positions: time ends at a window, border, slice or
// concatenation along it, a tensor has an incomplete step, or no operation looks back along time.
// If false, no tensor needs latency.
bool LooksAhead(const TimeMap& map);

// Maps time in a rewritten graph whose operations may look ahead (TimeReach::kAhead). Without seeds
// and time loops, time starts at the axis along which operations look back or ahead. Returns
// nullopt if time would run along two axes of a tensor or at two rates, or if a time loop cannot be
// streamed.
std::optional<TimeMap> MapAhead(const Rewritten& rewritten, const TimeSeeds& seeds);

// Returns the motion of the operations from which time starts without seeds (look_backs.h).
Motion LikeliestMotion(const Rewritten& rewritten);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_TIME_MAP_H_
