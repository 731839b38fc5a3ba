// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/recognise/loops/scalars.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr int64_t kMaxTrips = 32, kMaxWork = 64, kMaxNeededWork = 4096;

struct Work {
  int64_t operations = 0;
  bool heavy = false;
  bool possible = true;  // false: has variables or random operations
};

void AddWork(const ir::Graph& body, Work& work) {
  work.possible = work.possible && body.sinks.empty();
  for (const ir::Node* node : ir::Topological(body)) {
    const ops::Traits& traits = ops::TraitsOf(*node);
    work.possible = work.possible && !ir::IsReadValue(*node) && !traits.draws;
    work.heavy = work.heavy || traits.heavy;
    if (!traits.free) ++work.operations;
    for (const ir::Body& inner : node->bodies) AddWork(*inner.graph, work);
  }
}

// Returns true if the value is computed only from counters and constants.
bool IsDecided(LoopScalars& scalars, ir::Source source) {
  if (source.node->constant) return false;
  if (scalars.Value(source)) return true;
  if (!ops::TraitsOf(*source.node).joins) return false;
  return std::ranges::all_of(source.node->inputs, [&](const ir::Source& part) {
    return part.node->constant || scalars.Value(part);
  });
}

bool Pays(const ir::Node& loop, int64_t trips) {
  const ir::Graph& body = *loop.bodies[0].graph;
  Work work;
  AddWork(body, work);
  if (!work.possible) return false;
  LoopScalars scalars(loop);
  bool steered = false, needed = false;
  for (const ir::Node* node : ir::Topological(body)) {
    const ops::Traits& traits = ops::TraitsOf(*node);
    if (traits.steering == ops::Steering::kNothing) continue;
    for (size_t i = traits.steered_from; i < node->inputs.size(); ++i) {
      if (!IsDecided(scalars, node->inputs[i])) continue;
      steered = true;
      needed = needed || traits.steering == ops::Steering::kShape;
    }
  }
  const int64_t total = work.operations * trips;
  if (needed) return total <= kMaxNeededWork;
  return steered && !work.heavy && total <= kMaxWork;
}

// A slice over its complete axis, as far as the file alone determines it.
struct Slice {
  int64_t axis = 0;
  bool backward = false;
};

std::optional<Slice> SliceOf(const ir::Node& loop, const ir::BodyInput& input, int64_t trips) {
  const Dims& dims = TypeOf(loop.inputs[*input.input]).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t axis = input.range->axis + (input.range->axis < 0 ? rank : 0);
  if (axis < 0 || axis >= rank || dims[static_cast<size_t>(axis)] < trips) return std::nullopt;
  const Dims& chunk = input.parameter->outputs[0].type.dims;
  if (static_cast<int64_t>(chunk.size()) != rank) return std::nullopt;
  const int64_t part = chunk[static_cast<size_t>(axis)];
  const bool by_ones = (part == 1 || part == -1) && input.range->by_ones();
  if (!by_ones || !input.range->whole()) return std::nullopt;
  return Slice{axis, input.range->backward()};
}

class Flattening {
 public:
  Flattening(ir::Graph& graph, ir::Node& loop, int64_t trips)
      : graph_(graph), loop_(loop), body_(loop.bodies[0]), trips_(trips) {}

  // Returns false and changes nothing if the port map has an unsupported form.
  bool Read();
  void Run();

 private:
  struct Input {
    const ir::BodyInput* of = nullptr;
    std::optional<Slice> slice;
  };
  using Values = std::map<std::pair<const ir::Node*, uint32_t>, ir::Source>;

  ir::Source ValueOf(const Input& input, int64_t i, const Values& previous);
  void CopyBody(int64_t i);
  ir::Source OutputOf(const ir::BodyOutput& output);
  ir::Source OwnPort(ir::Source source, const ir::OutputPort& port);

  ir::Graph& graph_;
  ir::Node& loop_;
  const ir::Body& body_;
  const int64_t trips_;
  std::vector<Input> inputs_;
  Values values_, constants_;  // of the current iteration; of all iterations
  std::map<const ir::Node*, std::vector<ir::Source>> ends_;  // of Results, per iteration
  std::set<const ir::Node*> made_;
};

bool Flattening::Read() {
  const ir::PortMap& map = body_.map;
  for (const ir::Node* parameter : body_.graph->parameters) {
    const ir::BodyInput* input = map.InputOf(*parameter);
    if (input == nullptr) return false;
    const bool fed_twice = std::ranges::count(map.inputs, parameter, &ir::BodyInput::parameter) > 1;
    const bool beside_edge = input->next != nullptr && (input->range || !input->input);
    if (fed_twice || beside_edge) return false;
    std::optional<Slice> slice;
    if (input->range && !(slice = SliceOf(loop_, *input, trips_))) return false;
    inputs_.push_back({input, slice});
  }
  for (const ir::BodyOutput& output : map.outputs) {
    if (!output.range) continue;
    const ir::Source end = output.result->inputs[0];
    if (!end.node->outputs[end.port].declared) return false;
  }
  return map.outputs.size() == loop_.outputs.size();
}

void Flattening::Run() {
  Values previous;
  for (int64_t i = 0; i < trips_; ++i) {
    values_ = constants_;
    for (const Input& input : inputs_) {
      values_[{input.of->parameter, 0}] = ValueOf(input, i, previous);
    }
    CopyBody(i);
    for (const ir::Node* result : body_.graph->results) {
      const ir::Source source = result->inputs[0];
      values_[{result, 0}] = values_.at({source.node, source.port});
      ends_[result].push_back(values_[{result, 0}]);
    }
    previous = values_;
  }
  for (uint32_t port = 0; port < loop_.outputs.size(); ++port) {
    HandOver(graph_, {&loop_, port},
             OwnPort(OutputOf(body_.map.outputs[port]), loop_.outputs[port]));
  }
}

ir::Source Flattening::ValueOf(const Input& input, int64_t i, const Values& previous) {
  if (!input.of->input) {
    const TensorType& type = input.of->parameter->outputs[0].type;
    const Dims dims = type.dims.size() == 1 ? Dims{1} : Dims{};
    return NewInts(graph_, loop_, {type.type, dims}, {i});
  }
  const ir::Source outside = loop_.inputs[*input.of->input];
  if (input.of->next != nullptr && i > 0) return previous.at({input.of->next, 0});
  if (!input.slice) return outside;
  const int64_t begin = input.slice->backward ? -1 - i : i;
  const int64_t end = begin == -1 ? std::numeric_limits<int64_t>::max() : begin + 1;
  const ir::Source slice =
      NewSlice(graph_, loop_, outside, {{begin}, {end}, {1}, {input.slice->axis}});
  slice.node->name = fmt::format("{}[{}]", loop_.name, i);
  return slice;
}

// Renames the layer to that of iteration `i`, including the layers inside it.
void Number(ir::Node& node, int64_t i) {
  if (!node.constant) node.name += fmt::format("[{}]", i);
  for (ir::Body& body : node.bodies) {
    for (const std::unique_ptr<ir::Node>& inner : body.graph->nodes) Number(*inner, i);
  }
}

void Flattening::CopyBody(int64_t i) {
  for (const ir::Node* node : ir::Topological(*body_.graph)) {
    if (ir::IsParameter(*node) || ir::IsResult(*node)) continue;
    if (values_.contains({node, 0})) continue;
    graph_.nodes.push_back(ir::CopyOf(*node));
    ir::Node& copy = *graph_.nodes.back();
    for (ir::Source& source : copy.inputs) source = values_.at({source.node, source.port});
    Values& known = copy.constant ? constants_ : values_;
    for (uint32_t port = 0; port < copy.outputs.size(); ++port) {
      copy.outputs[port].names.clear();
      // Types that the file declares for all iterations may not hold for one of them.
      copy.outputs[port].declared = copy.outputs[port].declared && copy.constant;
      known[{node, port}] = values_[{node, port}] = {&copy, port};
    }
    Number(copy, i);
    made_.insert(&copy);
  }
}

ir::Source Flattening::OutputOf(const ir::BodyOutput& output) {
  std::vector<ir::Source> parts = ends_.at(output.result);
  if (!output.range) return parts.back();
  if (output.range->backward()) std::ranges::reverse(parts);
  const bool scalar = TypeOf(output.result->inputs[0]).dims.empty();
  for (ir::Source& part : parts) {
    if (scalar) part = NewReshape(graph_, loop_, part, {1});
  }
  const ir::Source all = NewConcat(graph_, loop_, std::move(parts), output.range->axis);
  made_.insert(all.node);
  return all;
}

// Returns a port that can have the names of the loop's output port, and declares its type like that
// port.
ir::Source Flattening::OwnPort(ir::Source source, const ir::OutputPort& port) {
  if (!made_.contains(source.node) || !source.node->outputs[source.port].names.empty()) {
    source = NewIdentity(graph_, loop_, source);
  }
  source.node->outputs[source.port] = {port.type, port.declared, {}, std::nullopt, port.widened};
  return source;
}

// Returns the trip count of a Loop that always runs the same number of iterations, at least 2.
std::optional<int64_t> TripsOf(const ir::Node& loop) {
  if (!ir::IsLoop(loop) || loop.bodies.size() != 1 || loop.inputs.size() < 2) return std::nullopt;
  const std::optional<int64_t> trips = IntOf(loop.inputs[0]), first = IntOf(loop.inputs[1]);
  if (!trips || *trips < 2 || *trips > kMaxTrips || first.value_or(0) == 0) return std::nullopt;
  const ir::Node* condition = loop.bodies[0].map.condition;
  if (condition != nullptr && IntOf(condition->inputs[0]).value_or(0) == 0) return std::nullopt;
  return trips;
}

}  // namespace

void Flatten(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) Flatten(*body.graph);
    const std::optional<int64_t> trips = TripsOf(*node);
    if (!trips || !Pays(*node, *trips)) continue;
    Flattening flattening(graph, *node, *trips);
    if (!flattening.Read()) continue;
    flattening.Run();
    std::erase_if(graph.nodes, [&](const auto& owned) { return owned.get() == node; });
  }
}

}  // namespace weft::graph
