// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/streaming.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/canonical/canonical.h"
#include "converter/graph/canonical/pads.h"
#include "converter/graph/canonical/shifts.h"
#include "converter/graph/reroll/peel.h"
#include "converter/graph/streaming/aligned_positions.h"
#include "converter/graph/streaming/bodies.h"
#include "converter/graph/streaming/bound.h"
#include "converter/graph/streaming/check.h"
#include "converter/graph/streaming/delay_graph.h"
#include "converter/graph/streaming/look_backs.h"
#include "converter/graph/streaming/parts.h"
#include "converter/graph/streaming/pasts.h"
#include "converter/graph/streaming/resize.h"
#include "converter/graph/streaming/rewrites.h"
#include "converter/graph/streaming/rounding.h"
#include "converter/graph/streaming/states.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/graph/streaming/time_map.h"
#include "converter/ir/time_length.h"

namespace weft::graph {
namespace {

// Restores the operations of a graph when it is destroyed, and removes new nodes.
class Restoring {
 public:
  explicit Restoring(ir::Graph& graph) : graph_(graph) {
    for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
      saved_.push_back(
          {node->type, node->version, node->attributes, node->inputs, node->operation});
    }
  }
  ~Restoring() {
    for (size_t i = 0; i < saved_.size(); ++i) {
      ir::Node& node = *graph_.nodes[i];
      Saved& saved = saved_[i];
      node.type = std::move(saved.type);
      node.version = std::move(saved.version);
      node.attributes = std::move(saved.attributes);
      node.inputs = std::move(saved.inputs);
      node.operation = saved.operation;
    }
    graph_.nodes.resize(saved_.size());
  }
  Restoring(const Restoring&) = delete;
  Restoring& operator=(const Restoring&) = delete;

 private:
  struct Saved {
    std::string type, version;
    std::map<std::string, std::string> attributes;
    std::vector<ir::Source> inputs;
    const ops::Operation* operation;
  };
  ir::Graph& graph_;
  std::vector<Saved> saved_;
};

// Returns the result of streaming along these axes, without changing the graph.
TriedTime Try(const Rewritten& rewritten, const TimeSeeds& seeds, const StreamOptions& options,
              const Folding& folding) {
  const Restoring restoring(rewritten.graph);
  TriedTime tried;
  if (seeds.empty()) tried.motion = LikeliestMotion(rewritten);
  TimeMap map = MapTime(rewritten, seeds);
  if (!map.has_steps) return tried;
  const TimeAxes& axes = map.axes;
  if (!LooksAhead(map)) {
    // The time axis does not depend on the number of steps per run.
    const int64_t steps = seeds.empty() ? axes.steps() : 1;
    Faults faults;
    Check(rewritten, map, steps, options.is_open, folding, faults);
    tried.is_sound = faults.ok();
  }
  if (tried.is_sound || !seeds.empty()) {
    tried.motion = map.loops.empty() ? MotionAlong(axes, rewritten.attentions) : Motion::kTimeLoops;
    tried.is_channels = IsChannelsOfWindows(axes);
    tried.has_weights = RunsThroughWeights(axes);
  }
  for (size_t i = 0; i < rewritten.graph.parameters.size(); ++i) {
    const TimeAxis* time = axes.Of({rewritten.graph.parameters[i], 0});
    if (time != nullptr) tried.inputs.push_back({false, i, time->axis});
  }
  return tried;
}

// Returns true if all input axes of T steps are time.
bool AreOpenAxesTime(const ir::Graph& graph, const TimeAxes& times) {
  return std::ranges::all_of(graph.parameters, [&](ir::Node* parameter) {
    const ir::Source input = {parameter, 0};
    const uint32_t open = ir::OpenAxes(input);
    const TimeAxis* time = times.Of(input);
    return open == 0 || (time != nullptr && open == uint32_t{1} << time->axis);
  });
}

// Converts a graph without faults. States of a batch of T elements would exceed memory, so such a
// graph is not converted.
Streamed ToStreaming(const Rewritten& rewritten, TimeMap& map, const Kept& kept,
                     const StreamOptions& options) {
  ir::Graph& graph = rewritten.graph;
  const TimeAxes& times = map.axes;
  if (!AreOpenAxesTime(graph, times)) return {};
  const int64_t steps = options.steps;
  Streamed streamed;
  streamed.steps = steps;
  // The number that stands for T is no property of the model.
  if (!options.is_open) streamed.all_steps = times.steps();
  const AlignedPositions positions(graph, times);
  streamed.min_state_bytes = MinPastBytes(times, positions);
  const std::vector<SharedPast> pasts = PastsOf(times, positions);
  streamed.receptive_steps = ReceptiveSteps(graph, times, rewritten.attentions);
  States states(graph, times, steps);
  KeepRounding(graph, times, steps);
  for (const EarlyUse& use : kept.early_uses) states.KeepFirst(*use.node, use.input);
  for (ir::Node* node : times.nodes()) CutBodies(times, *node, steps);
  Resize(graph, times, steps);
  states.KeepPasts(pasts);
  for (ir::Node* node : times.nodes()) states.KeepSum(*node);
  for (ir::Node* node : times.nodes()) states.KeepNumbers(*node, kept.numbers);
  states.CountOn(kept.tables, rewritten.attentions);
  states.KeepLateSteps();
  for (TimeLoop& loop : map.loops) {
    Shorten(graph, loop, steps * (loop.steps / times.steps()));
    for (const Carried& state : loop.states) {
      if (!kept.states.carried.contains({loop.node, &state})) states.KeepCarried(loop, state);
    }
  }
  states.WritePasts();
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    for (ir::OutputPort& port : node->outputs) {
      port.declared = true;
      port.doubled.clear();
    }
  }
  RejoinConstants(graph);
  DescribePorts(graph, times, streamed);
  streamed.has_tables = !kept.tables.empty();
  streamed.states = states.all();
  for (const StreamedState& state : streamed.states) {
    if (!state.is_past) streamed.min_state_bytes += state.bytes;
  }
  return streamed;
}

// Maps time. If operations look ahead, delays the tensors of the graph before, so that they look
// back. Adds a fault for each operation that cannot be delayed.
TimeMap MapWithLatency(Rewritten& rewritten, const TimeSeeds& seeds, const StreamOptions& options,
                       const Folding& folding, Faults& faults) {
  TimeMap map = MapTime(rewritten, seeds);
  if (!LooksAhead(map)) return map;
  std::optional<DelayedGraph> result = AddLookaheadLatency(rewritten, seeds, folding, faults);
  if (!result) return map;
  Rewrite(rewritten, options.observe);
  TimeMap delayed = MapTime(rewritten, seeds);
  // Latencies count these steps.
  if (result->steps != 0 && delayed.has_steps && delayed.axes.steps() != result->steps) {
    delayed.faults.Add(fmt::format("{}: the time axis has {} steps with latency; must be {}",
                                   rewritten.graph.file, delayed.axes.steps(), result->steps));
  }
  delayed.lengths = std::move(result->lengths);
  return delayed;
}

}  // namespace

std::optional<Streamed> Stream(ir::Graph& graph, const StreamOptions& options,
                               const Folding& folding, Faults& faults) {
  const std::string advice = AdviceForCaches(graph);
  TakeKnownBranches(graph);
  SplitShortTime(graph);
  MergePeeledSteps(graph, Peeled::kAll, folding);
  Rewritten rewritten{graph, options.is_open ? &folding : nullptr};
  Rewrite(rewritten, options.observe);
  const auto attempt = [&](const TimeSeeds& seeds) {
    return Try(rewritten, seeds, options, folding);
  };
  const std::optional<TimeSeeds> seeds = options.time_axes.empty()
                                             ? ChooseTime(graph, attempt, faults)
                                             : NamedTime(graph, options.time_axes, faults);
  if (!seeds) return std::nullopt;
  Faults found;
  TimeMap map = MapWithLatency(rewritten, *seeds, options, folding, found);
  Kept kept;
  if (found.ok()) kept = Check(rewritten, map, options.steps, options.is_open, folding, found);
  if (found.ok()) return ToStreaming(rewritten, map, kept, options);
  if (!advice.empty()) {
    faults.Add(advice);
    return std::nullopt;
  }
  const std::string window = AdviceForOneWindow(graph);
  if (!window.empty() && LikeliestMotion(rewritten) >= Motion::kAround) faults.Add(window);
  for (const std::string& line : found.lines()) faults.Add(line);
  return std::nullopt;
}

}  // namespace weft::graph
