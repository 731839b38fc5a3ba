// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/flows.h"

#include <algorithm>
#include <numeric>

#include "converter/graph/streaming/borders.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {

Rate Rate::Times(int64_t factor, int64_t divisor) const {
  const int64_t common = std::gcd(positions * factor, of * divisor);
  return {positions * factor / common, of * divisor / common};
}

Flows::Flows(ir::Graph& graph, const TimeSeeds& seeds)
    : graph_(graph), nodes_(ir::Topological(graph)) {
  for (ir::Node* node : nodes_) relations_[node] = ops::RelationOf(graph, *node);
  ReadTimeLoops();
  ReadSeeds(seeds);
  if (flows_.empty()) StartAtTimeLoops();
  if (flows_.empty()) ReadWindows();
  Spread();
  KeepTimeLoopsOverTime();
  CheckAnchors();
  FindStep();
}

const Flow* Flows::Of(const ir::Source& source) const {
  const auto found = flows_.find({source.node, source.port});
  return found == flows_.end() ? nullptr : &found->second;
}

const TimeLoop* Flows::TimeLoopOf(const ir::Node& node) const {
  const auto found = std::ranges::find(time_loops_, &node, &TimeLoop::node);
  return found == time_loops_.end() ? nullptr : &*found;
}

int64_t Flows::Extent(const ir::Source& source) const {
  return DimsOf(source)[static_cast<size_t>(Of(source)->axis)];
}

int64_t Flows::PositionsPerStep(const ir::Source& source) const {
  return Of(source)->rate.Times(step_.positions, step_.of).positions;
}

int64_t Flows::IterationsPerStep(const TimeLoop& time_loop) const {
  const Stride& stride = time_loop.strides[0];
  return PositionsPerStep(TensorAt(*time_loop.node, stride.at)) / stride.chunk;
}

void Flows::Set(const ir::Source& source, const Flow& flow) {
  const auto [found, added] = flows_.try_emplace({source.node, source.port}, flow);
  changed_ = changed_ || added;
  const Dims& dims = DimsOf(source);
  const auto one = [&](int64_t axis) { return dims[static_cast<size_t>(axis)] == 1; };
  const bool same_axis =
      found->second.axis == flow.axis || (one(found->second.axis) && one(flow.axis));
  sound_ = sound_ && same_axis && found->second.rate == flow.rate;
}

// Positions of each seed correspond to those of the first one.
void Flows::ReadSeeds(const TimeSeeds& seeds) {
  for (const PortAxis& seed : seeds) {
    const auto extent = [&](const PortAxis& port) {
      return DimsOf(PortTensor(graph_, port))[static_cast<size_t>(port.axis)];
    };
    if (std::min(extent(seed), extent(seeds[0])) == 0) continue;
    Set(PortTensor(graph_, seed), {seed.axis, Rate().Times(extent(seed), extent(seeds[0]))});
  }
}

void Flows::ReadTimeLoops() {
  for (ir::Node* node : nodes_) {
    std::optional<TimeLoop> time_loop = ReadTimeLoop(graph_, *node, time_loop_faults_[node]);
    if (time_loop) time_loops_.push_back(std::move(*time_loop));
  }
}

bool Flows::RunsAlong(const TimeLoop& time_loop) const {
  return std::ranges::any_of(time_loop.strides, [&](const Stride& stride) {
    const Flow* flow = Of(TensorAt(*time_loop.node, stride.at));
    return flow != nullptr && flow->axis == stride.at.axis;
  });
}

// A time loop over another axis is an ordinary operation.
void Flows::KeepTimeLoopsOverTime() {
  std::erase_if(time_loops_, [&](const TimeLoop& time_loop) { return !RunsAlong(time_loop); });
  for (const TimeLoop& time_loop : time_loops_)
    sound_ = sound_ && time_loop_faults_[time_loop.node].ok();
}

void Flows::StartAtTimeLoops() {
  if (time_loops_.empty()) return;
  // Other loops are reached from the first one, or have the same number of steps.
  for (const TimeLoop& time_loop : time_loops_) {
    const Stride& stride = time_loop.strides[0];
    if (time_loop.steps != time_loops_[0].steps) continue;
    Set(TensorAt(*time_loop.node, stride.at), {stride.at.axis, {stride.chunk, 1}});
    SpreadThroughTimeLoop(time_loop);
  }
}

// Ranks windows by how likely their axis is time. Windows that look back rank above those that look
// ahead, which are also common along image axes. Windows with one output per position rank above
// others.
void Flows::ReadWindows() {
  enum { kBack, kShifted, kAround, kFewer, kRanks };
  std::vector<std::pair<ir::Source, int64_t>> ranked[kRanks];
  for (ir::Node* node : nodes_) {
    const AxisRelation& relation = Relation(node);
    if (relation.sum) ranked[kShifted].emplace_back(node->inputs[0], relation.sum->axis);
    for (const Delay& delay : relation.delays) {
      if (delay.past == 0) continue;
      const auto rank = delay.shifts ? kShifted : delay.take == delay.give ? kBack : kFewer;
      ranked[rank].emplace_back(node->inputs[0], delay.axis);
    }
    for (const ops::Windows& windows : relation.windows) {
      const auto rank = windows.stride == 1 ? kAround : kFewer;
      ranked[rank].emplace_back(node->inputs[0], windows.axis);
    }
  }
  for (auto& found : ranked) {
    if (found.empty()) continue;
    Set(found[0].first, {found[0].second, {}});
    anchors_ = std::move(found);
    return;
  }
}

// All windows of the highest rank must agree on the axis. Windows over both axes of an image do
// not.
void Flows::CheckAnchors() {
  for (const auto& [source, axis] : anchors_) {
    const Flow* flow = Of(source);
    sound_ = sound_ && (flow == nullptr || flow->axis == axis);
  }
}

void Flows::Spread() {
  for (changed_ = true; changed_ && sound_;) {
    changed_ = false;
    for (ir::Node* node : nodes_) SpreadAt(*node);
  }
}

void Flows::SpreadAt(ir::Node& node) {
  if (const TimeLoop* time_loop = TimeLoopOf(node); time_loop != nullptr && RunsAlong(*time_loop)) {
    return SpreadThroughTimeLoop(*time_loop);
  }
  const AxisRelation& relation = Relation(&node);
  if (relation.reshapes) return SpreadThroughReshape(node);
  for (const AxisGroup& group : relation.groups) {
    for (const PortAxis& from : group) {
      const Flow* flow = Of(TensorAt(node, from));
      if (flow == nullptr || flow->axis != from.axis) continue;
      const Rate rate = flow->rate;
      for (const PortAxis& to : group) Set(TensorAt(node, to), {to.axis, rate});
      break;
    }
  }
  for (const Delay& delay : relation.delays) SpreadBoth(node, delay.axis, delay.take, delay.give);
  for (const ops::Windows& windows : relation.windows) {
    const int64_t of_input = windows.spread ? 1 : windows.stride;
    SpreadBoth(node, windows.axis, of_input, windows.spread ? windows.stride : 1);
  }
  if (relation.sum) SpreadBoth(node, relation.sum->axis, 1, 1);
  if (const std::optional<Selection> crop = CropOf(*this, node)) {
    SpreadBoth(node, crop->axis, 1, 1);
  }
  const std::optional<Border> border = BorderOf(graph_, node);
  for (size_t axis = 0; border && axis < border->begin.size(); ++axis) {
    SpreadBoth(node, static_cast<int64_t>(axis), 1, 1);
  }
}

void Flows::SpreadBoth(ir::Node& node, int64_t axis, int64_t of_input, int64_t of_output) {
  const ir::Source in = node.inputs[0];
  if (const Flow* flow = Of(in); flow != nullptr && flow->axis == axis) {
    const Rate rate = flow->rate.Times(of_output, of_input);
    for (uint32_t port = 0; port < node.outputs.size(); ++port) {
      if (DimsOf({&node, port}) == DimsOf({&node, 0})) Set({&node, port}, {axis, rate});
    }
  }
  if (const Flow* flow = Of({&node, 0}); flow != nullptr && flow->axis == axis) {
    Set(in, {axis, flow->rate.Times(of_input, of_output)});
  }
}

void Flows::SpreadThroughTimeLoop(const TimeLoop& time_loop) {
  for (const Stride& from : time_loop.strides) {
    const Flow* flow = Of(TensorAt(*time_loop.node, from.at));
    if (flow == nullptr) continue;
    sound_ = sound_ && flow->axis == from.at.axis;
    const Rate step = flow->rate.Times(1, from.chunk);
    for (const Stride& to : time_loop.strides) {
      Set(TensorAt(*time_loop.node, to.at), {to.at.axis, step.Times(to.chunk, 1)});
    }
    return;
  }
}

void Flows::SpreadThroughReshape(ir::Node& node) {
  const ir::Source in = node.inputs[0], out = {&node, 0};
  for (const auto& [from, to] : {std::pair(in, out), std::pair(out, in)}) {
    const Flow* flow = Of(from);
    if (flow == nullptr) continue;
    const auto regrouping = RegroupingOf(DimsOf(from), flow->axis, DimsOf(to));
    if (!regrouping) continue;
    Set(to,
        {regrouping->axis, flow->rate.Times(regrouping->to_positions, regrouping->from_positions)});
  }
}

// Finds the minimum step with an integer number of positions in every tensor and of iterations in
// every time loop.
void Flows::FindStep() {
  std::vector<Rate> rates;
  for (const auto& [key, flow] : flows_) rates.push_back(flow.rate);
  for (const TimeLoop& time_loop : time_loops_) {
    const Stride& stride = time_loop.strides[0];
    const Flow* flow = Of(TensorAt(*time_loop.node, stride.at));
    sound_ = sound_ && flow != nullptr;
    if (flow != nullptr) rates.push_back(flow->rate.Times(1, stride.chunk));
  }
  if (rates.empty()) return;
  int64_t of = 1, positions = 0;
  for (const Rate& rate : rates) of = std::lcm(of, rate.of);
  for (const Rate& rate : rates) positions = std::gcd(positions, rate.positions * (of / rate.of));
  step_ = {of, positions};
}

std::optional<Selection> CropOf(const Flows& flows, ir::Node& node) {
  if (node.constant || node.inputs.empty() || node.outputs.size() != 1) return std::nullopt;
  const Dims& in = DimsOf(node.inputs[0]);
  const Dims& out = DimsOf({&node, 0});
  if (in.size() != out.size()) return std::nullopt;
  for (const Selection& selection : flows.Relation(&node).selections) {
    const Flow *before = flows.Of(node.inputs[0]), *after = flows.Of({&node, 0});
    const Flow* flow = before != nullptr ? before : after;
    if (flow == nullptr || flow->axis != selection.axis) continue;
    const bool is_last = selection.end - selection.begin == 1 && after == nullptr;
    if (!is_last) return selection;
  }
  return std::nullopt;
}

std::optional<Regrouping> RegroupingOf(const Dims& from, int64_t axis, const Dims& to) {
  const auto at = static_cast<size_t>(axis);
  const int64_t before = ops::ProductOf(from, 0, at);
  const int64_t within = ops::ProductOf(from, at + 1, from.size());
  std::optional<Regrouping> found;
  int64_t outside = 1;
  for (size_t i = 0; i < to.size(); outside *= to[i], ++i) {
    const int64_t inside = ops::ProductOf(to, i + 1, to.size());
    if (outside != before || inside == 0 || within == 0) continue;
    const Regrouping same = {static_cast<int64_t>(i), 1, 1};
    if (inside == within && to[i] == from[at]) return same;
    if (found) continue;
    if (within % inside == 0 && to[i] == from[at] * (within / inside)) {
      found = {same.axis, 1, within / inside};
    } else if (inside % within == 0 && to[i] * (inside / within) == from[at] && to[i] > 1) {
      found = {same.axis, inside / within, 1};
    }
  }
  return found;
}

}  // namespace weft::graph
