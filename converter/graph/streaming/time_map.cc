// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/time_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "converter/base/visible.h"
#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/early.h"
#include "converter/graph/streaming/parts.h"
#include "converter/graph/streaming/resize.h"

namespace weft::graph {
namespace {

int64_t ExtentAt(const ir::Graph& graph, const PortAxis& seed) {
  return DimsOf(PortTensor(graph, seed))[static_cast<size_t>(seed.axis)];
}

struct LoopCandidates {
  std::vector<TimeLoop> loops;
  std::map<const ir::Node*, Faults> faults;  // reasons that prevent streaming

  explicit LoopCandidates(const ir::Graph& graph) {
    for (ir::Node* node : ir::Topological(graph)) {
      std::optional<TimeLoop> loop = ReadTimeLoop(graph, *node, faults[node]);
      if (loop) loops.push_back(std::move(*loop));
    }
  }
  // Returns the loops over time. A loop over another axis is an ordinary operation.
  std::vector<TimeLoop> Over(const TimeAxes& axes) const {
    std::vector<TimeLoop> over;
    std::ranges::copy_if(loops, std::back_inserter(over), [&](const TimeLoop& loop) {
      return axes.RunsAlong(*loop.node, loop.strides);
    });
    return over;
  }
};

// Sets the axis relations of loops and attentions, which those of their operations do not have.
void SetRelations(const Rewritten& rewritten, const LoopCandidates& candidates, TimeAxes& axes) {
  for (const TimeLoop& loop : candidates.loops) axes.AddTimeLoop(*loop.node, loop.strides);
  for (const CausalAttention& attention : rewritten.attentions) {
    for (auto& [node, relation] : RelationsOf(rewritten.graph, attention)) {
      axes.SetRelation(node, std::move(relation));
    }
  }
}

// An axis from which time starts, and its number of steps.
struct Start {
  std::string of;
  ir::Node* node;
  std::vector<Stride> strides;  // of the node, with the elements of a step
  int64_t steps;
  int64_t take = 1;  // elements that a window consumes per output
};

std::string NameOf(const ir::Node& node) {
  return fmt::format("layer {} \"{}\"", node.id, OneLine(node.name));
}

class TimeMapping {
 public:
  TimeMapping(const Rewritten& rewritten, const TimeSeeds& seeds)
      : rewritten_(rewritten), graph_(rewritten.graph), seeds_(seeds), candidates_(graph_) {}

  TimeMap Run() {
    if (!FindStarts() || !CountSteps()) return WithoutSteps(TimeAxes(graph_, 0));
    std::vector<FilledWindow> filled = rewritten_.filled;
    for (;;) {
      TimeAxes axes = Spread();
      if (!FitStep(axes)) return WithoutSteps(std::move(axes));
      const bool took = TakeBackFills(filled, axes);
      if (!StartsToShifts(graph_, axes) && !took) return Checked(std::move(axes));
    }
  }

 private:
  bool FindStarts();
  bool CountSteps();
  TimeAxes Spread() const;
  bool FitStep(TimeAxes& axes);
  bool TakeBackFills(std::vector<FilledWindow>& filled, const TimeAxes& axes);
  TimeMap Checked(TimeAxes axes);
  TimeMap WithoutSteps(TimeAxes axes) { return {std::move(axes), {}, false, std::move(faults_)}; }
  std::string Counts() const;

  const Rewritten& rewritten_;
  ir::Graph& graph_;
  const TimeSeeds& seeds_;
  Faults faults_;
  LoopCandidates candidates_;
  std::vector<Start> starts_;
  int64_t steps_ = 0;  // of the full model
};

bool TimeMapping::FindStarts() {
  for (const PortAxis& seed : seeds_) {
    const ir::Source tensor = PortTensor(graph_, seed);
    starts_.push_back(
        {fmt::format("{} \"{}\"", seed.output ? "output" : "input", PortName(graph_, seed)),
         tensor.node,
         {{{true, tensor.port, seed.axis}, 1}},
         ExtentAt(graph_, seed)});
  }
  if (!starts_.empty()) return true;
  for (const TimeLoop& loop : candidates_.loops) {
    for (const std::string& line : candidates_.faults[loop.node].lines()) faults_.Add(line);
    starts_.push_back({NameOf(*loop.node), loop.node, loop.strides, loop.steps});
  }
  if (!starts_.empty()) return true;
  for (const LookBack& back : LookBacksIn(graph_, rewritten_.attentions).likeliest) {
    starts_.push_back({NameOf(*back.node),
                       back.node,
                       {{{false, 0, back.axis}, back.take}},
                       back.positions() / back.take,
                       back.take});
  }
  if (!starts_.empty()) return true;
  faults_.Add(NoLookBackFault(graph_));
  for (const ir::Node* node : rewritten_.ahead) {
    RefuseToCut(graph_, *node, "no constant mask excludes later positions", faults_);
  }
  return false;
}

std::string TimeMapping::Counts() const {
  std::vector<std::string> counts;
  for (const Start& start : starts_) counts.push_back(fmt::format("{} {}", start.of, start.steps));
  return fmt::format("{}", fmt::join(counts, ", "));
}

bool TimeMapping::CountSteps() {
  steps_ = std::ranges::min_element(starts_, {}, &Start::steps)->steps;
  const auto fits = [&](const Start& start) { return start.steps % steps_ == 0; };
  if (steps_ == 0) {
    faults_.Add(fmt::format("{}: the time axis has no steps ({}); --streaming must have at least 1",
                            graph_.file, Counts()));
    return false;
  }
  if (std::ranges::all_of(starts_, fits)) return true;
  faults_.Add(
      fmt::format("{}: time axes have different numbers of steps ({}); must be equal, or "
                  "multiples of the smallest number",
                  graph_.file, Counts()));
  return false;
}

TimeAxes TimeMapping::Spread() const {
  TimeAxes axes(graph_, steps_);
  SetRelations(rewritten_, candidates_, axes);
  for (const Start& start : starts_) {
    for (const Stride& stride : start.strides) {
      const TimeAxis time = {stride.at.axis, 1, stride.chunk * (start.steps / steps_)};
      axes.Set(TensorAt(*start.node, stride.at), time, *start.node);
    }
  }
  axes.Spread();
  return axes;
}

// Determines the number of steps: the maximum with an integer number of elements per step in every
// tensor.
bool TimeMapping::FitStep(TimeAxes& axes) {
  if (!axes.FitStep()) {
    const int64_t together = axes.StepsTogether();
    faults_.Add(
        fmt::format("{}: the time axis has {} steps; must be a multiple of {}, because a layer "
                    "processes {} at a time",
                    graph_.file, steps_, together, together));
    return false;
  }
  steps_ = axes.steps();
  const auto has_more = [](const Start& start) { return start.steps > 1 || start.take > 1; };
  if (steps_ > 1 || std::ranges::none_of(starts_, has_more)) return true;
  faults_.Add(
      fmt::format("{}: the time axis has only one step ({}); --streaming must have at least 2, "
                  "which a longer input has (--shape)",
                  graph_.file, Counts()));
  return false;
}

// Restores borders along other axes; returns true if there were any.
bool TimeMapping::TakeBackFills(std::vector<FilledWindow>& filled, const TimeAxes& axes) {
  const auto others = std::ranges::partition(
      filled, [&](const FilledWindow& window) { return IsOverTime(axes, window); });
  for (const FilledWindow& window : others) TakeBack(graph_, window);
  const bool took = !others.empty();
  filled.erase(others.begin(), others.end());
  return took;
}

TimeMap TimeMapping::Checked(TimeAxes axes) {
  for (const std::string& line : axes.faults().lines()) faults_.Add(line);
  std::vector<TimeLoop> loops = candidates_.Over(axes);
  for (const TimeLoop& loop : loops) {
    for (const std::string& line : candidates_.faults[loop.node].lines()) faults_.Add(line);
  }
  return {std::move(axes), std::move(loops), true, std::move(faults_)};
}

// Returns true if time ends at the node, because it reads later positions. Such a node is refused
// unless its inputs are delayed.
bool EndsAhead(const TimeAxes& times, ir::Node& node) {
  if (node.constant || node.inputs.empty() || node.outputs.empty()) return false;
  const AxisRelation& relation = times.Relation(&node);
  const auto ends = [&](const PortAxis& at) {
    const TimeAxis* time = times.Of(TensorAt(node, at));
    return time != nullptr && time->axis == at.axis && DelayAlong(relation, at.axis) == nullptr &&
           !IsInGroup(relation, at);
  };
  const auto ends_at = [&](int64_t axis) {
    return ends({false, 0, axis}) || ends({true, 0, axis});
  };
  if (std::ranges::any_of(times.AheadOf(node), ends_at, &Delay::axis)) return true;
  for (size_t i = 0; ops::TraitsOf(node).joins && i < node.inputs.size(); ++i) {
    const TimeAxis *in = times.Of(node.inputs[i]), *out = times.Of({&node, 0});
    if (in != nullptr && ends({false, i, in->axis})) return true;
    if (out != nullptr && ends({true, 0, out->axis})) return true;
  }
  return std::ranges::any_of(relation.selections, [&](const Selection& part) {
    if (!ends({false, 0, part.axis})) return ends({true, 0, part.axis});
    return !TakesLastStep(part, *times.Of(node.inputs[0]), times.steps()) &&
           FirstStepIn(times, node) == nullptr;
  });
}

// Elements of each seed correspond to those of the first one.
void StartAtSeeds(const ir::Graph& graph, const TimeSeeds& seeds, TimeAxes& axes) {
  for (const PortAxis& seed : seeds) {
    const int64_t extent = ExtentAt(graph, seed), first = ExtentAt(graph, seeds[0]);
    if (std::min(extent, first) == 0) continue;
    const ir::Source tensor = PortTensor(graph, seed);
    axes.Set(tensor, {seed.axis, 1, extent, first}, *tensor.node);
  }
}

// Other loops are reached from the first one, or have the same number of steps.
void StartAtLoops(const std::vector<TimeLoop>& loops, TimeAxes& axes) {
  for (const TimeLoop& loop : loops) {
    if (loop.steps != loops[0].steps) continue;
    for (const Stride& stride : loop.strides) {
      axes.Set(TensorAt(*loop.node, stride.at), {stride.at.axis, 1, stride.chunk}, *loop.node);
    }
  }
}

// Returns true if all operations of the highest rank agree on the axis. Windows over both axes of
// an image do not.
bool Agree(const std::vector<LookBack>& backs, const TimeAxes& axes) {
  return std::ranges::all_of(backs, [&](const LookBack& back) {
    const TimeAxis* time = axes.Of(back.node->inputs[0]);
    return time == nullptr || time->axis == back.axis;
  });
}

}  // namespace

const TimeLoop* TimeMap::LoopOf(const ir::Node& node) const {
  const auto found = std::ranges::find(loops, &node, &TimeLoop::node);
  return found == loops.end() ? nullptr : &*found;
}

int64_t TimeMap::IterationsPerStep(const TimeLoop& loop) const {
  const Stride& stride = loop.strides[0];
  return axes.Of(TensorAt(*loop.node, stride.at))->chunk / stride.chunk;
}

TimeMap MapTime(const Rewritten& rewritten, const TimeSeeds& seeds) {
  return TimeMapping(rewritten, seeds).Run();
}

bool LooksAhead(const TimeMap& map) {
  const TimeAxes& times = map.axes;
  if (!map.has_steps || times.steps() == 1) return !map.has_steps;
  return std::ranges::any_of(times.nodes(), [&](ir::Node* node) {
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const ir::Source output = {node, port};
      if (times.Of(output) != nullptr && !times.HasAllSteps(output)) return true;
    }
    return EndsAhead(times, *node);
  });
}

std::optional<TimeMap> MapAhead(const Rewritten& rewritten, const TimeSeeds& seeds) {
  ir::Graph& graph = rewritten.graph;
  LoopCandidates candidates(graph);
  TimeAxes axes(graph, 0, TimeReach::kAhead);
  SetRelations(rewritten, candidates, axes);
  std::vector<LookBack> backs;
  StartAtSeeds(graph, seeds, axes);
  if (seeds.empty()) StartAtLoops(candidates.loops, axes);
  if (seeds.empty() && candidates.loops.empty()) {
    backs = LookBacksIn(graph, rewritten.attentions, TimeReach::kAhead).likeliest;
    if (backs.empty()) return std::nullopt;
    axes.Set(backs[0].node->inputs[0], {backs[0].axis}, *backs[0].node);
  }
  axes.Spread();
  axes.FitStep();
  std::vector<TimeLoop> loops = candidates.Over(axes);
  const bool can_stream = std::ranges::all_of(loops, [&](const TimeLoop& loop) {
    return candidates.faults[loop.node].ok() &&
           axes.Of(TensorAt(*loop.node, loop.strides[0].at)) != nullptr;
  });
  if (!can_stream || !axes.faults().ok() || !Agree(backs, axes)) return std::nullopt;
  return TimeMap{std::move(axes), std::move(loops)};
}

Motion LikeliestMotion(const Rewritten& rewritten) {
  if (!LoopCandidates(rewritten.graph).loops.empty()) return Motion::kTimeLoops;
  return LookBacksIn(rewritten.graph, rewritten.attentions).motion;
}

}  // namespace weft::graph
