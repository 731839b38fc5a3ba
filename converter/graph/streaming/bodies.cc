// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/lengths.h"
#include "converter/graph/streaming/look_backs.h"
#include "converter/graph/streaming/resize.h"
#include "converter/graph/streaming/rounding.h"
#include "converter/graph/streaming/time_loops.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

using ir::BodyInput;

constexpr int kMaxDeep = 3;  // maximum nesting: each axis is tried in each body, recursively

// Returns true if the node, or a node in its bodies, is a random operation, which every run would
// repeat.
bool Draws(const ir::Node& node) {
  const auto draws = [](const ir::Node& inner) { return ops::TraitsOf(inner).draws; };
  return draws(node) || AnyInBodies(node, draws);
}

// Returns true if an operation reads earlier steps, whose state a body cannot keep between runs.
bool LooksBack(const TimeAxes& times) {
  constexpr int64_t kStepsOfSequence = 1;  // axis of input 0
  const auto iterates = [&](const ir::Node* node) {
    if (!IsSequence(*node)) return false;
    const TimeAxis* time = times.Of(node->inputs[0]);
    return time != nullptr && time->axis == kStepsOfSequence;
  };
  return MotionAlong(times, {}) < Motion::kApart || std::ranges::any_of(times.nodes(), iterates);
}

// Returns the nesting depth of bodies in the node.
int DepthOf(const ir::Node& node) {
  int depth = 0;
  for (const ir::Body& body : node.bodies) {
    for (const std::unique_ptr<ir::Node>& inner : body.graph->nodes) {
      depth = std::max(depth, 1 + DepthOf(*inner));
    }
  }
  return depth;
}

// One axis of a layer with bodies, and its position in each body. Each of its elements is treated
// as a step.
class ThroughBodies {
 public:
  ThroughBodies(ir::Node& node, const PortAxis& begin, int64_t positions)
      : node_(node), positions_(positions), group_({begin}) {
    for (ir::Body& body : node.bodies) {
      times_.push_back(std::make_unique<TimeAxes>(*body.graph, positions));
    }
  }

  // Returns false if the bodies do not process its elements independently.
  bool Run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < times_.size(); ++i) changed = SpreadIn(i) || changed;
      if (!is_apart_) return false;
    }
    for (const std::unique_ptr<TimeAxes>& times : times_) {
      if (LooksBack(*times)) return false;
      for (ir::Node* node : times->nodes()) {
        if (!KeepsApart(*times, *node)) return false;
      }
    }
    return true;
  }

  const AxisGroup& group() const { return group_; }
  TimeAxes& times(size_t body) { return *times_[body]; }

 private:
  bool SpreadIn(size_t at);
  bool Add(const PortAxis& outside);
  bool Join(TimeAxes& times, const ir::Source& source, int64_t axis);
  std::optional<int64_t> AxisOf(const TimeAxes& times, const ir::Source& source);
  bool KeepsApart(const TimeAxes& times, ir::Node& node) const;
  bool KeepsApartAt(const TimeAxes& times, ir::Node& node, const PortAxis& at,
                    const TimeAxis& time) const;

  ir::Node& node_;
  const int64_t positions_;
  bool is_apart_ = true;
  AxisGroup group_;
  std::vector<std::unique_ptr<TimeAxes>> times_;  // one per body
};

bool ThroughBodies::Add(const PortAxis& outside) {
  if (std::ranges::find(group_, outside) != group_.end()) return false;
  group_.push_back(outside);
  return true;
}

bool ThroughBodies::Join(TimeAxes& times, const ir::Source& source, int64_t axis) {
  const Dims& dims = DimsOf(source);
  const bool fits = axis < std::ssize(dims) && dims[static_cast<size_t>(axis)] == positions_;
  is_apart_ = is_apart_ && fits;
  if (!fits || times.Of(source) != nullptr) return false;
  times.Set(source, {axis, 1, 1}, node_);
  return true;
}

// Returns the time axis. In a port of a body each element must be one step.
std::optional<int64_t> ThroughBodies::AxisOf(const TimeAxes& times, const ir::Source& source) {
  const TimeAxis* time = times.Of(source);
  if (time == nullptr) return std::nullopt;
  is_apart_ = is_apart_ && time->outer == 1 && time->chunk == 1;
  return time->axis;
}

// Propagates through the inputs, outputs and back edges of the body.
bool ThroughBodies::SpreadIn(size_t at) {
  const ir::PortMap& map = node_.bodies[at].map;
  TimeAxes& times = *times_[at];
  bool changed = false;
  const auto members = group_;
  for (const BodyInput& input : map.inputs) {
    for (const PortAxis& member : members) {
      if (member.output || input.input != member.port) continue;
      is_apart_ = is_apart_ && !(input.range && input.slicing.axis == member.axis);
      changed = Join(times, {input.parameter, 0}, member.axis) || changed;
    }
  }
  for (size_t i = 0; i < map.outputs.size(); ++i) {
    for (const PortAxis& member : members) {
      if (!member.output || member.port != i) continue;
      is_apart_ = is_apart_ && !(map.outputs[i].range && map.outputs[i].axis == member.axis);
      changed = Join(times, map.outputs[i].result->inputs[0], member.axis) || changed;
    }
  }
  times.Spread();
  is_apart_ = is_apart_ && times.faults().ok() && times.StepsTogether() == 1;
  for (const BodyInput& input : map.inputs) {
    const std::optional<int64_t> axis = AxisOf(times, {input.parameter, 0});
    if (axis && input.input) changed = Add({false, *input.input, *axis}) || changed;
    if (!input.is(BodyInput::Kind::kCarried)) continue;
    const ir::Source next = input.next->inputs[0];
    const std::optional<int64_t> after = AxisOf(times, next);
    if (axis) changed = Join(times, next, *axis) || changed;
    if (after) changed = Join(times, {input.parameter, 0}, *after) || changed;
    is_apart_ = is_apart_ && (!axis || !after || *axis == *after);
  }
  for (size_t i = 0; i < map.outputs.size(); ++i) {
    const std::optional<int64_t> axis = AxisOf(times, map.outputs[i].result->inputs[0]);
    if (axis) changed = Add({true, i, *axis}) || changed;
  }
  return changed;
}

bool ThroughBodies::KeepsApart(const TimeAxes& times, ir::Node& node) const {
  if (Draws(node)) return false;
  if (!HasTime(times, node)) return true;
  const bool out_of_order = AxisOutOfOrder(times, node, 1) && !times.Relation(&node).keeps_order;
  if (out_of_order || ir::IsReadValue(node)) return false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TimeAxis* time = times.Of(node.inputs[i]);
    if (time != nullptr && !KeepsApartAt(times, node, {false, i, time->axis}, *time)) return false;
  }
  for (uint32_t i = 0; i < node.outputs.size(); ++i) {
    const TimeAxis* time = times.Of({&node, i});
    if (time == nullptr) continue;
    const int64_t extent = DimsOf({&node, i})[static_cast<size_t>(time->axis)];
    if (extent != time->outer * time->chunk * times.steps()) return false;
    if (!KeepsApartAt(times, node, {true, i, time->axis}, *time)) return false;
  }
  return true;
}

bool ThroughBodies::KeepsApartAt(const TimeAxes& times, ir::Node& node, const PortAxis& at,
                                 const TimeAxis& time) const {
  if (node.constant) return IsAlikeAtEveryStep(*node.constant, time, times.steps());
  if (ir::IsParameter(node) || ir::IsResult(node)) return true;
  const AxisRelation& relation = times.Relation(&node);
  if (relation.reshapes && at.port == 0) {
    return times.Of(TensorAt(node, {!at.output, 0, 0})) != nullptr;
  }
  return IsInGroup(relation, at);
}

// Returns an axis of the node along which time runs, and its TimeAxis.
std::optional<PortAxis> TimeAt(const TimeAxes& times, ir::Node& node, TimeAxis& time) {
  for (const AxisGroup& group : times.Relation(&node).groups) {
    for (const PortAxis& at : group) {
      const TimeAxis* found = times.Of(TensorAt(node, at));
      if (found == nullptr || found->axis != at.axis) continue;
      time = *found;
      return at;
    }
  }
  return std::nullopt;
}

}  // namespace

bool HoldsVariables(const ir::Node& node) { return AnyInBodies(node, ir::IsReadValue); }

std::vector<AxisGroup> AxesThroughBodies(ir::Node& node) {
  std::vector<AxisGroup> groups;
  if (DepthOf(node) > kMaxDeep) return groups;
  const auto is_known = [&](const PortAxis& at) {
    return std::ranges::any_of(groups, [&](const AxisGroup& group) {
      return std::ranges::find(group, at) != group.end();
    });
  };
  std::set<size_t> taken;
  for (const ir::Body& body : node.bodies) {
    for (const BodyInput& input : body.map.inputs) {
      if (input.input) taken.insert(*input.input);
    }
  }
  for (const size_t port : taken) {
    const Dims dims = DimsOf(node.inputs[port]);
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const PortAxis at = {false, port, static_cast<int64_t>(axis)};
      if (dims[axis] < 2 || is_known(at)) continue;
      ThroughBodies through(node, at, dims[axis]);
      if (through.Run()) groups.push_back(through.group());
    }
  }
  return groups;
}

void RefuseLengthsInBodies(const TimeAxes& times, ir::Node& node, const Folding& folding,
                           Faults& faults) {
  TimeAxis time;
  const std::optional<PortAxis> at = TimeAt(times, node, time);
  if (!at) return;
  ThroughBodies through(node, *at, DimsOf(TensorAt(node, *at))[static_cast<size_t>(at->axis)]);
  if (!through.Run()) return;
  for (size_t i = 0; i < node.bodies.size(); ++i) {
    const ir::Graph& body = *node.bodies[i].graph;
    const TimeAxes& inside = through.times(i);
    const std::set<const ir::Node*> lengths = ConstantsOfLength(body, inside, folding);
    for (ir::Node* inner : inside.nodes()) {
      const AxisRelation& relation = inside.Relation(inner);
      const bool is_target = (relation.reshapes || relation.stretches) && !inner->outputs.empty() &&
                             inside.Of({inner, 0}) != nullptr;
      for (size_t input = is_target ? 2 : 0; input < inner->inputs.size(); ++input) {
        if (!lengths.contains(inner->inputs[input].node)) continue;
        if (inside.Of(inner->inputs[input]) != nullptr) continue;
        RefuseToCut(body, *inner,
                    fmt::format("input {} is computed from the total number of steps", input),
                    faults);
      }
      RefuseLengthsInBodies(inside, *inner, folding, faults);
    }
  }
}

void CutBodies(const TimeAxes& times, ir::Node& node, int64_t steps) {
  TimeAxis time;
  const std::optional<PortAxis> at = TimeAt(times, node, time);
  if (!at) return;
  ThroughBodies through(node, *at, times.steps() * time.outer * time.chunk);
  if (!through.Run()) return;
  const int64_t positions = steps * time.outer * time.chunk;
  for (size_t i = 0; i < node.bodies.size(); ++i) {
    ir::Graph& body = *node.bodies[i].graph;
    const TimeAxes& inside = through.times(i);
    KeepRounding(body, inside, positions, /*is_body=*/true);
    for (ir::Node* inner : inside.nodes()) CutBodies(inside, *inner, positions);
    Resize(body, inside, positions);
  }
}

}  // namespace weft::graph
