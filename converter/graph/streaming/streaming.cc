// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/streaming.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/base/visible.h"
#include "converter/graph/input_states.h"
#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/aligned_positions.h"
#include "converter/graph/streaming/attention.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/bodies.h"
#include "converter/graph/streaming/bound.h"
#include "converter/graph/streaming/branches.h"
#include "converter/graph/streaming/caches.h"
#include "converter/graph/streaming/counters.h"
#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/early.h"
#include "converter/graph/streaming/first_steps.h"
#include "converter/graph/streaming/kept_states.h"
#include "converter/graph/streaming/keys.h"
#include "converter/graph/streaming/late_masks.h"
#include "converter/graph/streaming/latency.h"
#include "converter/graph/streaming/length_values.h"
#include "converter/graph/streaming/lengths.h"
#include "converter/graph/streaming/look_backs.h"
#include "converter/graph/streaming/pads.h"
#include "converter/graph/streaming/pasts.h"
#include "converter/graph/streaming/ports.h"
#include "converter/graph/streaming/position.h"
#include "converter/graph/streaming/resize.h"
#include "converter/graph/streaming/rewrites.h"
#include "converter/graph/streaming/rounding.h"
#include "converter/graph/streaming/shifts.h"
#include "converter/graph/streaming/starts.h"
#include "converter/graph/streaming/states.h"
#include "converter/graph/streaming/time_choice.h"
#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr const char* kShapeSetsIt = ", which only --shape can set";

class Streaming {
 public:
  Streaming(ir::Graph& graph, const StreamOptions& options, TimeSeeds seeds, const Folding& folding,
            Faults& faults)
      : graph_(graph),
        steps_(options.steps),
        is_open_(options.is_open),
        observe_(options.observe),
        seeds_(std::move(seeds)),
        folding_(folding),
        faults_(faults) {}

  std::optional<Streamed> Run() {
    if (!Prepare()) return std::nullopt;
    const TimeAxes& times = *times_;
    const AlignedPositions positions(graph_, times);
    const int64_t min_past_bytes = MinPastBytes(times, positions);
    const std::vector<SharedPast> pasts = PastsOf(times, positions);
    streamed_.receptive_steps = ReceptiveSteps(graph_, times, attentions_);
    States states(graph_, times, steps_);
    KeepRounding(graph_, times, steps_);
    for (const EarlyUse& use : early_uses_) states.KeepFirst(*use.node, use.input);
    for (ir::Node* node : times.nodes()) CutBodies(times, *node, steps_);
    Resize(graph_, times, steps_);
    states.KeepPasts(pasts);
    for (ir::Node* node : times.nodes()) states.KeepSum(*node);
    for (ir::Node* node : times.nodes()) states.KeepNumbers(*node, numbers_);
    states.CountOn(tables_, attentions_);
    states.KeepLateSteps();
    for (TimeLoop& time_loop : time_loops_) {
      Shorten(graph_, time_loop, steps_ * PerStep(time_loop));
      for (const Carried& state : time_loop.states) {
        if (!kept_.carried.contains({time_loop.node, &state})) states.KeepCarried(time_loop, state);
      }
    }
    states.WritePasts();
    for (const std::unique_ptr<ir::Node>& node : graph_.nodes) {
      for (ir::OutputPort& port : node->outputs) {
        port.declared = true;
        port.doubled.clear();
      }
    }
    RejoinConstants(graph_);
    DescribePorts(graph_, times, steps_, streamed_);
    streamed_.has_tables = !tables_.empty();
    streamed_.states = states.all();
    streamed_.min_state_bytes = min_past_bytes;
    for (const StreamedState& state : streamed_.states) {
      if (!state.is_past) streamed_.min_state_bytes += state.bytes;
    }
    return std::move(streamed_);
  }

  bool asks_too_many() const { return asks_too_many_; }  // more steps than the model has
  // Returns the result of streaming with at most steps_ per run. The graph is of no further use.
  TriedTime Try() {
    is_trial_ = true;
    TriedTime tried;
    tried.is_sound = Prepare();
    if (!tried.is_sound && seeds_.empty()) {
      tried.motion = motion_;
    } else if (times_) {
      tried.motion = time_loops_.empty() ? MotionAlong(*times_, attentions_) : Motion::kTimeLoops;
      tried.is_channels = IsChannelsOfWindows(*times_);
      tried.has_weights = RunsThroughWeights(*times_);
    }
    for (size_t i = 0; times_ && i < graph_.parameters.size(); ++i) {
      const TimeAxis* time = times_->Of({graph_.parameters[i], 0});
      if (time != nullptr) tried.inputs.push_back({false, i, time->axis});
    }
    return tried;
  }

 private:
  // Finds the time axis, and everything that prevents streaming.
  bool Prepare() {
    const size_t before = faults_.lines().size();
    Rewritten rewritten{graph_, is_open_ ? &folding_ : nullptr};
    Rewrite(rewritten, is_trial_ ? PartObserver<ir::Graph>() : observe_);
    attentions_ = std::move(rewritten.attentions);
    ahead_ = std::move(rewritten.ahead);
    filled_ = std::move(rewritten.filled);
    if (!ReadTimeLoops() || !CountPositions() || !MapTime()) return false;
    const TimeAxes& times = *times_;
    for (const std::string& line : times.faults().lines()) faults_.Add(line);
    KeepTimeLoopsOverTime(times);
    lengths_ = is_open_ ? ConstantsOfOpenLength(graph_, folding_)
                        : ConstantsOfLength(graph_, times, folding_);
    CheckCounters();
    kept_ = KeptStatesOf(graph_, time_loops_);
    // A sequence of one step is always complete.
    if (times.steps() > 1) Check(times);
    return faults_.lines().size() == before;
  }

  bool ReadTimeLoops();
  bool CountPositions();
  void KeepTimeLoopsOverTime(const TimeAxes& times);
  bool MapTime();
  bool FitSteps(TimeAxes& times);
  bool FitRun();
  bool HasRates() const;
  bool TakeBackFills(const TimeAxes& times);
  TimeAxes Spread();
  int64_t PerStep(const TimeLoop& time_loop) const { return time_loop.steps / whole_steps_; }
  void CountSteps(const ir::Node& node, int64_t steps);
  void CountSteps(const std::string& of, int64_t steps);
  void CheckCounters();
  bool CheckExtents(const TimeAxes& times);
  void Check(const TimeAxes& times);
  void CheckLengths(const TimeAxes& times, ir::Node& node);
  bool MayReadLength(const TimeAxes& times, ir::Node& node, size_t input) const;
  void CheckAttention(const TimeAxes& times, const CausalAttention& attention);
  void CheckOrder(const TimeAxes& times, ir::Node& node);
  void CheckPort(const TimeAxes& times, ir::Node& node, const PortAxis& at, const TimeAxis& time);
  void CheckLate(const TimeAxes& times);
  bool IsLate(const TimeAxes& times, ir::Node& node, uint32_t port) const;
  const TimeLoop* TimeLoopOf(const ir::Node& node) const;

  ir::Graph& graph_;
  int64_t steps_;
  const bool is_open_;  // T steps (ir/time_length.h)
  const PartObserver<ir::Graph> observe_;
  const TimeSeeds seeds_;
  const Folding& folding_;
  Faults& faults_;
  bool is_trial_ = false;
  bool asks_too_many_ = false;
  std::optional<TimeAxes> times_;
  Motion motion_ = Motion::kNone;  // the most likely one
  std::vector<FilledWindow> filled_;
  std::vector<TimeLoop> time_loops_;
  std::map<const ir::Node*, Faults>
      time_loop_faults_;  // faults of loops that need not be time loops
  std::vector<CausalAttention> attentions_;
  std::vector<const ir::Node*> ahead_;  // attentions that are not known to be causal
  std::vector<LookBack> look_backs_;    // of a model without time loops and seeds
  int64_t whole_steps_ = 0;             // of the full model
  std::string counts_;                  // numbers of steps, with their layers
  std::vector<int64_t> counted_;        // the same numbers
  KeptStates kept_;
  std::map<const ir::Node*, Numbering> numbers_;  // constants that number steps
  std::vector<Table> tables_;                     // other constants that differ from step to step
  std::vector<EarlyUse> early_uses_;
  std::set<const ir::Node*> lengths_;  // constants that depend on the total number of steps
  Streamed streamed_;
};

void Streaming::CountSteps(const ir::Node& node, int64_t steps) {
  CountSteps(fmt::format("layer {} \"{}\"", node.id, OneLine(node.name)), steps);
}

void Streaming::CountSteps(const std::string& of, int64_t steps) {
  counts_ += fmt::format("{}{} {}", counts_.empty() ? "" : ", ", of, steps);
  counted_.push_back(steps);
}

// Restores borders along other axes; returns true if there were any.
bool Streaming::TakeBackFills(const TimeAxes& times) {
  const auto others = std::ranges::partition(
      filled_, [&](const FilledWindow& window) { return IsOverTime(times, window); });
  for (FilledWindow& window : others) TakeBack(window);
  const bool took = !others.empty();
  filled_.erase(others.begin(), others.end());
  return took;
}

TimeAxes Streaming::Spread() {
  TimeAxes times(graph_, whole_steps_);
  for (const TimeLoop& time_loop : time_loops_)
    times.AddTimeLoop(*time_loop.node, time_loop.strides);
  for (const CausalAttention& attention : attentions_) {
    for (auto& [node, relation] : RelationsOf(graph_, attention)) {
      times.SetRelation(node, std::move(relation));
    }
  }
  for (const PortAxis& seed : seeds_) {
    const ir::Source tensor = PortTensor(graph_, seed);
    const int64_t positions = DimsOf(tensor)[static_cast<size_t>(seed.axis)];
    times.Set(tensor, {seed.axis, 1, positions / whole_steps_}, *tensor.node);
  }
  for (const LookBack& back : look_backs_) {
    times.Set(back.node->inputs[0], {back.axis, 1, back.positions() / whole_steps_}, *back.node);
  }
  for (const TimeLoop& time_loop : time_loops_) {
    if (!seeds_.empty()) break;
    for (const Stride& stride : time_loop.strides) {
      const TimeAxis time = {stride.at.axis, 1, stride.chunk * PerStep(time_loop)};
      times.Set(TensorAt(*time_loop.node, stride.at), time, *time_loop.node);
    }
  }
  times.Spread();
  return times;
}

// Returns true if a step has several positions of a counted axis.
bool Streaming::HasRates() const {
  const auto several = [](const auto& back) { return back.take > 1; };
  return *std::ranges::max_element(counted_) > 1 || std::ranges::any_of(look_backs_, several);
}

// Maps time. Changes of the graph that depend on its axis require a new map.
bool Streaming::MapTime() {
  if (whole_steps_ == 0) return FitRun();
  for (bool changed = true; changed;) {
    TimeAxes& times = times_.emplace(Spread());
    if (!FitSteps(times)) return false;
    changed = TakeBackFills(times);
    changed = StartsToShifts(graph_, times) || changed;
  }
  return FitRun();
}

// Determines the number of steps: the maximum with an integer number of positions per step in every
// tensor.
bool Streaming::FitSteps(TimeAxes& times) {
  if (!times.FitStep()) {
    const int64_t together = times.StepsTogether();
    faults_.Add(
        fmt::format("{}: the time axis has {} steps; must be a multiple of {}, because a layer "
                    "processes {} at a time",
                    graph_.file, whole_steps_, together, together));
    return false;
  }
  whole_steps_ = times.steps();
  if (whole_steps_ == 1 && HasRates()) {
    faults_.Add(
        fmt::format("{}: the time axis has only one step ({}); --streaming must have at "
                    "least 2",
                    graph_.file, counts_));
    return false;
  }
  return true;
}

// Checks the number of steps per run.
bool Streaming::FitRun() {
  if (is_trial_) steps_ = std::min(steps_, whole_steps_);
  if (steps_ >= 1 && steps_ <= whole_steps_) return true;
  asks_too_many_ = true;
  faults_.Add(TooManySteps(graph_, steps_, whole_steps_));
  return false;
}

bool Streaming::ReadTimeLoops() {
  for (ir::Node* node : ir::Topological(graph_)) {
    Faults& faults = seeds_.empty() ? faults_ : time_loop_faults_[node];
    std::optional<TimeLoop> time_loop = ReadTimeLoop(graph_, *node, faults);
    if (time_loop) time_loops_.push_back(std::move(*time_loop));
  }
  if (!time_loops_.empty()) motion_ = Motion::kTimeLoops;
  if (!time_loops_.empty() || !seeds_.empty()) return true;
  LookBacks look_backs = LookBacksIn(graph_, attentions_);
  motion_ = look_backs.motion;
  look_backs_ = std::move(look_backs.likeliest);
  if (!look_backs_.empty()) return true;
  faults_.Add(NoLookBackFault(graph_));
  for (const ir::Node* node : ahead_) {
    RefuseToCut(graph_, *node, "no constant mask excludes later positions", faults_);
  }
  return false;
}

// Counts the steps of all axes from which time starts.
bool Streaming::CountPositions() {
  for (const PortAxis& seed : seeds_) {
    CountSteps(fmt::format("{} \"{}\"", seed.output ? "output" : "input", PortName(graph_, seed)),
               DimsOf(PortTensor(graph_, seed))[static_cast<size_t>(seed.axis)]);
  }
  for (const LookBack& back : look_backs_) CountSteps(*back.node, back.positions() / back.take);
  if (seeds_.empty()) {
    for (const TimeLoop& time_loop : time_loops_) CountSteps(*time_loop.node, time_loop.steps);
  }
  whole_steps_ = *std::ranges::min_element(counted_);
  const auto fits = [&](int64_t steps) { return steps % whole_steps_ == 0; };
  if (whole_steps_ == 0 || std::ranges::all_of(counted_, fits)) return true;
  faults_.Add(
      fmt::format("{}: time axes have different numbers of steps ({}); must be equal, or "
                  "multiples of the smallest number",
                  graph_.file, counts_));
  return false;
}

// A time loop over another axis is an ordinary operation.
void Streaming::KeepTimeLoopsOverTime(const TimeAxes& times) {
  std::erase_if(time_loops_, [&](const TimeLoop& time_loop) {
    return !times.RunsAlong(*time_loop.node, time_loop.strides);
  });
  for (const TimeLoop& time_loop : time_loops_) {
    for (const std::string& line : time_loop_faults_[time_loop.node].lines()) faults_.Add(line);
  }
}

const TimeLoop* Streaming::TimeLoopOf(const ir::Node& node) const {
  const auto found = std::ranges::find(time_loops_, &node, &TimeLoop::node);
  return found == time_loops_.end() ? nullptr : &*found;
}

void Streaming::CheckCounters() {
  for (const TimeLoop& time_loop : time_loops_) {
    if (!ir::Iterates(*time_loop.node)) continue;
    std::set<size_t> lengths;
    for (size_t i = 0; i < time_loop.node->inputs.size(); ++i) {
      if (lengths_.contains(time_loop.node->inputs[i].node)) lengths.insert(i);
    }
    RefuseCounters(graph_, *time_loop.node, lengths, faults_);
  }
}

// A node may read the number of steps as a trip count, or as an extent of a tensor with time,
// because these are replaced.
bool Streaming::MayReadLength(const TimeAxes& times, ir::Node& node, size_t input) const {
  if (times.Of(node.inputs[input]) != nullptr) return false;
  if (const TimeLoop* time_loop = TimeLoopOf(node)) {
    return ir::Iterates(node) || input == 1 + time_loop->states.size();
  }
  const AxisRelation& relation = times.Relation(&node);
  if (relation.selects) return input > 0 && times.Of(node.inputs[0]) != nullptr;
  return (relation.reshapes || relation.stretches) && input > 0 && times.Of({&node, 0}) != nullptr;
}

void Streaming::CheckLengths(const TimeAxes& times, ir::Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ir::Node* input = node.inputs[i].node;
    if (!lengths_.contains(input) || MayReadLength(times, node, i)) continue;
    // Masks are streamed with their attention; tables are valid for any number of steps.
    if (!is_open_ && IsMask(attentions_, node)) continue;
    if (std::ranges::find(tables_, input, &Table::node) != tables_.end()) continue;
    RefuseToCut(graph_, node,
                fmt::format("input {} is computed from the total number of steps{}", i,
                            is_open_ ? kShapeSetsIt : ""),
                faults_);
  }
}

// Returns true if every tensor with time has an integer number of positions per step.
bool Streaming::CheckExtents(const TimeAxes& times) {
  bool fit = true;
  for (ir::Node* node : times.nodes()) {
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      const TimeAxis* time = times.Of({node, port});
      if (time == nullptr) continue;
      const int64_t positions = DimsOf({node, port})[static_cast<size_t>(time->axis)];
      if (positions == time->outer * time->chunk * times.steps()) continue;
      RefuseToCut(
          graph_, *node,
          fmt::format("output {} has {} positions for {} steps", port, positions, times.steps()),
          faults_);
      fit = false;
    }
  }
  return fit;
}

void Streaming::Check(const TimeAxes& times) {
  if (!CheckExtents(times)) return;
  for (ir::Node* node : times.nodes()) {
    CheckLengths(times, *node);
    if (ir::IsReadValue(*node) && !kept_.reads.contains(node)) {
      const bool is_declared = node->attributes.contains(kDeclaredState);
      RefuseToCut(graph_, *node,
                  fmt::format("it reads variable \"{}\" once for all steps{}", VariableOf(*node),
                              is_declared ? ", so --state must not name it" : ""),
                  faults_);
    }
    if (TimeLoopOf(*node) == nullptr && HoldsVariables(*node)) {
      RefuseToCut(graph_, *node, "its body reads a variable once for all steps", faults_);
    }
    CheckOrder(times, *node);
    RefuseLengthsInBodies(times, *node, folding_, faults_);
    const TimeAxis* delayed = DelayOverTime(times, *node) ? times.Of(node->inputs[0]) : nullptr;
    if (delayed == nullptr && SumOverTime(times, *node) != nullptr)
      delayed = times.Of(node->inputs[0]);
    if (delayed != nullptr && delayed->outer != 1) {
      RefuseToCut(graph_, *node, "its time axis is flattened into a batch", faults_);
    }
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const TimeAxis* time = times.Of(node->inputs[i]);
      if (time != nullptr) CheckPort(times, *node, {false, i, time->axis}, *time);
    }
    for (size_t i = 0; i < node->outputs.size(); ++i) {
      const TimeAxis* time = times.Of({node, Narrow32(i, "output")});
      if (time != nullptr) CheckPort(times, *node, {true, i, time->axis}, *time);
    }
  }
  for (const CausalAttention& attention : attentions_) CheckAttention(times, attention);
  CheckLate(times);
  early_uses_ = EarlyUses(times, time_loops_);
}

void Streaming::CheckAttention(const TimeAxes& times, const CausalAttention& attention) {
  if (!RunsAlong(times, attention)) return;
  if (times.Of({attention.scores, 0})->outer != 1) {
    RefuseToCut(graph_, *attention.scores, "its time axis is flattened into a batch", faults_);
  }
  const Reach& reach = attention.reach;
  if (!is_open_ || reach.past + reach.period < attention.positions) return;
  RefuseToCut(graph_, *attention.scores,
              "it attends to all earlier steps, whose number only --shape can limit", faults_);
}

// Refuses sums whose order would change.
void Streaming::CheckOrder(const TimeAxes& times, ir::Node& node) {
  const std::optional<int64_t> axis = AxisOutOfOrder(times, node, steps_);
  if (!axis || times.Relation(&node).keeps_order) return;
  RefuseToCut(graph_, node,
              fmt::format("it sums over axis {} with the time axis inside, which rounds "
                          "differently for a single step",
                          *axis),
              faults_);
}

void Streaming::CheckPort(const TimeAxes& times, ir::Node& node, const PortAxis& at,
                          const TimeAxis& time) {
  const bool is_port = ir::IsParameter(node) || ir::IsResult(node);
  if (is_port && time.outer != 1) {
    return RefuseToCut(graph_, node, "its time axis is flattened into a batch", faults_);
  }
  if (node.constant) {
    const auto count = [&] { numbers_[&node] = NumberingOf(node, time.axis).value(); };
    if (IsOpenNumbering(node) && time.outer == 1) return count();
    if (node.constant->type != node.outputs[0].type) {
      return RefuseToCut(graph_, node, "it has a value for each pair of steps", faults_);
    }
    if (IsAlikeAtEveryStep(*node.constant, time, times.steps())) return;
    if (IsLateMask(node)) return;
    if (!is_open_ && time.outer == 1 && NumberingOf(node, time.axis)) return count();
    // Only floats, because indices would select steps of another tensor.
    const bool is_table = !is_open_ && time.outer == 1 && IsFloat(node.constant->type.type);
    if (is_table) return tables_.push_back({&node, *node.constant, time});
    return RefuseToCut(
        graph_, node,
        is_open_ ? fmt::format("its value depends on the total number of steps{}", kShapeSetsIt)
                 : "its value differs from step to step",
        faults_);
  }
  if (const TimeLoop* time_loop = TimeLoopOf(node)) {
    const auto stride = std::ranges::find(time_loop->strides, at, &Stride::at);
    if (stride != time_loop->strides.end() && time.outer == 1 &&
        time.chunk == stride->chunk * PerStep(*time_loop)) {
      return;
    }
    return RefuseToCut(graph_, node,
                       fmt::format("the time steps of input {} differ from its own", at.port),
                       faults_);
  }
  const AxisRelation& relation = times.Relation(&node);
  if (relation.reshapes && at.port == 0) {
    const PortAxis other = {!at.output, 0, 0};
    if (times.Of(TensorAt(node, other)) != nullptr) return;
  }
  const bool apart = std::ranges::any_of(relation.groups, [&](const AxisGroup& group) {
    return std::ranges::find(group, at) != group.end();
  });
  const bool goes_on =
      DelayAlong(relation, at.axis) != nullptr || (relation.sum && relation.sum->axis == at.axis);
  const bool has_delay = (at.output || at.port == 0) && goes_on;
  if (apart || has_delay) return;
  const auto selection = std::ranges::find(relation.selections, at.axis, &Selection::axis);
  if (at.output || at.port != 0 || selection == relation.selections.end()) {
    return RefuseToCut(graph_, node, "it " + relation.reason, faults_);
  }
  if (TakesLastStep(*selection, time, times.steps()) || FirstStepIn(times, node)) return;
  RefuseToCut(graph_, node,
              fmt::format("it selects positions [{}, {}) of {} along time", selection->begin,
                          selection->end, time.outer * times.steps() * time.chunk),
              faults_);
}

// Returns true if `port` depends on the final step and none of its producers does.
bool Streaming::IsLate(const TimeAxes& times, ir::Node& node, uint32_t port) const {
  if (times.Of({&node, port}) != nullptr || !HasTime(times, node)) return false;
  if (TimeLoopOf(node) != nullptr) return true;
  return !times.Relation(&node).selections.empty() && FirstStepIn(times, node) == nullptr;
}

// Refuses nodes that combine a value known only after the last step with earlier steps.
void Streaming::CheckLate(const TimeAxes& times) {
  std::set<std::pair<const ir::Node*, uint32_t>> late;
  for (ir::Node* node : times.nodes()) {
    const bool reads_late = std::ranges::any_of(node->inputs, [&](const ir::Source& source) {
      return late.contains({source.node, source.port});
    });
    if (reads_late && HasTime(times, *node)) {
      RefuseToCut(graph_, *node, "it depends on the final step of the sequence", faults_);
      continue;
    }
    for (uint32_t port = 0; port < node->outputs.size(); ++port) {
      if (reads_late || IsLate(times, *node, port)) late.insert({node, port});
    }
  }
}

// Streams a model with added latency, if this makes it possible.
std::optional<Streamed> StreamLate(ir::Graph& graph, const StreamOptions& options,
                                   const TimeSeeds& seeds, const Folding& folding, Faults& faults) {
  const std::optional<int64_t> all_steps = AddLookaheadLatency(graph, seeds, folding, faults);
  if (!all_steps) return std::nullopt;
  Faults of_late;
  std::optional<Streamed> streamed = Streaming(graph, options, seeds, folding, of_late).Run();
  for (const std::string& line : of_late.lines()) faults.Add(line);
  return streamed && streamed->all_steps == *all_steps ? streamed : std::nullopt;
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
  MergePeeledFirstStep(graph, folding);
  const auto attempt = [&](const TimeSeeds& seeds) {
    const std::unique_ptr<ir::Graph> copy = ir::CopyOf(graph);
    Faults discarded;
    // The time axis does not depend on the number of steps per run.
    StreamOptions tried = options;
    tried.steps = seeds.empty() ? INT64_MAX : 1;
    return Streaming(*copy, tried, seeds, folding, discarded).Try();
  };
  std::optional<TimeSeeds> seeds = options.time_axes.empty()
                                       ? ChooseTime(graph, attempt, faults)
                                       : NamedTime(graph, options.time_axes, faults);
  if (!seeds) return std::nullopt;
  const std::unique_ptr<ir::Graph> late = ir::CopyOf(graph);
  Faults found, too_far;
  Streaming streaming(graph, options, *seeds, folding, found);
  std::optional<Streamed> streamed = streaming.Run();
  if (streamed) return streamed;
  streamed = StreamLate(*late, options, *seeds, folding, too_far);
  if (streamed) {
    graph = std::move(*late);
    return streamed;
  }
  if (!advice.empty()) {
    faults.Add(advice);
    return std::nullopt;
  }
  const bool says_first = too_far.ok() || streaming.asks_too_many();
  for (const std::string& line : says_first ? found.lines() : too_far.lines()) faults.Add(line);
  return std::nullopt;
}

}  // namespace weft::graph
