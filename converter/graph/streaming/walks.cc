// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/walks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ops/operation.h"
#include "converter/ops/port_map.h"

namespace weft::graph {
namespace {

using ops::BodyInput;

class WalkReading {
 public:
  WalkReading(const ir::Graph& graph, ir::Node& node, Faults& faults)
      : graph_(graph), scope_(graph, node, unheard_), faults_(faults) {
    walk_.node = &node;
  }

  std::optional<Walk> Sequence();
  std::optional<Walk> Loop();

 private:
  void Refuse(const std::string& what) { RefuseToCut(graph_, *walk_.node, what, faults_); }
  const ir::Body& body() const { return walk_.node->bodies[0]; }
  int64_t Extent(const PortAxis& at) const {
    return DimsOf(TensorAt(*walk_.node, at))[static_cast<size_t>(at.axis)];
  }
  void AddSlice(const BodyInput& input);
  void AddScan(const ops::BodyOutput& output);
  void AddState(const BodyInput& input, const ops::PortMap& map);
  void CheckCount();
  size_t EntryOf(const ir::Node& parameter) const;

  const ir::Graph& graph_;
  Faults unheard_;  // inference has accepted the node
  ops::InferScope scope_;
  Faults& faults_;
  Walk walk_;
};

std::optional<Walk> WalkReading::Sequence() {
  constexpr const char* kStates[] = {"hidden", "cell"};
  const ir::Node& node = *walk_.node;
  walk_.steps = scope_.input_dims(0)[1];
  walk_.strides = {{{false, 0, 1}, 1}, {{true, 0, 2}, 1}};
  const size_t states = node.operation->traits.sequence_states;
  for (size_t i = 0; i < states; ++i) {
    walk_.states.push_back(
        {fmt::format("{}/{}", node.name, kStates[i]),
         fmt::format("{} state of layer {} \"{}\"", kStates[i], node.id, ir::OneLine(node.name)),
         1 + i, 1 + i, 0, 0});
  }
  const std::string direction = scope_.attributes.Text("direction", "forward");
  if (direction != "forward") Refuse("its direction is " + direction);
  const std::optional<Dims> lengths = scope_.Ints(1 + states);
  const auto whole = [&](int64_t length) { return length == walk_.steps; };
  if (!lengths) {
    Refuse("its sequence lengths are computed at run time");
  } else if (!std::ranges::all_of(*lengths, whole)) {
    Refuse(fmt::format("its sequence lengths {} are not all {}", ToString(*lengths), walk_.steps));
  }
  return std::move(walk_);
}

std::optional<Walk> WalkReading::Loop() {
  const std::optional<ops::PortMap> map = ops::ResolvePortMap(scope_, body());
  if (!map) return std::nullopt;
  for (const BodyInput& input : map->inputs) {
    if (input.kind != BodyInput::Kind::kSliced) continue;
    if (walk_.steps == 0) walk_.steps = input.slicing.count();
    AddSlice(input);
  }
  for (const ops::BodyOutput& output : map->outputs) {
    if (output.concatenated) AddScan(output);
  }
  if (walk_.strides.empty()) return std::nullopt;
  if (ir::IsLoop(*walk_.node)) CheckCount();
  for (const BodyInput& input : map->inputs) {
    if (input.kind == BodyInput::Kind::kCarried) AddState(input, *map);
  }
  walk_.map = map;
  return std::move(walk_);
}

void WalkReading::AddSlice(const BodyInput& input) {
  const ops::Slicing& slicing = input.slicing;
  const PortAxis at = {false, input.input, slicing.axis};
  walk_.strides.push_back({at, slicing.part});
  if (slicing.backward) Refuse(fmt::format("input {} is sliced backward", input.input));
  if (slicing.begin == 0 && slicing.end == Extent(at)) return;
  Refuse(fmt::format("input {} is sliced over [{}, {}) of {} places", input.input, slicing.begin,
                     slicing.end, Extent(at)));
}

void WalkReading::AddScan(const ops::BodyOutput& output) {
  const Dims part = DimsOf(body().graph->results[output.result]->inputs[0]);
  const auto rank = static_cast<int64_t>(walk_.node->outputs[output.output].type.dims.size());
  const int64_t axis = output.slicing.axis + (output.slicing.axis < 0 ? rank : 0);
  const PortAxis at = {true, output.output, axis};
  const int64_t chunk = part.empty() ? 1 : part[static_cast<size_t>(axis)];
  if (walk_.steps == 0 && chunk > 0) walk_.steps = Extent(at) / chunk;
  walk_.strides.push_back({at, chunk});
  if (output.slicing.backward) Refuse(fmt::format("output {} is gathered backward", output.output));
}

size_t WalkReading::EntryOf(const ir::Node& parameter) const {
  const auto found = std::ranges::find_if(body().inputs, [&](const ir::PortMapEntry& entry) {
    return entry.internal_layer_id == parameter.id && entry.external_port_id >= 0;
  });
  return static_cast<size_t>(found - body().inputs.begin());
}

void WalkReading::AddState(const BodyInput& input, const ops::PortMap& map) {
  Carried state;
  state.name = fmt::format("{}/{}", walk_.node->name, input.parameter->name);
  state.from =
      fmt::format("carried value \"{}\" of layer {} \"{}\"", ir::OneLine(input.parameter->name),
                  walk_.node->id, ir::OneLine(walk_.node->name));
  state.entry = EntryOf(*input.parameter);
  state.input = input.input;
  state.result = input.result;
  for (const ops::BodyOutput& output : map.outputs) {
    if (output.result == input.result && !output.concatenated) state.output = output.output;
  }
  walk_.states.push_back(std::move(state));
}

// A Loop's slices may outnumber its iterations, and a condition may end it.
void WalkReading::CheckCount() {
  const ir::Trips& trips = body().trips;
  if (!trips.exact) {
    Refuse("a condition or a count computed at run time ends it");
  } else if (trips.most != walk_.steps) {
    Refuse(fmt::format("it makes {} iterations over {} slices", trips.most, walk_.steps));
  }
}

// A loop's bodies and nodes, changed in place.
class LoopShortening {
 public:
  LoopShortening(ir::Graph& graph, Walk& walk)
      : graph_(graph), walk_(walk), node_(*walk.node), body_(node_.bodies[0]) {}

  void Run(int64_t steps) {
    for (ir::PortMapEntry& entry : body_.inputs) TakeAll(entry);
    for (ir::PortMapEntry& entry : body_.outputs) TakeAll(entry);
    if (ir::IsLoop(node_)) SetTrips(steps);
    for (Carried& state : walk_.states) {
      if (!state.output) AddOutput(state);
    }
  }

 private:
  static void TakeAll(ir::PortMapEntry& entry) {
    if (!entry.axis) return;
    entry.start.reset();
    entry.end.reset();
  }

  // A body that reads the trip count goes on reading the one of the whole sequence.
  void SetTrips(int64_t steps) {
    const ir::Source whole = node_.inputs[0];
    const bool is_read = std::ranges::any_of(
        body_.inputs, [](const ir::PortMapEntry& entry) { return entry.external_port_id == 0; });
    if (is_read) {
      node_.inputs.push_back(whole);
      for (ir::PortMapEntry& entry : body_.inputs) {
        if (entry.external_port_id == 0) {
          entry.external_port_id = static_cast<int64_t>(node_.inputs.size() - 1);
        }
      }
    }
    const TensorType& type = whole.node->outputs[whole.port].type;
    node_.inputs[0] = NewInts(graph_, node_, type, {steps});
  }

  void AddOutput(Carried& state) {
    const ir::Node& result = *body_.graph->results[state.result];
    int64_t last = -1;
    for (const ir::PortMapEntry& entry : body_.outputs) {
      last = std::max(last, entry.external_port_id);
    }
    ir::PortMapEntry entry;
    entry.line = result.line;
    entry.external_port_id = last + 1;
    entry.internal_layer_id = result.id;
    body_.outputs.push_back(std::move(entry));
    state.output = node_.outputs.size();
    node_.outputs.emplace_back();
    const ir::Source& source = result.inputs[0];
    node_.outputs.back().type = source.node->outputs[source.port].type;
  }

  ir::Graph& graph_;
  Walk& walk_;
  ir::Node& node_;
  ir::Body& body_;
};

void ShortenSequence(ir::Graph& graph, Walk& walk, int64_t steps) {
  ir::Node& node = *walk.node;
  ir::Source& lengths = node.inputs[1 + walk.states.size()];
  const TensorType type = lengths.node->outputs[lengths.port].type;
  const Dims all(static_cast<size_t>(ElementCount(type.dims).value_or(0)), steps);
  lengths = NewInts(graph, node, type, all);
}

}  // namespace

std::optional<Walk> ReadWalk(const ir::Graph& graph, ir::Node& node, Faults& faults) {
  if (IsSequence(node)) return WalkReading(graph, node, faults).Sequence();
  if (ir::Iterates(node)) return WalkReading(graph, node, faults).Loop();
  return std::nullopt;
}

void Shorten(ir::Graph& graph, Walk& walk, int64_t steps) {
  if (IsSequence(*walk.node)) return ShortenSequence(graph, walk, steps);
  LoopShortening(graph, walk).Run(steps);
}

ir::Source InitialOf(const Walk& walk, const Carried& state) {
  const ir::Node& node = *walk.node;
  if (IsSequence(node)) return node.inputs[state.input];
  return node.inputs[static_cast<size_t>(node.bodies[0].inputs[state.entry].external_port_id)];
}

void SetInitial(Walk& walk, const Carried& state, const ir::Source& source) {
  ir::Node& node = *walk.node;
  if (IsSequence(node)) {
    node.inputs[state.input] = source;
    return;
  }
  // Others may read the same port: the state gets one of its own.
  node.inputs.push_back(source);
  ir::PortMapEntry& entry = node.bodies[0].inputs[state.entry];
  entry.external_port_id = static_cast<int64_t>(node.inputs.size() - 1);
}

bool IsSequence(const ir::Node& node) { return ops::TraitsOf(node).sequence_states != 0; }

}  // namespace weft::graph
