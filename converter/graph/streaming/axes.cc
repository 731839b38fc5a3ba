// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "converter/base/narrow.h"
#include "converter/graph/canonical/borders.h"
#include "converter/graph/streaming/bodies.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

// Returns the time axis of a tensor with give / take times the elements per step.
TimeAxis Scaled(const TimeAxis& time, int64_t give, int64_t take) {
  const int64_t chunk = time.chunk * give, steps = time.steps * take;
  const int64_t common = std::max<int64_t>(std::gcd(chunk, steps), 1);
  return {time.axis, time.outer, chunk / common, steps / common};
}

TimeAxis Along(int64_t axis, TimeAxis time) {
  time.axis = axis;
  return time;
}

}  // namespace

ir::Source TensorAt(ir::Node& node, const PortAxis& at) {
  return at.output ? ir::Source{&node, Narrow32(at.port, "output")} : node.inputs[at.port];
}

const Dims& DimsOf(const ir::Source& source) { return TypeOf(source).dims; }

bool IsTransposition(const ir::Node& node) {
  return node.operation != nullptr && !node.constant && node.operation->name == "Transpose";
}

bool HasTime(const TimeAxes& times, ir::Node& node) {
  const auto runs = [&](const ir::Source& source) { return times.Of(source) != nullptr; };
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    if (runs({&node, port})) return true;
  }
  return std::ranges::any_of(node.inputs, runs);
}

bool IsInGroup(const AxisRelation& relation, const PortAxis& at) {
  return std::ranges::any_of(relation.groups, [&](const AxisGroup& group) {
    return std::ranges::find(group, at) != group.end();
  });
}

const Delay* DelayAlong(const AxisRelation& relation, int64_t axis) {
  const auto found = std::ranges::find(relation.delays, axis, &Delay::axis);
  return found == relation.delays.end() ? nullptr : &*found;
}

void RefuseToCut(const ir::Graph& graph, const ir::Node& node, const std::string& what,
                 Faults& faults) {
  faults.Add(fmt::format(
      "{}: needs the full sequence ({}); --streaming must be able to run it step by step",
      ir::Where(graph, node), what));
}

TimeAxes::TimeAxes(ir::Graph& graph, int64_t steps, TimeReach reach)
    : graph_(graph), steps_(steps), reach_(reach), nodes_(ir::Topological(graph)) {
  for (ir::Node* node : nodes_) {
    AxisRelation& relation = relations_[node] = ops::RelationOf(graph, *node);
    if (!node->bodies.empty()) relation.reason = "has a body that may combine time steps";
    for (AxisGroup& group : AxesThroughBodies(*node)) relation.groups.push_back(std::move(group));
  }
}

const TimeAxis* TimeAxes::Found(const ir::Source& source) const {
  const auto found = times_.find({source.node, source.port});
  return found == times_.end() ? nullptr : &found->second;
}

const TimeAxis* TimeAxes::Of(const ir::Source& source) const {
  const TimeAxis* time = Found(source);
  return time == nullptr || time->steps != 1 ? nullptr : time;
}

int64_t TimeAxes::Extent(const ir::Source& source) const {
  return DimsOf(source)[static_cast<size_t>(Found(source)->axis)];
}

bool TimeAxes::HasAllSteps(const ir::Source& source) const {
  const TimeAxis& time = *Found(source);
  return Extent(source) == time.outer * time.chunk * steps_;
}

// Axes of extent 1 have no defined position: time axes are equal if they divide the elements
// equally, into those before a step and those in a step.
bool TimeAxes::DividesAlike(const ir::Source& source, const TimeAxis& a, const TimeAxis& b) const {
  const Dims& dims = DimsOf(source);
  const auto before = [&](const TimeAxis& time) {
    return ops::ProductOf(dims, 0, static_cast<size_t>(time.axis)) * time.outer;
  };
  const auto in_step = [&](const TimeAxis& time) {
    return time.chunk * ops::ProductOf(dims, static_cast<size_t>(time.axis) + 1, dims.size());
  };
  return before(a) == before(b) && in_step(a) * b.steps == in_step(b) * a.steps;
}

bool TimeAxes::Join(const ir::Source& source, TimeAxis time, const ir::Node& node) {
  const auto [found, added] = times_.try_emplace({source.node, source.port}, time);
  if (added || DividesAlike(source, found->second, time)) return added;
  const bool is_product = IsCalled(node, "MatMul") || IsCalled(node, "Einsum");
  RefuseToCut(graph_, node,
              fmt::format("time runs along axis {} of {} and along axis {}{}", found->second.axis,
                          ToString(DimsOf(source)), time.axis,
                          is_product ? ", as in attention without a causal mask" : ""),
              faults_);
  return false;
}

void TimeAxes::Set(const ir::Source& source, TimeAxis time, const ir::Node& node) {
  Join(source, Scaled(time, 1, 1), node);
}

void TimeAxes::Spread() {
  for (bool changed = true; changed;) {
    changed = false;
    for (ir::Node* node : nodes_) changed = SpreadAt(*node) || changed;
  }
}

bool TimeAxes::SpreadAt(ir::Node& node) {
  const AxisRelation& relation = relations_[&node];
  if (relation.reshapes) return SpreadThroughReshape(node);
  bool changed = false;
  if (const auto time_loop = strides_.find(&node); time_loop != strides_.end()) {
    changed = SpreadThroughTimeLoop(node, time_loop->second);
  }
  for (const AxisGroup& group : relation.groups) {
    for (const PortAxis& from : group) {
      const TimeAxis* time = Found(TensorAt(node, from));
      if (time == nullptr || time->axis != from.axis) continue;
      const TimeAxis joined = *time;
      for (const PortAxis& to : group) {
        changed = Join(TensorAt(node, to), Along(to.axis, joined), node) || changed;
      }
      break;
    }
  }
  for (const Delay& delay : relation.delays) {
    changed = SpreadThroughBlocks(node, delay.axis, delay.take, delay.give) || changed;
  }
  if (relation.sum) changed = SpreadThroughBlocks(node, relation.sum->axis, 1, 1) || changed;
  return (reach_ == TimeReach::kAhead && SpreadAhead(node)) || changed;
}

std::vector<Delay> TimeAxes::AheadOf(ir::Node& node) const {
  std::vector<Delay> ahead;
  for (const ops::Windows& windows : Relation(&node).windows) {
    const int64_t take = windows.spread ? 1 : windows.stride;
    const int64_t give = windows.spread ? windows.stride : 1;
    ahead.push_back({.axis = windows.axis, .take = take, .give = give});
  }
  const std::optional<Border> border = BorderOf(graph_, node);
  for (size_t axis = 0; border && axis < border->begin.size(); ++axis) {
    if (border->begin[axis] == 0 && border->end[axis] == 0) continue;
    ahead.push_back({.axis = static_cast<int64_t>(axis)});
  }
  return ahead;
}

bool TimeAxes::SpreadAhead(ir::Node& node) {
  bool changed = false;
  for (const Delay& ahead : AheadOf(node)) {
    changed = SpreadThroughBlocks(node, ahead.axis, ahead.take, ahead.give) || changed;
  }
  const std::optional<Selection> crop = CropOf(node);
  return (crop && SpreadThroughBlocks(node, crop->axis, 1, 1)) || changed;
}

void TimeAxes::AddTimeLoop(const ir::Node& node, const std::vector<Stride>& strides) {
  strides_[&node] = strides;
}

bool TimeAxes::RunsAlong(ir::Node& node, const std::vector<Stride>& strides) const {
  return std::ranges::any_of(strides, [&](const Stride& stride) {
    const TimeAxis* time = Found(TensorAt(node, stride.at));
    return time != nullptr && time->axis == stride.at.axis;
  });
}

bool TimeAxes::SpreadThroughTimeLoop(ir::Node& node, const std::vector<Stride>& strides) {
  bool changed = false;
  for (const Stride& from : strides) {
    const TimeAxis* time = Found(TensorAt(node, from.at));
    if (time == nullptr || time->axis != from.at.axis || time->outer != 1 || from.chunk == 0) {
      continue;
    }
    const TimeAxis iterations = Scaled(*time, 1, from.chunk);
    for (const Stride& to : strides) {
      const TimeAxis along = Scaled(Along(to.at.axis, iterations), to.chunk, 1);
      changed = Join(TensorAt(node, to.at), along, node) || changed;
    }
  }
  return changed;
}

// The number of elements per step may differ between the input and the output. Further outputs with
// the same dims, such as indices of maxima, have the same time axis.
bool TimeAxes::SpreadThroughBlocks(ir::Node& node, int64_t axis, int64_t take, int64_t give) {
  const ir::Source in = node.inputs[0];
  bool changed = false;
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const ir::Source out = {&node, port};
    if (DimsOf(out) != DimsOf({&node, 0})) continue;
    const TimeAxis* before = Found(in);
    if (before != nullptr && before->axis == axis) {
      changed = Join(out, Scaled(*before, give, take), node) || changed;
    }
    const TimeAxis* after = Found(out);
    if (after != nullptr && after->axis == axis) {
      changed = Join(in, Scaled(*after, take, give), node) || changed;
    }
  }
  return changed;
}

bool TimeAxes::SpreadThroughReshape(ir::Node& node) {
  const ir::Source in = node.inputs[0], out = {&node, 0};
  bool changed = false;
  for (const auto& [from, to] : {std::pair(in, out), std::pair(out, in)}) {
    const std::optional<TimeAxis> time = Found(from) ? Reshaped(from, to) : std::nullopt;
    if (time) changed = Join(to, *time, node) || changed;
  }
  return changed;
}

// Returns the axis of `to` with the same number of elements before a step and in a step. If a step
// has no integer number of elements on any axis, returns the one where the fewest steps have.
std::optional<TimeAxis> TimeAxes::Reshaped(const ir::Source& from, const ir::Source& to) const {
  const TimeAxis& time = *Found(from);
  const Dims &in = DimsOf(from), &out = DimsOf(to);
  const auto at = static_cast<size_t>(time.axis);
  const bool is_exact = in[at] * time.steps == time.outer * steps_ * time.chunk;
  if (!is_exact && reach_ == TimeReach::kCausal) return std::nullopt;
  const int64_t before = ops::ProductOf(in, 0, at) * time.outer;
  const int64_t within = ops::ProductOf(in, at + 1, in.size());
  std::optional<TimeAxis> found;
  int64_t outside = 1, inside = ElementCount(out).value_or(0);
  for (size_t axis = 0; axis < out.size() && inside > 0; outside *= out[axis], ++axis) {
    inside /= out[axis];
    const int64_t outer = before / outside;
    if (before % outside != 0 || out[axis] % outer != 0) continue;
    TimeAxis next = Scaled(time, within, inside);
    next.axis = static_cast<int64_t>(axis);
    next.outer = outer;
    if (next.steps > time.steps && out[axis] < 2 * outer * next.chunk) continue;
    if (!found || next.steps < found->steps) found = next;
  }
  return found;
}

std::vector<TimeAxis> TimeAxes::Rates() const {
  std::vector<TimeAxis> rates;
  for (const auto& [tensor, time] : times_) rates.push_back(time);
  const auto add = [&](const ir::Source& tensor, int64_t axis, int64_t elements) {
    const TimeAxis* time = Found(tensor);
    if (time != nullptr && time->axis == axis && elements > 0) {
      rates.push_back(Scaled(*time, 1, elements));
    }
  };
  for (ir::Node* node : nodes_) {
    const AxisRelation& relation = relations_.at(node);
    add({node, 0}, relation.together.axis, relation.together.positions);
    for (const Delay& delay : relation.delays) add(node->inputs[0], delay.axis, delay.take);
    if (const auto loop = strides_.find(node); loop != strides_.end()) {
      for (const Stride& stride : loop->second) {
        add(TensorAt(*node, stride.at), stride.at.axis, stride.chunk);
      }
    }
  }
  return rates;
}

int64_t TimeAxes::StepsTogether() const {
  int64_t together = 1;
  for (const TimeAxis& rate : Rates()) together = std::lcm(together, rate.steps);
  return together;
}

bool TimeAxes::FitStep() {
  const int64_t together = StepsTogether();
  if (steps_ % together != 0) return false;
  int64_t common = 0;
  for (const TimeAxis& rate : Rates()) {
    common = std::gcd(common, rate.chunk * (together / rate.steps));
  }
  common = std::max<int64_t>(common, 1);
  steps_ = steps_ / together * common;
  for (auto& [tensor, time] : times_) time = Scaled(time, together, common);
  return true;
}

std::optional<Selection> TimeAxes::CropOf(ir::Node& node) const {
  if (node.constant || node.inputs.empty() || node.outputs.size() != 1) return std::nullopt;
  if (DimsOf(node.inputs[0]).size() != DimsOf({&node, 0}).size()) return std::nullopt;
  for (const Selection& selection : Relation(&node).selections) {
    const TimeAxis *before = Found(node.inputs[0]), *after = Found({&node, 0});
    const TimeAxis* time = before != nullptr ? before : after;
    if (time == nullptr || time->axis != selection.axis) continue;
    const bool is_last = selection.end - selection.begin == 1 && after == nullptr;
    if (!is_last) return selection;
  }
  return std::nullopt;
}

}  // namespace weft::graph
