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

// Time in a rewritten graph, and everything that prevents streaming along it.
struct Analysis {
  std::optional<TimeMap> map;  // absent if the number of steps is unknown
  Kept kept;
  Faults faults;

  bool is_sound() const { return map && faults.ok(); }
};

// Returns the analysis of time from these seeds. `steps` per run; nullopt: all steps.
Analysis Analyse(const Rewritten& rewritten, const TimeSeeds& seeds, std::optional<int64_t> steps,
                 const StreamOptions& options, const Folding& folding) {
  Faults faults;
  std::optional<TimeMap> map = MapTime(rewritten, seeds, faults);
  if (!map) return {std::nullopt, {}, std::move(faults)};
  const int64_t all = map->axes.steps(), per_run = steps.value_or(all);
  Kept kept;
  if (per_run >= 1 && per_run <= all) {
    kept = Check(rewritten, *map, per_run, options.is_open, folding, faults);
  } else {
    faults.Add(TooManySteps(rewritten.graph, per_run, all));
  }
  return {std::move(map), std::move(kept), std::move(faults)};
}

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
  // The time axis does not depend on the number of steps per run.
  const std::optional<int64_t> steps = seeds.empty() ? std::nullopt : std::optional<int64_t>(1);
  const Analysis analysis = Analyse(rewritten, seeds, steps, options, folding);
  tried.is_sound = analysis.is_sound();
  if (!analysis.map) return tried;
  const TimeAxes& axes = analysis.map->axes;
  if (tried.is_sound || !seeds.empty()) {
    tried.motion =
        analysis.map->loops.empty() ? MotionAlong(axes, rewritten.attentions) : Motion::kTimeLoops;
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

// Streams the graph with latency, if operations look ahead. Returns nullopt without faults if
// latency does not help.
std::optional<Streamed> StreamLate(const Rewritten& rewritten, const TimeSeeds& seeds,
                                   const StreamOptions& options, const Folding& folding,
                                   Faults& faults) {
  const std::optional<int64_t> all_steps = AddLookaheadLatency(rewritten, seeds, folding, faults);
  if (!all_steps) return std::nullopt;
  Rewritten late{rewritten.graph, rewritten.folding};
  Rewrite(late, options.observe);
  Analysis analysis = Analyse(late, seeds, options.steps, options, folding);
  for (const std::string& line : analysis.faults.lines()) faults.Add(line);
  if (!analysis.is_sound() || analysis.map->axes.steps() != *all_steps) return std::nullopt;
  return ToStreaming(late, *analysis.map, analysis.kept, options);
}

}  // namespace

std::string TooManySteps(const ir::Graph& graph, int64_t steps, int64_t max) {
  return fmt::format("--streaming: has {} steps per run and {} has {}; must be from 1 to {}", steps,
                     graph.file, max, max);
}

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
  Analysis analysis = Analyse(rewritten, *seeds, options.steps, options, folding);
  if (analysis.is_sound()) return ToStreaming(rewritten, *analysis.map, analysis.kept, options);
  Faults of_latency;
  std::optional<Streamed> streamed = StreamLate(rewritten, *seeds, options, folding, of_latency);
  if (streamed) return streamed;
  if (!advice.empty()) {
    faults.Add(advice);
    return std::nullopt;
  }
  const Faults& found = of_latency.ok() ? analysis.faults : of_latency;
  const std::string window = AdviceForOneWindow(graph);
  if (!window.empty() && LikeliestMotion(rewritten) >= Motion::kAround) faults.Add(window);
  for (const std::string& line : found.lines()) faults.Add(line);
  return std::nullopt;
}

}  // namespace weft::graph
