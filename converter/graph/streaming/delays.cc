// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/delays.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "converter/graph/lower.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/support/look_back.h"

namespace weft::graph {
namespace {

const TensorType kStartType = {ElementType::i32, {}};

ir::Source Filled(ir::Graph& graph, const ir::Node& like, const TensorType& type, double fill) {
  const auto count = static_cast<size_t>(ElementCount(type.dims).value_or(0));
  return NewNumbers(graph, like, type, std::vector<double>(count, fill));
}

TensorType WithExtent(TensorType type, int64_t axis, int64_t extent) {
  type.dims[static_cast<size_t>(axis)] = extent;
  return type;
}

int64_t ExtentOf(const ir::Source& source, int64_t axis) {
  return TypeOf(source).dims[static_cast<size_t>(axis)];
}

ir::Source Typed(const ir::Source& source, const TensorType& type) {
  source.node->outputs[0].type = type;
  return source;
}

ir::Source Joined(ir::Graph& graph, const ir::Node& like, const ir::Source& first,
                  const ir::Source& second, int64_t axis) {
  const int64_t extent = ExtentOf(first, axis) + ExtentOf(second, axis);
  return Typed(NewConcat(graph, like, {first, second}, axis),
               WithExtent(TypeOf(second), axis, extent));
}

// Returns the past in the first run.
ir::Source FirstPast(ir::Graph& graph, const ir::Node& node, const Delay& delay,
                     int64_t positions) {
  const TensorType type = PastType(node, delay, positions);
  if (!delay.repeats) return Filled(graph, node, type, delay.fill);
  Dims one = type.dims;
  one[0] = 1;
  const ir::Source data = node.inputs[0];
  const ir::Source start = NewPart(graph, *data.node, data, delay.axis, 0, 1);
  const ir::Source first = Typed(NewReshape(graph, node, start, one), {type.type, one});
  if (positions == 1) return first;
  return Typed(NewBroadcast(graph, node, first, type.dims), type);
}

// Returns the reads of a ring: the past and the new positions in order. If it is smaller, returns
// one run of positions per tap instead. Taps whose distance is the step then read the same
// positions. `past` may be longer than this delay's.
ops::RingReads ReadsOf(const Delay& delay, int64_t positions, int64_t past) {
  const int64_t first = past - delay.past;
  if (delay.shifts) return {delay.axis, first, 1, 1, positions};
  const bool moves_by_one = delay.take == 1 && delay.give == 1;
  const bool reaches_back = delay.past == (delay.taps - 1) * delay.dilation;
  if (moves_by_one && reaches_back && delay.taps * positions < delay.past + positions) {
    return {delay.axis, first, delay.taps, delay.dilation, positions};
  }
  return {delay.axis, first, 1, 1, delay.past + positions};
}

ops::RingReads ReadsOf(const ir::Source& data, const WholePast& whole) {
  return {whole.axis, 0, 1, 1, whole.past + ExtentOf(data, whole.axis), whole.order};
}

// Reads the past from a ring, and then writes `data` to it.
ir::Source ReadRing(ir::Graph& graph, const ir::Node& like, const ir::Source& data,
                    const ops::RingReads& reads, const ir::Source& past, const PastNames& names) {
  std::vector<ir::Source> inputs = {data, past};
  if (!names.start.empty()) {
    inputs.push_back(NewReadValue(graph, like, names.start, Filled(graph, like, kStartType, 0)));
  }
  const auto count = static_cast<uint32_t>(inputs.size());
  ir::Node* ring = NewNode(graph, like, "Ring", 0, inputs, count, AttributesOf(reads));
  ring->operation = &ops::RingOperation();
  for (uint32_t i = 0; i < count; ++i) ring->outputs[i].type = TypeOf(inputs[i]);
  NewAssign(graph, like, names.past, {ring, 1});
  if (!names.start.empty()) NewAssign(graph, like, names.start, {ring, 2});
  return Typed({ring, 0}, WithExtent(TypeOf(data), reads.axis, reads.taps * reads.length));
}

// For one position per run: an addition that must not become the start of a product.
void AddToSum(ir::Graph& graph, ir::Node& node, const ir::Source& before, bool exclusive,
              const std::string& name) {
  const ir::Source data = node.inputs[0];
  ir::Node* sum = exclusive ? NewNode(graph, node, "Add", 1, {before, data}) : &node;
  if (exclusive) {
    BecomeReshape(graph, node, before, TypeOf(before).dims);
  } else {
    Become(node, "Add", 1, {before, data});
  }
  sum->attributes[kRoundsApart] = "true";
  sum->outputs[0].type = TypeOf(data);
  NewAssign(graph, node, name, {sum, 0});
}

}  // namespace

const Delay* DelayOverTime(const TimeAxes& times, const ir::Node& node) {
  const AxisRelation& relation = times.Relation(&node);
  const TimeAxis* time = relation.delays.empty() ? nullptr : times.Of(node.inputs[0]);
  return time == nullptr ? nullptr : DelayAlong(relation, time->axis);
}

bool IsOverTime(const TimeAxes& times, const FilledWindow& window) {
  const Delay* delay = DelayOverTime(times, *window.node);
  return delay != nullptr && delay->axis == window.axis;
}

const RunningSum* SumOverTime(const TimeAxes& times, const ir::Node& node) {
  const AxisRelation& relation = times.Relation(&node);
  const TimeAxis* time = relation.sum ? times.Of(node.inputs[0]) : nullptr;
  return time != nullptr && time->axis == relation.sum->axis ? &*relation.sum : nullptr;
}

TensorType PastType(const ir::Node& node, const Delay& delay, int64_t positions) {
  return ops::RingType(TypeOf(node.inputs[0]), {.axis = delay.axis}, positions);
}

TensorType SumType(const ir::Node& node, const RunningSum& sum) {
  return WithExtent(TypeOf(node.inputs[0]), sum.axis, 1);
}

TensorType PastType(const ir::Source& data, const WholePast& whole) {
  return ops::RingType(TypeOf(data), ReadsOf(data, whole), whole.past);
}

ir::Source WithPast(ir::Graph& graph, ir::Node& like, const ir::Source& data,
                    const WholePast& whole, const PastNames& names) {
  const TensorType type = PastType(data, whole);
  const ir::Source first = Filled(graph, like, type, 0);
  return ReadRing(graph, like, data, ReadsOf(data, whole),
                  NewReadValue(graph, like, names.past, first), names);
}

Past::Past(ir::Graph& graph, const ir::Node& first, const Delay& delay, int64_t positions,
           PastNames names)
    : graph_(graph), positions_(positions), names_(std::move(names)) {
  const ir::Source initial = FirstPast(graph, first, delay, positions);
  state_.push_back(NewReadValue(graph, first, names_.past, initial));
  if (positions == 1) return;
  const ir::Source at = Filled(graph, first, kStartType, 0);
  state_.push_back(NewReadValue(graph, first, names_.start, at));
}

ir::Source Past::WindowOf(const ir::Node& node, const ops::RingReads& reads) {
  const ir::Source data = node.inputs[0];
  const std::map<std::string, std::string> attributes = ops::AttributesOf(reads);
  for (ir::Node* ring : rings_) {
    if (ring->inputs[0] == data && ring->attributes == attributes) return {ring, 0};
  }
  std::vector<ir::Source> inputs = {data};
  inputs.insert(inputs.end(), state_.begin(), state_.end());
  ir::Node* ring = NewNode(graph_, node, "Ring", 0, std::move(inputs), 1, attributes);
  ring->operation = &ops::RingOperation();
  rings_.push_back(ring);
  return Typed({ring, 0}, WithExtent(TypeOf(data), reads.axis, reads.taps * reads.length));
}

void Past::PutBefore(ir::Node& node, const Delay& delay) {
  const ops::RingReads reads = ReadsOf(delay, ExtentOf(node.inputs[0], delay.axis), positions_);
  const ir::Source window = WindowOf(node, reads);
  node.inputs[0] = window;
  if (reads.taps > 1) ops::SetDilation(graph_, node, delay.axis, reads.length);
  if (delay.shifts) BecomeReshape(graph_, node, window, TypeOf(window).dims);
}

void Past::Write(const std::vector<ir::Node*>& order) {
  const auto last = std::find_if(order.rbegin(), order.rend(), [&](const ir::Node* node) {
    return std::ranges::find(rings_, node) != rings_.end();
  });
  if (last == order.rend()) return;
  ir::Node& ring = **last;
  for (uint32_t i = 0; i < state_.size(); ++i) {
    ring.outputs.emplace_back().type = TypeOf(state_[i]);
    NewAssign(graph_, ring, i == 0 ? names_.past : names_.start, {&ring, i + 1});
  }
}

void ReadSum(ir::Graph& graph, ir::Node& node, const RunningSum& sum, const std::string& name) {
  const ir::Source data = node.inputs[0];
  const TensorType type = TypeOf(data);
  const ir::Source before =
      NewReadValue(graph, node, name, Filled(graph, node, SumType(node, sum), 0));
  const int64_t positions = ExtentOf(data, sum.axis);
  const bool adds = IsFloat(type.type) || ElementBytes(type.type) >= 4;
  if (positions == 1 && adds) return AddToSum(graph, node, before, sum.exclusive, name);
  const ir::Source joined = Joined(graph, node, before, data, sum.axis);
  std::vector<ir::Source> inputs = node.inputs;
  inputs[0] = joined;
  const std::string of(node.operation->name);
  ir::Node* sums = NewNode(graph, node, of, node.operation->opset, std::move(inputs));
  const ir::Source all = Typed({sums, 0}, TypeOf(joined));
  NewAssign(graph, node, name, NewPart(graph, *sums, all, sum.axis, -1, 1));
  const ir::Source own = NewPart(graph, *sums, all, sum.axis, sum.exclusive ? 0 : 1, positions);
  BecomeReshape(graph, node, own, type.dims);
}

}  // namespace weft::graph
