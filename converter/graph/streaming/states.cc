// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/states.h"

#include <fmt/format.h>

#include <algorithm>

#include "converter/base/narrow.h"
#include "converter/base/visible.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/keys.h"
#include "converter/graph/streaming/late_masks.h"
#include "converter/ops/support/first_read.h"

namespace weft::graph {
namespace {

// Lists each layer once, even if it was converted to several nodes.
std::string LayersOf(const std::vector<SharedPast::Reader>& readers) {
  std::vector<std::string> layers;
  for (const auto& [node, delay] : readers) {
    std::string layer = fmt::format("layer {} \"{}\"", node->id, OneLine(node->name));
    if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(std::move(layer));
  }
  return fmt::format("{}", fmt::join(layers, ", "));
}

}  // namespace

std::string VariableOf(const ir::Node& node) { return AttributeText(node, "variable_id"); }

States::States(ir::Graph& graph, const TimeAxes& times, int64_t steps)
    : graph_(graph), times_(times), steps_(steps) {
  AddVariables(graph);
}

// Includes variables in bodies. Several nodes may read a variable.
void States::AddVariables(const ir::Graph& graph) {
  for (const ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) AddVariables(*body.graph);
    if (!ir::IsReadValue(*node) || !names_.insert(VariableOf(*node)).second) continue;
    all_.push_back({VariableOf(*node), DenseBytes(node->outputs[0].type).value_or(0),
                    "a variable of the model"});
  }
}

std::string States::FreeName(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{} {}", wanted, i);
  return name;
}

void States::Add(const std::string& name, const TensorType& type, const ir::Node& node,
                 const std::string& what) {
  all_.push_back({name, DenseBytes(type).value_or(0),
                  fmt::format("{} layer {} \"{}\"", what, node.id, OneLine(node.name))});
}

// Adds the start index of the ring that holds a node's past.
std::string States::NewStart(const ir::Node& node) {
  const std::string name = FreeName(node.name + "/start");
  Add(name, {ElementType::i32, {}}, node, "the index of the oldest position in the past of");
  all_.back().is_past = true;
  return name;
}

void States::KeepSum(ir::Node& node) {
  const RunningSum* sum = SumOverTime(times_, node);
  if (sum == nullptr) return;
  const std::string name = FreeName(node.name + "/sum");
  Add(name, SumType(node, *sum), node, "the sum so far of");
  ReadSum(graph_, node, *sum, name);
}

void States::KeepPasts(const std::vector<SharedPast>& pasts) {
  for (ir::Node* node : times_.nodes()) {
    const Delay* delay = DelayOverTime(times_, *node);
    if (delay == nullptr) continue;
    for (const auto& [key, text] : delay->attributes) node->attributes[key] = text;
  }
  for (const SharedPast& past : pasts) KeepPast(past);
}

void States::KeepPast(const SharedPast& past) {
  const ir::Node& first = *past.readers.front().node;
  const Delay& delay = *past.readers.front().delay;
  PastNames names = {.past = FreeName(first.name + "/past"), .start = {}};
  const char* begins = delay.repeats ? ", initially the first position repeated" : "";
  const std::string readers = LayersOf(past.readers);
  const std::string last = past.positions == 1
                               ? "the last position"
                               : fmt::format("the last {} positions", past.positions);
  all_.push_back({names.past, DenseBytes(PastType(first, delay, past.positions)).value_or(0),
                  fmt::format("{} of the input of {}{}", last, readers, begins), true});
  if (past.positions > 1) {
    names.start = FreeName(first.name + "/start");
    all_.push_back({names.start, DenseBytes(TensorType{ElementType::i32, {}}).value_or(0),
                    "the index of the oldest position in the past of " + readers, true});
  }
  Past& kept = pasts_.emplace_back(graph_, first, delay, past.positions, std::move(names));
  for (const SharedPast::Reader& reader : past.readers) kept.PutBefore(*reader.node, *reader.delay);
}

void States::WritePasts() {
  const std::vector<ir::Node*> order = ir::Topological(graph_);
  for (Past& past : pasts_) past.Write(order);
}

void States::KeepNumbers(ir::Node& node, const std::map<const ir::Node*, Numbering>& numbers) {
  for (ir::Source& source : node.inputs) {
    const auto found = numbers.find(source.node);
    if (found == numbers.end()) continue;
    const std::string name = FreeName(source.node->name + "/number");
    Add(name, {ElementType::i64, {}}, *source.node, "the number of the next step, for");
    source = ReadNumbering(graph_, *source.node, found->second, name);
  }
}

void States::CountOn(const std::vector<Table>& tables, std::vector<CausalAttention> attentions) {
  const NewState new_state = [this](const std::string& wanted, const TensorType& type,
                                    const std::string& from) {
    all_.push_back({FreeName(wanted), DenseBytes(type).value_or(0), from});
    return all_.back().name;
  };
  const auto runs_beside = [&](const CausalAttention& attention) {
    return times_.steps() == 1 || !RunsAlong(times_, attention);
  };
  std::erase_if(attentions, runs_beside);
  const auto counting = std::ranges::find_if(attentions, CountsSteps);
  const ir::Node* asks = counting == attentions.end() ? nullptr : counting->scores;
  const ir::Source so_far = ReadTables(graph_, times_, steps_, tables, asks, new_state);
  KeepKeys(graph_, times_, attentions, so_far, new_state,
           [this](const ir::Node& node) { return NewStart(node); });
}

void States::KeepLateSteps() {
  const std::string name = FreeName("latency/steps");
  const int64_t bytes = ReadLateMasks(graph_, times_, steps_, name);
  if (bytes == 0) return;
  all_.push_back({name, bytes, "the number of steps so far, until delayed layers have started"});
}

void States::KeepFirst(ir::Node& node, size_t input) {
  const ir::Source early = node.inputs[input];
  ir::Source& held = firsts_[{early.node, early.port}];
  if (held.node == nullptr) {
    const std::string name = FreeName(early.node->name + "/first");
    held = NewReadValue(graph_, *early.node, name, early);
    held.node->outputs[0] = early.node->outputs[early.port];
    NewAssign(graph_, *early.node, name, held);
    Add(name, TypeOf(early), *early.node, "the value in the first run of");
  }
  node.inputs[input] = held;
}

void States::KeepCarried(TimeLoop& time_loop, const Carried& state) {
  const std::string name = FreeName(state.name);
  const ir::Source initial = InitialOf(time_loop, state);
  const TensorType type = TypeOf(initial);
  const ir::Source read = NewReadValue(graph_, *time_loop.node, name, initial);
  NewAssign(graph_, *time_loop.node, name, {time_loop.node, Narrow32(*state.output, "output")});
  SetInitial(time_loop, state, read);
  std::string from = state.from;
  if (!initial.node->constant) {
    from += fmt::format("; initialised by layer {} \"{}\" in the first run after a reset",
                        initial.node->id, OneLine(initial.node->name));
  }
  all_.push_back({name, DenseBytes(type).value_or(0), from});
}

void CountStates(const program::Program& program, Streamed& streamed) {
  std::map<std::string, int64_t> bytes;
  for (const program::Variable& variable : program.variables) {
    bytes[variable.name] = program.values[variable.value].bytes;
  }
  std::vector<StreamedState> states;
  for (StreamedState state : streamed.states) {
    const auto found = bytes.find(state.name);
    const int64_t less = found == bytes.end() ? 0 : state.bytes - found->second;
    streamed.min_state_bytes -= std::max<int64_t>(less, 0);
    state.bytes -= less;
    states.push_back(state);
    const auto flag = bytes.find(ops::FlagOf(state.name));
    if (flag == bytes.end()) continue;
    states.push_back(
        {flag->first, flag->second,
         fmt::format("whether state \"{}\" has its initial value", OneLine(state.name))});
  }
  streamed.states = std::move(states);
}

}  // namespace weft::graph
