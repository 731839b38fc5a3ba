// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/streaming.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/base/visible.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/counters.h"
#include "converter/graph/streaming/delays.h"
#include "converter/graph/streaming/lengths.h"
#include "converter/graph/streaming/ports.h"
#include "converter/graph/streaming/resize.h"
#include "converter/graph/streaming/rounding.h"
#include "converter/graph/streaming/walks.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

std::string VariableOf(const ir::Node& node) {
  const auto found = node.attributes.find("variable_id");
  return found == node.attributes.end() ? std::string() : found->second;
}

// The tensor whose elements these are.
ir::Source UnderOtherDims(ir::Source source) {
  while (ops::TraitsOf(*source.node).reshapes) source = source.node->inputs[0];
  return source;
}

// A convolution that looks back along an axis of its data and not ahead.
struct LookBack {
  ir::Node* node = nullptr;
  int64_t axis = 0;
};

class Streaming {
 public:
  Streaming(ir::Graph& graph, int64_t steps, const Folding& folding, Faults& faults)
      : graph_(graph), steps_(steps), folding_(folding), faults_(faults) {}

  std::optional<Streamed> Run() {
    const size_t before = faults_.lines().size();
    SeparateConstants();
    JoinPads(graph_);
    if (!ReadWalks()) return std::nullopt;
    TimeAxes times(graph_, whole_steps_, faults_);
    for (const LookBack& back : look_backs_) {
      times.Set(back.node->inputs[0], {back.axis, 1, 1}, *back.node);
    }
    for (Walk& walk : walks_) {
      for (const Stride& stride : walk.strides) {
        times.Set(TensorAt(*walk.node, stride.at), {stride.at.axis, 1, stride.chunk}, *walk.node);
      }
    }
    times.Spread();
    lengths_ = ConstantsOfLength(graph_, times, folding_);
    CheckCounters();
    FindKeptStates();
    // A sequence of one step is whole whatever is done along it.
    if (times.steps() > 1) Check(times);
    if (faults_.lines().size() != before) return std::nullopt;
    DescribeVariables(graph_);
    KeepRounding(graph_, times, steps_);
    Resize(graph_, times, steps_);
    for (ir::Node* node : times.nodes()) KeepPast(times, *node);
    for (Walk& walk : walks_) {
      Shorten(graph_, walk, steps_);
      for (const Carried& state : walk.states) Keep(walk, state);
    }
    for (const std::unique_ptr<ir::Node>& node : graph_.nodes) {
      for (ir::OutputPort& port : node->outputs) port.declared = true;
    }
    DescribePorts(graph_, times, steps_, streamed_);
    return std::move(streamed_);
  }

 private:
  void SeparateConstants();
  bool ReadWalks();
  void ReadLookBacks();
  void Count(const ir::Node& node, int64_t steps);
  void FindKeptStates();
  bool IsKept(const Walk& walk, const Carried& state);
  void CheckCounters();
  void Check(const TimeAxes& times);
  void CheckLengths(const TimeAxes& times, ir::Node& node);
  bool MayReadLength(const TimeAxes& times, ir::Node& node, size_t input) const;
  void CheckOrder(const TimeAxes& times, ir::Node& node);
  void CheckPort(const TimeAxes& times, ir::Node& node, const PortAxis& at, const TimeAxis& time);
  void CheckLate(const TimeAxes& times);
  bool IsLate(const TimeAxes& times, ir::Node& node, uint32_t port) const;
  bool HasTime(const TimeAxes& times, ir::Node& node) const;
  void Keep(Walk& walk, const Carried& state);
  const Delay* DelayOf(const TimeAxes& times, ir::Node& node) const;
  void KeepPast(const TimeAxes& times, ir::Node& node);
  std::string FreeName(const std::string& wanted);
  void DescribeVariables(const ir::Graph& graph);
  const Walk* WalkOf(const ir::Node& node) const;

  ir::Graph& graph_;
  const int64_t steps_;
  const Folding& folding_;
  Faults& faults_;
  std::vector<Walk> walks_;
  std::vector<LookBack> look_backs_;  // of a model without walks
  int64_t whole_steps_ = 0;           // of the time axis, before it is cut
  bool steps_agree_ = true;
  std::string counts_;                    // of the steps, layer by layer
  std::set<const ir::Node*> kept_reads_;  // ReadValues that already keep a walk's state
  std::set<std::pair<const ir::Node*, const Carried*>> kept_;
  std::set<const ir::Node*> lengths_;  // constants that are made of the number of steps
  std::set<std::string> names_;
  Streamed streamed_;
};

// Two readers of one constant may differ in where they see time.
void Streaming::SeparateConstants() {
  std::set<const ir::Node*> used;
  for (ir::Node* node : ir::Topological(graph_)) {
    for (ir::Source& source : node->inputs) {
      if (!source.node->constant || used.insert(source.node).second) continue;
      std::unique_ptr<ir::Node> copy = ir::CopyOf(*source.node);
      source.node = copy.get();
      graph_.nodes.push_back(std::move(copy));
    }
  }
}

void Streaming::Count(const ir::Node& node, int64_t steps) {
  counts_ += fmt::format("{}layer {} \"{}\" {}", counts_.empty() ? "" : ", ", node.id,
                         OneLine(node.name), steps);
  if (whole_steps_ == 0) whole_steps_ = steps;
  steps_agree_ = steps_agree_ && steps == whole_steps_;
}

// Without a walk, time is the axis along which convolutions look back.
void Streaming::ReadLookBacks() {
  for (ir::Node* node : ir::Topological(graph_)) {
    for (const Delay& delay : ops::RelationOf(graph_, *node).delays) {
      look_backs_.push_back({node, delay.axis});
      Count(*node, DimsOf(node->inputs[0])[static_cast<size_t>(delay.axis)]);
    }
  }
}

bool Streaming::ReadWalks() {
  for (ir::Node* node : ir::Topological(graph_)) {
    if (ir::IsReadValue(*node)) names_.insert(VariableOf(*node));
    std::optional<Walk> walk = ReadWalk(graph_, *node, faults_);
    if (!walk) continue;
    Count(*node, walk->steps);
    walks_.push_back(std::move(*walk));
  }
  if (walks_.empty()) ReadLookBacks();
  if (walks_.empty() && look_backs_.empty()) {
    faults_.Add(fmt::format(
        "{}: no sequence, TensorIterator or Loop walks along a time axis, and no convolution looks "
        "back along one; --streaming must have one to cut",
        graph_.file));
    return false;
  }
  if (!steps_agree_) {
    faults_.Add(
        fmt::format("{}: its time axes have different numbers of steps ({}); --streaming "
                    "must have one number for all",
                    graph_.file, counts_));
    return false;
  }
  if (steps_ >= 1 && steps_ <= whole_steps_) return true;
  faults_.Add(fmt::format("--streaming: {} steps of {}'s {}; must be from 1 to {}", steps_,
                          graph_.file, whole_steps_, whole_steps_));
  return false;
}

const Walk* Streaming::WalkOf(const ir::Node& node) const {
  const auto found = std::ranges::find(walks_, &node, &Walk::node);
  return found == walks_.end() ? nullptr : &*found;
}

// A state that begins as a variable and is assigned to it at the end is kept between runs already.
void Streaming::FindKeptStates() {
  for (const Walk& walk : walks_) {
    for (const Carried& state : walk.states) {
      if (IsKept(walk, state)) kept_.insert({walk.node, &state});
    }
  }
}

bool Streaming::IsKept(const Walk& walk, const Carried& state) {
  if (!state.output) return false;
  const ir::Node* read = UnderOtherDims(InitialOf(walk, state)).node;
  if (!ir::IsReadValue(*read)) return false;
  int readers = 0;
  for (ir::Node* node : ir::Topological(graph_)) {
    if (ops::TraitsOf(*node).reshapes) continue;
    for (const ir::Source& input : node->inputs) readers += UnderOtherDims(input).node == read;
  }
  int assigns = 0;
  bool assigns_last = false;
  for (const ir::Node* sink : graph_.sinks) {
    if (VariableOf(*sink) != VariableOf(*read)) continue;
    ++assigns;
    const ir::Source last = UnderOtherDims(sink->inputs[0]);
    assigns_last = last.node == walk.node && last.port == *state.output;
  }
  if (readers != 1 || assigns != 1 || !assigns_last) return false;
  kept_reads_.insert(read);
  return true;
}

void Streaming::CheckCounters() {
  for (const Walk& walk : walks_) {
    if (!ir::Iterates(*walk.node)) continue;
    std::set<size_t> lengths;
    for (size_t i = 0; i < walk.node->inputs.size(); ++i) {
      if (lengths_.contains(walk.node->inputs[i].node)) lengths.insert(i);
    }
    RefuseCounters(graph_, *walk.node, lengths, faults_);
  }
}

// The number of steps is itself where it says how far a walk goes and how large a tensor with time
// in it is, for there it is made another.
bool Streaming::MayReadLength(const TimeAxes& times, ir::Node& node, size_t input) const {
  if (times.Of(node.inputs[input]) != nullptr) return false;
  if (const Walk* walk = WalkOf(node)) {
    return ir::Iterates(node) || input == 1 + walk->states.size();
  }
  const AxisRelation& relation = times.Relation(&node);
  if (relation.selects) return input > 0 && times.Of(node.inputs[0]) != nullptr;
  return (relation.reshapes || relation.stretches) && input > 0 && times.Of({&node, 0}) != nullptr;
}

void Streaming::CheckLengths(const TimeAxes& times, ir::Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!lengths_.contains(node.inputs[i].node) || MayReadLength(times, node, i)) continue;
    RefuseToCut(graph_, node, fmt::format("input {} is computed from the number of all steps", i),
                faults_);
  }
}

void Streaming::Check(const TimeAxes& times) {
  for (ir::Node* node : times.nodes()) {
    CheckLengths(times, *node);
    if (ir::IsReadValue(*node) && !kept_reads_.contains(node)) {
      RefuseToCut(graph_, *node,
                  fmt::format("it reads variable \"{}\" once for all steps", VariableOf(*node)),
                  faults_);
    }
    CheckOrder(times, *node);
    const TimeAxis* delayed = DelayOf(times, *node) ? times.Of(node->inputs[0]) : nullptr;
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
  CheckLate(times);
}

// A sum over an axis with time inside it runs in another order when one step is left of it.
void Streaming::CheckOrder(const TimeAxes& times, ir::Node& node) {
  const std::vector<bool>& summed = times.Relation(&node).summed;
  const TimeAxis* time = summed.empty() ? nullptr : times.Of(node.inputs[0]);
  if (time == nullptr || time->outer * steps_ * time->chunk != 1) return;
  const Dims& dims = DimsOf(node.inputs[0]);
  for (size_t axis = 0; axis < static_cast<size_t>(time->axis); ++axis) {
    if (!summed[axis] || dims[axis] == 1) continue;
    return RefuseToCut(graph_, node,
                       fmt::format("it sums over axis {} with the time axis inside, which rounds "
                                   "differently for a single step",
                                   axis),
                       faults_);
  }
}

void Streaming::CheckPort(const TimeAxes& times, ir::Node& node, const PortAxis& at,
                          const TimeAxis& time) {
  const bool is_port = ir::IsParameter(node) || ir::IsResult(node);
  if (is_port && time.outer != 1) {
    return RefuseToCut(graph_, node, "its time axis is flattened into a batch", faults_);
  }
  if (node.constant) {
    if (IsAlikeAtEveryStep(*node.constant, time, times.steps())) return;
    return RefuseToCut(graph_, node, "its value differs from step to step", faults_);
  }
  if (const Walk* walk = WalkOf(node)) {
    const auto stride = std::ranges::find(walk->strides, at, &Stride::at);
    if (stride != walk->strides.end() && time.outer == 1 && time.chunk == stride->chunk) return;
    return RefuseToCut(graph_, node,
                       fmt::format("input {} gives it time steps other than its own", at.port),
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
  if (apart) return;
  const auto selection = std::ranges::find(relation.selections, at.axis, &Selection::axis);
  if (at.output || at.port != 0 || selection == relation.selections.end()) {
    return RefuseToCut(graph_, node, "it " + relation.reason, faults_);
  }
  if (TakesLastStep(*selection, time, times.steps())) return;
  RefuseToCut(graph_, node,
              fmt::format("it takes places [{}, {}) of {} along time", selection->begin,
                          selection->end, time.outer * times.steps() * time.chunk),
              faults_);
}

bool Streaming::HasTime(const TimeAxes& times, ir::Node& node) const {
  const auto runs = [&](const ir::Source& source) { return times.Of(source) != nullptr; };
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    if (runs({&node, port})) return true;
  }
  return std::ranges::any_of(node.inputs, runs);
}

// Is output `port` the first to know only the last step?
bool Streaming::IsLate(const TimeAxes& times, ir::Node& node, uint32_t port) const {
  if (times.Of({&node, port}) != nullptr || !HasTime(times, node)) return false;
  return WalkOf(node) != nullptr || !times.Relation(&node).selections.empty();
}

// What is known after the last step must not meet the steps before it.
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

std::string Streaming::FreeName(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{} {}", wanted, i);
  return name;
}

// Variables that the model has of its own, in bodies too.
void Streaming::DescribeVariables(const ir::Graph& graph) {
  for (const ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) DescribeVariables(*body.graph);
    if (!ir::IsReadValue(*node)) continue;
    streamed_.states.push_back({VariableOf(*node), DenseBytes(node->outputs[0].type).value_or(0),
                                "a variable of the model"});
  }
}

void Streaming::Keep(Walk& walk, const Carried& state) {
  if (kept_.contains({walk.node, &state})) return;
  const std::string name = FreeName(state.name);
  const ir::Source initial = InitialOf(walk, state);
  const TensorType type = TypeOf(initial);
  const ir::Source read = NewReadValue(graph_, *walk.node, name, initial);
  read.node->outputs[0].type = type;
  NewAssign(graph_, *walk.node, name, {walk.node, Narrow32(*state.output, "output")});
  SetInitial(walk, state, read);
  std::string from = state.from;
  if (!initial.node->constant) {
    from += fmt::format("; initialised by layer {} \"{}\" in the first run after a reset",
                        initial.node->id, OneLine(initial.node->name));
  }
  streamed_.states.push_back({name, DenseBytes(type).value_or(0), from});
}

// The delay along time, if that is what the node has.
const Delay* Streaming::DelayOf(const TimeAxes& times, ir::Node& node) const {
  const std::vector<Delay>& delays = times.Relation(&node).delays;
  const TimeAxis* time = delays.empty() ? nullptr : times.Of(node.inputs[0]);
  if (time == nullptr) return nullptr;
  const auto found = std::ranges::find(delays, time->axis, &Delay::axis);
  return found == delays.end() ? nullptr : &*found;
}

void Streaming::KeepPast(const TimeAxes& times, ir::Node& node) {
  const Delay* delay = DelayOf(times, node);
  if (delay == nullptr) return;
  const std::string name = FreeName(node.name + "/past");
  TensorType type = node.inputs[0].node->outputs[node.inputs[0].port].type;
  type.dims[static_cast<size_t>(delay->axis)] = delay->past;
  ReadPast(graph_, node, delay->axis, delay->past, name);
  streamed_.states.push_back({name, DenseBytes(type).value_or(0),
                              fmt::format("the last {} places before layer {} \"{}\"", delay->past,
                                          node.id, OneLine(node.name))});
}

}  // namespace

std::optional<Streamed> Stream(ir::Graph& graph, int64_t steps, const Folding& folding,
                               Faults& faults) {
  return Streaming(graph, steps, folding, faults).Run();
}

}  // namespace weft::graph
