// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converter/base/visible.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

using ir::BodyInput;
using Nodes = std::set<const ir::Node*>;

bool IsInteger(ElementType type) { return !IsFloat(type) && type != ElementType::boolean; }

struct Counter {
  std::string text;
  bool is_number = false;  // a counter only if it decides which elements are selected
};

class Counters {
 public:
  Counters(const ir::Graph& graph, const ir::Node& loop, const std::set<size_t>& lengths,
           Faults& faults)
      : graph_(graph),
        loop_(loop),
        map_(loop.bodies[0].map),
        lengths_(lengths),
        inside_(*loop.bodies[0].graph),
        order_(ir::Topological(inside_)),
        origins_(inside_),
        faults_(faults) {}

  void Run() {
    FindNeeded();
    FindCounters();
    for (ir::Node* node : order_) {
      if (needed_.contains(node) && !node->constant) Follow(*node);
    }
    for (size_t i = 0; i < map_.outputs.size(); ++i) CheckOutput(i);
    for (const BodyInput& input : map_.inputs) CheckState(input);
  }

 private:
  bool IsLength(const BodyInput& input) const {
    if (!input.is(BodyInput::Kind::kInvariant)) return false;
    return lengths_.contains(*input.input) || (ir::IsLoop(loop_) && *input.input == 0);
  }
  static const ir::Source& NextOf(const BodyInput& input) { return input.next->inputs[0]; }
  bool IsRead(size_t output) const;
  void FindNeeded();
  Nodes NodesThatNeedOnly(const Nodes& parameters) const;
  Nodes ReadersOf(const Nodes& parameters) const;
  bool GrowsByAConstant(const BodyInput& state) const;
  void FindCounters();
  bool HandsOn(const ir::Node& node) const;
  bool Decides(const ir::Node& node, const ir::Source& number) const;
  void Follow(ir::Node& node);
  void CheckOutput(size_t output);
  void CheckState(const BodyInput& input);
  const Counter* CounterIn(const ir::Source& source) const;

  const ir::Graph& graph_;
  const ir::Node& loop_;
  const ir::PortMap& map_;
  const std::set<size_t>& lengths_;
  const ir::Graph& inside_;
  const std::vector<ir::Node*> order_;
  const Origins origins_;
  Faults& faults_;
  Nodes needed_;    // nodes of the body that an output with readers depends on
  Nodes counters_;  // Parameters of the body
  Nodes free_;      // nodes that depend only on constants, counters and loop invariants
  // Values of the body that depend on a counter, with this counter.
  std::map<std::pair<const ir::Node*, uint32_t>, Counter> counter_of_;
};

// A folded constant counts as the value that it was computed from.
const Counter* Counters::CounterIn(const ir::Source& source) const {
  const auto found = counter_of_.find({source.node, source.port});
  if (found != counter_of_.end()) return &found->second;
  const ir::Source from = origins_.Of(*source.node);
  if (from.node == nullptr) return nullptr;
  for (const ir::Source& input : from.node->inputs) {
    if (const Counter* counter = CounterIn(input)) return counter;
  }
  return nullptr;
}

bool Counters::IsRead(size_t output) const {
  for (const ir::Node* node : ir::Topological(graph_)) {
    for (const ir::Source& source : node->inputs) {
      if (source.node == &loop_ && source.port == output) return true;
    }
  }
  return false;
}

void Counters::FindNeeded() {
  std::vector<const ir::Node*> open;
  for (size_t i = 0; i < map_.outputs.size(); ++i) {
    if (IsRead(i)) open.push_back(map_.outputs[i].result);
  }
  if (map_.condition != nullptr) open.push_back(map_.condition);
  for (const ir::Node* sink : inside_.sinks) open.push_back(sink);
  while (!open.empty()) {
    const ir::Node* node = open.back();
    open.pop_back();
    if (!needed_.insert(node).second) continue;
    for (const ir::Source& source : node->inputs) open.push_back(source.node);
    for (const BodyInput& input : map_.inputs) {
      if (input.parameter != node || !input.is(BodyInput::Kind::kCarried)) continue;
      open.push_back(input.next);
    }
  }
}

// Returns the nodes of the body that do not depend on a slice, a state or a variable, except
// `parameters`.
Nodes Counters::NodesThatNeedOnly(const Nodes& parameters) const {
  Nodes free;
  for (const BodyInput& input : map_.inputs) {
    const bool changes = input.is(BodyInput::Kind::kSliced) || input.is(BodyInput::Kind::kCarried);
    if (!changes || parameters.contains(input.parameter)) free.insert(input.parameter);
  }
  for (const ir::Node* node : order_) {
    if (ir::IsParameter(*node) || ir::IsReadValue(*node)) continue;
    const bool is_free =
        node->constant || std::ranges::all_of(node->inputs, [&](const ir::Source& source) {
          return free.contains(source.node);
        });
    if (is_free) free.insert(node);
  }
  return free;
}

// Returns the nodes of the body that depend on one of them.
Nodes Counters::ReadersOf(const Nodes& parameters) const {
  Nodes readers = parameters;
  for (const ir::Node* node : order_) {
    if (node->constant) continue;
    const bool reads = std::ranges::any_of(
        node->inputs, [&](const ir::Source& source) { return readers.contains(source.node); });
    if (reads) readers.insert(node);
  }
  return readers;
}

bool Counters::GrowsByAConstant(const BodyInput& state) const {
  ir::Source next = NextOf(state);
  while (ops::TraitsOf(*next.node).reshapes) next = next.node->inputs[0];
  const std::string_view name = next.node->operation->name;
  if (name != "Add" && name != "Subtract") return false;
  for (size_t i = 0; i < 2; ++i) {
    ir::Source before = next.node->inputs[i];
    while (ops::TraitsOf(*before.node).reshapes) before = before.node->inputs[0];
    const bool is_first = i == 0 || name == "Add";
    if (before.node == state.parameter) return is_first && next.node->inputs[1 - i].node->constant;
  }
  return false;
}

// Finds carried integers that depend only on each other; those that never become constant are
// counters.
void Counters::FindCounters() {
  Nodes given;
  for (const BodyInput& input : map_.inputs) {
    const ElementType type = input.parameter->outputs[0].type.type;
    if (input.is(BodyInput::Kind::kIteration)) {
      given.insert(input.parameter);
      counter_of_[{input.parameter, 0}] = {
          fmt::format("the iteration counter \"{}\"", OneLine(input.parameter->name))};
    } else if (IsLength(input)) {
      given.insert(input.parameter);
      counter_of_[{input.parameter, 0}] = {"the total number of steps"};
    } else if (input.is(BodyInput::Kind::kCarried)) {
      const bool grows = GrowsByAConstant(input);
      if (!IsInteger(type) && !(IsFloat(type) && grows)) continue;
      counters_.insert(input.parameter);
      counter_of_[{input.parameter, 0}] = {
          fmt::format("the carried counter \"{}\"", OneLine(input.parameter->name)),
          !(IsInteger(type) && grows)};
    }
  }
  for (bool changed = true; changed;) {
    free_ = NodesThatNeedOnly(counters_);
    Nodes moving = counters_;
    moving.insert(given.begin(), given.end());
    const Nodes readers = ReadersOf(moving);
    changed = false;
    for (const BodyInput& input : map_.inputs) {
      if (!input.is(BodyInput::Kind::kCarried) || !counters_.contains(input.parameter)) continue;
      const ir::Node* next = NextOf(input).node;
      if (free_.contains(next) && readers.contains(next)) continue;
      counters_.erase(input.parameter);
      counter_of_.erase({input.parameter, 0});
      changed = true;
    }
  }
}

// Returns true if a value computed only from a counter is itself a counter.
bool Counters::HandsOn(const ir::Node& node) const {
  const ops::Traits& traits = node.operation->traits;
  return (traits.pointwise || traits.reshapes) && node.outputs.size() == 1 && free_.contains(&node);
}

// Returns true if the number decides which elements the node selects.
bool Counters::Decides(const ir::Node& node, const ir::Source& number) const {
  const bool from_float = IsFloat(TypeOf(number).type);
  for (const ir::OutputPort& port : node.outputs) {
    if (port.type.type == ElementType::boolean) return true;
    if (from_float && !IsFloat(port.type.type)) return true;
  }
  const ops::Traits& traits = node.operation->traits;
  return !from_float && !traits.pointwise && !traits.reshapes && !traits.joins;
}

void Counters::Follow(ir::Node& node) {
  if (ir::IsResult(node)) return;
  std::optional<Counter> counter;
  size_t at = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Counter* found = CounterIn(node.inputs[i]);
    if (found == nullptr || (counter && found->is_number)) continue;
    counter = *found;
    at = i;
  }
  if (!counter) return;
  const ir::Source& source = node.inputs[at];
  const bool stays =
      !node.outputs.empty() && IsFloat(TypeOf(source).type) == IsFloat(node.outputs[0].type.type);
  const bool decides = counter->is_number && Decides(node, source);
  if (!decides && HandsOn(node) && (stays || counter->is_number)) {
    counter_of_[{&node, 0}] = *counter;
  } else if (decides || !counter->is_number) {
    RefuseToCut(inside_, node,
                fmt::format("input {} is computed from {} of layer {} \"{}\"", at, counter->text,
                            loop_.id, OneLine(loop_.name)),
                faults_);
  }
}

void Counters::CheckOutput(size_t output) {
  const ir::Source& source = map_.outputs[output].result->inputs[0];
  const Counter* counter = CounterIn(source);
  if (counter == nullptr || counter->is_number || !IsRead(output)) return;
  RefuseToCut(graph_, loop_, fmt::format("output {} depends on {}", output, counter->text),
              faults_);
}

void Counters::CheckState(const BodyInput& input) {
  if (!input.is(BodyInput::Kind::kCarried) || !needed_.contains(input.parameter)) return;
  const std::string state = fmt::format("its state \"{}\"", OneLine(input.parameter->name));
  if (lengths_.contains(*input.input)) {
    RefuseToCut(graph_, loop_, state + " begins as the total number of steps", faults_);
    return;
  }
  const Counter *counter = CounterIn(NextOf(input)), *own = CounterIn({input.parameter, 0});
  if (counter == nullptr || counter->is_number || (own != nullptr && !own->is_number)) return;
  RefuseToCut(graph_, loop_, fmt::format("{} is computed from {}", state, counter->text), faults_);
}

}  // namespace

void RefuseCounters(const ir::Graph& graph, const ir::Node& loop, const std::set<size_t>& lengths,
                    Faults& faults) {
  Counters(graph, loop, lengths, faults).Run();
}

}  // namespace weft::graph
