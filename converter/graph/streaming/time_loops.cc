// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/time_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "converter/base/visible.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

using ir::BodyInput;

class TimeLoopReading {
 public:
  TimeLoopReading(const ir::Graph& graph, ir::Node& node, Faults& faults)
      : graph_(graph), scope_(graph, node), faults_(faults) {
    time_loop_.node = &node;
  }

  std::optional<TimeLoop> Sequence();
  std::optional<TimeLoop> Loop();

 private:
  void Refuse(const std::string& what) { RefuseToCut(graph_, *time_loop_.node, what, faults_); }
  const ir::Body& body() const { return time_loop_.node->bodies[0]; }
  int64_t Extent(const PortAxis& at) const {
    return DimsOf(TensorAt(*time_loop_.node, at))[static_cast<size_t>(at.axis)];
  }
  void AddSlice(const BodyInput& input);
  void AddScan(size_t output);
  void AddState(size_t entry);
  void CheckCount();

  const ir::Graph& graph_;
  Quiet<ops::NodeScope> scope_;
  Faults& faults_;
  TimeLoop time_loop_;
};

std::optional<TimeLoop> TimeLoopReading::Sequence() {
  constexpr const char* kStates[] = {"hidden", "cell"};
  const ir::Node& node = *time_loop_.node;
  time_loop_.steps = scope_.input_dims(0)[1];
  time_loop_.strides = {{{false, 0, 1}, 1}, {{true, 0, 2}, 1}};
  const size_t states = node.operation->traits.sequence_states;
  for (size_t i = 0; i < states; ++i) {
    time_loop_.states.push_back(
        {fmt::format("{}/{}", node.name, kStates[i]),
         fmt::format("{} state of layer {} \"{}\"", kStates[i], node.id, OneLine(node.name)), 1 + i,
         1 + i, 0});
  }
  const std::string direction = scope_.attributes.Text("direction", "forward");
  if (direction != "forward") Refuse("its direction is " + direction);
  const std::optional<Dims> lengths = scope_.Ints(1 + states);
  const auto whole = [&](int64_t length) { return length == time_loop_.steps; };
  if (!lengths) {
    Refuse("its sequence lengths are computed at run time");
  } else if (!std::ranges::all_of(*lengths, whole)) {
    Refuse(fmt::format("its sequence lengths {} are not all {}", ToString(*lengths),
                       time_loop_.steps));
  }
  return std::move(time_loop_);
}

std::optional<TimeLoop> TimeLoopReading::Loop() {
  const ir::PortMap& map = body().map;
  for (const BodyInput& input : map.inputs) {
    if (!input.is(BodyInput::Kind::kSliced)) continue;
    if (time_loop_.steps == 0) time_loop_.steps = input.slicing.count();
    AddSlice(input);
  }
  for (size_t i = 0; i < map.outputs.size(); ++i) {
    if (map.outputs[i].range) AddScan(i);
  }
  if (time_loop_.strides.empty()) return std::nullopt;
  if (ir::IsLoop(*time_loop_.node)) CheckCount();
  for (size_t i = 0; i < map.inputs.size(); ++i) {
    if (map.inputs[i].is(BodyInput::Kind::kCarried)) AddState(i);
  }
  return std::move(time_loop_);
}

void TimeLoopReading::AddSlice(const BodyInput& input) {
  const ir::Slicing& slicing = input.slicing;
  const PortAxis at = {false, *input.input, slicing.axis};
  time_loop_.strides.push_back({at, slicing.part});
  if (slicing.backward) Refuse(fmt::format("input {} is sliced backward", at.port));
  if (slicing.begin == 0 && slicing.end == Extent(at)) return;
  Refuse(fmt::format("input {} is sliced over [{}, {}) of {} positions", at.port, slicing.begin,
                     slicing.end, Extent(at)));
}

void TimeLoopReading::AddScan(size_t output) {
  const ir::BodyOutput& scan = body().map.outputs[output];
  const Dims part = DimsOf(scan.result->inputs[0]);
  const PortAxis at = {true, output, scan.axis};
  const int64_t chunk = part.empty() ? 1 : part[static_cast<size_t>(scan.axis)];
  if (time_loop_.steps == 0 && chunk > 0) time_loop_.steps = Extent(at) / chunk;
  time_loop_.strides.push_back({at, chunk});
  if (scan.range->backward()) Refuse(fmt::format("output {} is gathered backward", output));
}

void TimeLoopReading::AddState(size_t entry) {
  const BodyInput& input = body().map.inputs[entry];
  Carried state;
  state.name = fmt::format("{}/{}", time_loop_.node->name, input.parameter->name);
  state.from =
      fmt::format("carried value \"{}\" of layer {} \"{}\"", OneLine(input.parameter->name),
                  time_loop_.node->id, OneLine(time_loop_.node->name));
  state.input = *input.input;
  state.entry = entry;
  const std::vector<ir::BodyOutput>& outputs = body().map.outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].result == input.next && !outputs[i].range) state.output = i;
  }
  time_loop_.states.push_back(std::move(state));
}

// A Loop may have more slices than iterations, and a condition may end it.
void TimeLoopReading::CheckCount() {
  const ir::Trips& trips = body().trips;
  if (!trips.exact) {
    Refuse("its trip count is known only at run time");
  } else if (trips.max != time_loop_.steps) {
    Refuse(fmt::format("it has {} iterations over {} slices", trips.max, time_loop_.steps));
  }
}

// Shortens a loop in place: its bodies and nodes.
class LoopShortening {
 public:
  LoopShortening(ir::Graph& graph, TimeLoop& time_loop)
      : graph_(graph), time_loop_(time_loop), node_(*time_loop.node), map_(node_.bodies[0].map) {}

  void Run(int64_t steps) {
    for (BodyInput& input : map_.inputs) {
      if (input.range) input.range->TakeWhole();
    }
    for (ir::BodyOutput& output : map_.outputs) {
      if (output.range) output.range->TakeWhole();
    }
    if (ir::IsLoop(node_)) SetTrips(steps);
    for (Carried& state : time_loop_.states) {
      if (!state.output) state.output = ir::AddOutput(node_, *map_.inputs[state.entry].next);
    }
  }

 private:
  // A body that reads the trip count continues to read that of the full sequence.
  void SetTrips(int64_t steps) {
    const ir::Source whole = node_.inputs[0];
    if (map_.Takes(0)) {
      const size_t kept = ir::AddInput(node_, whole);
      for (BodyInput& input : map_.inputs) {
        if (input.input == size_t{0}) input.input = kept;
      }
    }
    const TensorType& type = TypeOf(whole);
    node_.inputs[0] = NewInts(graph_, node_, type, {steps});
  }

  ir::Graph& graph_;
  TimeLoop& time_loop_;
  ir::Node& node_;
  ir::PortMap& map_;
};

void ShortenSequence(ir::Graph& graph, TimeLoop& time_loop, int64_t steps) {
  ir::Node& node = *time_loop.node;
  ir::Source& lengths = node.inputs[1 + time_loop.states.size()];
  const TensorType type = TypeOf(lengths);
  const Dims all(static_cast<size_t>(ElementCount(type.dims).value_or(0)), steps);
  lengths = NewInts(graph, node, type, all);
}

}  // namespace

std::optional<TimeLoop> ReadTimeLoop(const ir::Graph& graph, ir::Node& node, Faults& faults) {
  if (IsSequence(node)) return TimeLoopReading(graph, node, faults).Sequence();
  if (ir::Iterates(node)) return TimeLoopReading(graph, node, faults).Loop();
  return std::nullopt;
}

void Shorten(ir::Graph& graph, TimeLoop& time_loop, int64_t steps) {
  if (IsSequence(*time_loop.node)) return ShortenSequence(graph, time_loop, steps);
  LoopShortening(graph, time_loop).Run(steps);
}

ir::Source InitialOf(const TimeLoop& time_loop, const Carried& state) {
  const ir::Node& node = *time_loop.node;
  if (IsSequence(node)) return node.inputs[state.input];
  return node.inputs[*node.bodies[0].map.inputs[state.entry].input];
}

void SetInitial(TimeLoop& time_loop, const Carried& state, const ir::Source& source) {
  ir::Node& node = *time_loop.node;
  if (IsSequence(node)) {
    node.inputs[state.input] = source;
    return;
  }
  // A new input for the state, because the port may have other readers.
  node.bodies[0].map.inputs[state.entry].input = ir::AddInput(node, source);
}

bool IsSequence(const ir::Node& node) { return ops::TraitsOf(node).sequence_states != 0; }

}  // namespace weft::graph
