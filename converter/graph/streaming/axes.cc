// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "converter/base/narrow.h"
#include "converter/graph/streaming/bodies.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {

ir::Source TensorAt(ir::Node& node, const PortAxis& at) {
  return at.output ? ir::Source{&node, Narrow32(at.port, "output")} : node.inputs[at.port];
}

const Dims& DimsOf(const ir::Source& source) { return source.node->outputs[source.port].type.dims; }

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

TimeAxes::TimeAxes(ir::Graph& graph, int64_t steps, Faults& faults)
    : graph_(graph), steps_(steps), faults_(faults), nodes_(ir::Topological(graph)) {
  for (ir::Node* node : nodes_) {
    AxisRelation& relation = relations_[node] = ops::RelationOf(graph, *node);
    for (AxisGroup& group : AxesThroughBodies(*node)) relation.groups.push_back(std::move(group));
  }
}

const TimeAxis* TimeAxes::Of(const ir::Source& source) const {
  const auto found = times_.find({source.node, source.port});
  return found == times_.end() ? nullptr : &found->second;
}

std::pair<int64_t, int64_t> TimeAxes::Position(const ir::Source& source,
                                               const TimeAxis& time) const {
  const Dims& dims = DimsOf(source);
  const auto at = static_cast<size_t>(time.axis);
  return {ops::ProductOf(dims, 0, at) * time.outer,
          time.chunk * ops::ProductOf(dims, at + 1, dims.size())};
}

// Time axes are equal if they divide the elements equally: axes of extent 1 have no defined
// position.
bool TimeAxes::Join(const ir::Source& source, TimeAxis time, const ir::Node& node) {
  const auto [found, added] = times_.try_emplace({source.node, source.port}, time);
  if (added || Position(source, found->second) == Position(source, time)) return added;
  RefuseToCut(graph_, node,
              fmt::format("time runs along axis {} of {} and along axis {}", found->second.axis,
                          ToString(DimsOf(source)), time.axis),
              faults_);
  return false;
}

void TimeAxes::Set(const ir::Source& source, TimeAxis time, const ir::Node& node) {
  Join(source, time, node);
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
      const TimeAxis* time = Of(TensorAt(node, from));
      if (time == nullptr || time->axis != from.axis) continue;
      for (const PortAxis& to : group) {
        const TimeAxis joined = {to.axis, time->outer, time->chunk};
        changed = Join(TensorAt(node, to), joined, node) || changed;
      }
      break;
    }
  }
  CheckTogether(node);
  for (const Delay& delay : relation.delays) changed = SpreadThroughDelay(node, delay) || changed;
  if (relation.sum) changed = SpreadThroughDelay(node, {relation.sum->axis}) || changed;
  return changed;
}

void TimeAxes::AddTimeLoop(const ir::Node& node, const std::vector<Stride>& strides) {
  strides_[&node] = strides;
}

bool TimeAxes::RunsAlong(ir::Node& node, const std::vector<Stride>& strides) const {
  return std::ranges::any_of(strides, [&](const Stride& stride) {
    const TimeAxis* time = Of(TensorAt(node, stride.at));
    return time != nullptr && time->axis == stride.at.axis;
  });
}

bool TimeAxes::SpreadThroughTimeLoop(ir::Node& node, const std::vector<Stride>& strides) {
  bool changed = false;
  for (const Stride& from : strides) {
    const TimeAxis* time = Of(TensorAt(node, from.at));
    if (time == nullptr || time->axis != from.at.axis || time->outer != 1 || from.chunk == 0) {
      continue;
    }
    if (time->chunk % from.chunk != 0) {
      divisor_ = from.chunk / std::gcd(from.chunk, time->chunk);
      continue;
    }
    const int64_t iterations = time->chunk / from.chunk;
    for (const Stride& to : strides) {
      const TimeAxis along = {to.at.axis, 1, iterations * to.chunk};
      changed = Join(TensorAt(node, to.at), along, node) || changed;
    }
  }
  return changed;
}

void TimeAxes::CheckTogether(ir::Node& node) {
  const auto [axis, positions] = relations_[&node].together;
  const TimeAxis* time = positions > 1 ? Of({&node, 0}) : nullptr;
  if (time == nullptr || time->axis != axis || time->chunk % positions == 0) return;
  divisor_ = positions / std::gcd(positions, time->chunk);
}

// The number of elements per step may differ between the input and the output. Further outputs with
// the same dims, such as indices of maxima, have the same time axis.
bool TimeAxes::SpreadThroughDelay(ir::Node& node, const Delay& delay) {
  const ir::Source in = node.inputs[0];
  bool changed = false;
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const ir::Source out = {&node, port};
    if (DimsOf(out) != DimsOf({&node, 0})) continue;
    changed = SpreadAtRates(node, delay.axis, {in, delay.take}, {out, delay.give}) || changed;
    changed = SpreadAtRates(node, delay.axis, {out, delay.give}, {in, delay.take}) || changed;
  }
  return changed;
}

bool TimeAxes::SpreadAtRates(ir::Node& node, int64_t axis, const Side& from, const Side& to) {
  const TimeAxis* time = Of(from.tensor);
  if (time == nullptr || time->axis != axis) return false;
  if (time->chunk % from.positions != 0) {
    divisor_ = from.positions / std::gcd(from.positions, time->chunk);
    return false;
  }
  return Join(to.tensor, {axis, time->outer, time->chunk / from.positions * to.positions}, node);
}

bool TimeAxes::SpreadThroughReshape(ir::Node& node) {
  const ir::Source in = node.inputs[0], out = {&node, 0};
  bool changed = false;
  for (const auto& [from, to] : {std::pair(in, out), std::pair(out, in)}) {
    if (Of(from) == nullptr) continue;
    const std::optional<TimeAxis> time = Reshaped(from, to);
    if (time) changed = Join(to, *time, node) || changed;
    if (!time && divisor_ == 1) divisor_ = StepsTogether(from, to);
  }
  return changed;
}

// Returns the minimum number of steps, above 1, that a reshape keeps contiguous on one axis; 1 if
// there is none.
int64_t TimeAxes::StepsTogether(const ir::Source& from, const ir::Source& to) const {
  for (int64_t together = 2; 2 * together <= steps_; ++together) {
    if (steps_ % together == 0 && Reshaped(from, to, together)) return together;
  }
  return 1;
}

// Returns the axis of `to` with the same number of elements before a step and in a step.
std::optional<TimeAxis> TimeAxes::Reshaped(const ir::Source& from, const ir::Source& to,
                                           int64_t together) const {
  const auto [before, of_step] = Position(from, *Of(from));
  const int64_t within = of_step * together;
  const Dims& dims = DimsOf(to);
  int64_t outside = 1, inside = ElementCount(dims).value_or(0);
  for (size_t axis = 0; axis < dims.size() && inside > 0; ++axis) {
    inside /= dims[axis];
    if (before % outside == 0 && within % inside == 0) {
      const TimeAxis time = {static_cast<int64_t>(axis), before / outside, within / inside};
      if (time.outer * (steps_ / together) * time.chunk == dims[axis]) return time;
    }
    outside *= dims[axis];
  }
  return std::nullopt;
}

}  // namespace weft::graph
