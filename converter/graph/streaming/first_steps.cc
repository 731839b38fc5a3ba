// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/first_steps.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "converter/base/elements.h"
#include "converter/base/narrow.h"
#include "converter/graph/infer.h"
#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/axes.h"
#include "converter/graph/streaming/early.h"
#include "converter/graph/streaming/shifts.h"
#include "converter/graph/streaming/time_loops.h"
#include "converter/ir/edit.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

using ir::BodyInput;
using SourceKey = std::pair<const ir::Node*, uint32_t>;

SourceKey KeyOf(const ir::Source& source) { return {source.node, source.port}; }

// A tensor of which a loop slices chunks, starting at the first step.
struct FromFirst {
  size_t entry = 0;  // index in the map's inputs
  ir::Source tensor;
  int64_t axis = 0, part = 1;
  bool lacks_first = false;  // a constant of all steps except the first
};

// A loop output with all steps except the first, and its concatenation with the first step.
struct JoinedFirst {
  size_t output = 0;
  ir::Node* join = nullptr;
  ir::Source first() const { return join->inputs[0]; }
};

// Prepends a row to an f32 constant: its first row again, or `number`.
ir::Constant After(std::optional<float> number, const ir::Constant& constant, int64_t axis,
                   int64_t part) {
  const Dims& dims = constant.type.dims;
  const auto at = static_cast<size_t>(axis);
  const auto row = static_cast<size_t>(part * ops::ProductOf(dims, at + 1, dims.size()) *
                                       ElementBytes(constant.type.type));
  const size_t all = row * static_cast<size_t>(dims[at] / part);
  auto bytes = std::make_shared<std::vector<std::byte>>();
  for (size_t begin = 0; begin < constant.bytes.size(); begin += all) {
    const auto rows = constant.bytes.subspan(begin, all);
    for (size_t i = 0; number && i < row; i += sizeof(float)) {
      const auto element = std::as_bytes(std::span(&*number, 1));
      bytes->insert(bytes->end(), element.begin(), element.end());
    }
    if (!number)
      bytes->insert(bytes->end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(row));
    bytes->insert(bytes->end(), rows.begin(), rows.end());
  }
  TensorType longer = constant.type;
  longer.dims[at] += part;
  return {longer, bytes, *bytes};
}

// Prepends a row for the first step, which nothing reads, to a constant with one row per later
// step. If the rows are a numbering or its inverse (numbering.h), the new row continues it.
ir::Constant WithFirstRow(const ir::Constant& constant, int64_t axis, int64_t part) {
  if (constant.type.type == ElementType::f32 && part == 1) {
    const auto first = static_cast<float>(RealAt(ElementType::f32, constant.bytes, 0));
    const float number = std::nearbyint(first) - 1;
    const float inverse = 1.0F / (std::nearbyint(1.0F / first) - 1);
    for (const float before : {number, inverse}) {
      ir::Constant longer = After(before, constant, axis, part);
      if (NumberingAlong(longer, axis)) return longer;
    }
  }
  return After(std::nullopt, constant, axis, part);
}

// Propagates time from the tensors that the loop slices.
TimeAxes TimeOf(ir::Graph& graph, const ir::Node& loop, const std::vector<FromFirst>& iterated,
                int64_t steps, Faults& discarded) {
  TimeAxes times(graph, steps);
  for (ir::Node* node : times.nodes()) {
    if (node == &loop) continue;
    if (const std::optional<TimeLoop> time_loop = ReadTimeLoop(graph, *node, discarded)) {
      times.AddTimeLoop(*node, time_loop->strides);
    }
  }
  for (const FromFirst& input : iterated) {
    if (!input.tensor.node->constant) times.Set(input.tensor, {input.axis, 1, input.part}, loop);
  }
  times.Spread();
  return times;
}

class LoopReading {
 public:
  LoopReading(ir::Graph& graph, ir::Node& loop)
      : graph_(graph), loop_(loop), map_(loop.bodies[0].map) {}

  // Returns true if the loop iterates over all steps except the first.
  bool Run() {
    for (size_t i = 0; i < map_.inputs.size(); ++i) {
      const BodyInput& input = map_.inputs[i];
      if (input.is(BodyInput::Kind::kIteration)) return false;
      if (input.is(BodyInput::Kind::kSliced) && !ReadSlice(i)) return false;
    }
    const auto is_model = [](const FromFirst& input) { return !input.tensor.node->constant; };
    if (std::ranges::none_of(iterated, is_model)) return false;
    const ir::Trips& trips = loop_.bodies[0].trips;
    const bool counts =
        ir::IsLoop(loop_) && (map_.Takes(0) || !trips.exact || trips.max != steps - 1);
    return !counts && ReadOutputs();
  }

  int64_t steps = 0;
  std::vector<FromFirst> iterated;
  std::vector<JoinedFirst> joined;

 private:
  bool ReadSlice(size_t entry);
  bool ReadOutputs();
  bool IsKnownAfterFirst(const ir::Node& result) const;

  ir::Graph& graph_;
  ir::Node& loop_;
  const ir::PortMap& map_;
};

bool LoopReading::ReadSlice(size_t entry) {
  const BodyInput& input = map_.inputs[entry];
  const ir::Slicing& slicing = input.slicing;
  ir::Source tensor = loop_.inputs[*input.input];
  if (slicing.backward) return false;
  const int64_t positions = DimsOf(tensor)[static_cast<size_t>(slicing.axis)];
  const int64_t count = slicing.count() + 1;
  if (steps == 0) steps = count;
  const bool is_whole = slicing.begin == 0 && slicing.end == positions;
  const bool lacks_first = is_whole && tensor.node->constant;
  if (is_whole && !lacks_first) {
    const std::optional<Selection> taken = SliceOf(graph_, *tensor.node);
    if (!taken || taken->axis != slicing.axis || taken->begin != slicing.part) return false;
    tensor = tensor.node->inputs[0];
    if (taken->end != DimsOf(tensor)[static_cast<size_t>(slicing.axis)]) return false;
  } else if (!is_whole && (slicing.begin != slicing.part || slicing.end != positions)) {
    return false;
  }
  iterated.push_back({entry, tensor, slicing.axis, slicing.part, lacks_first});
  return steps > 1 && count == steps;
}

// Returns true if every scan output is only read by its concatenation with the first step.
bool LoopReading::ReadOutputs() {
  std::map<size_t, std::vector<std::pair<ir::Node*, size_t>>> readers;
  for (ir::Node* node : ir::Topological(graph_)) {
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      if (node->inputs[i].node == &loop_) readers[node->inputs[i].port].emplace_back(node, i);
    }
  }
  for (size_t i = 0; i < map_.outputs.size(); ++i) {
    const ir::BodyOutput& output = map_.outputs[i];
    if (!output.range || readers[i].empty()) continue;
    const auto [join, at] = readers[i][0];
    const bool joins = ops::TraitsOf(*join).joins && join->inputs.size() == 2 && at == 1;
    if (readers[i].size() > 1 || !joins || output.range->backward()) return false;
    Dims dims = DimsOf({&loop_, Narrow32(i, "output")});
    Dims part = DimsOf(output.result->inputs[0]);
    if (DimsOf(join->inputs[0]) != part) return false;
    dims[static_cast<size_t>(output.axis)] += part[static_cast<size_t>(output.axis)];
    if (dims != DimsOf({join, 0})) return false;
    joined.push_back({i, join});
  }
  return std::ranges::all_of(readers, [&](const auto& read) {
    return map_.outputs[read.first].range || IsKnownAfterFirst(*map_.outputs[read.first].result);
  });
}

// Returns true if the model defines the value after the first step.
bool LoopReading::IsKnownAfterFirst(const ir::Node& result) const {
  const auto is_next = [&](const BodyInput& input) {
    return input.is(BodyInput::Kind::kCarried) && input.next->inputs[0] == result.inputs[0];
  };
  const auto is_joined = [&](const JoinedFirst& other) {
    return map_.outputs[other.output].result->inputs[0] == result.inputs[0];
  };
  return std::ranges::any_of(map_.inputs, is_next) || std::ranges::any_of(joined, is_joined);
}

// Checks values that depend on the first step and on no later one.
class FirstStepMaking {
 public:
  explicit FirstStepMaking(const TimeAxes& times) : times_(times) {}

  // Returns false if a tensor with time is read in any way other than its first step.
  bool Read(const ir::Source& source) {
    if (source.node->constant || ir::IsParameter(*source.node) || ir::IsReadValue(*source.node)) {
      return times_.Of(source) == nullptr;
    }
    if (Begins(*source.node)) {
      needs_first_[source.node] = true;
      return true;
    }
    if (times_.Of(source) != nullptr) return false;
    if (needs_first_.contains(source.node)) return true;
    bool needs_first = false;
    for (const ir::Source& input : source.node->inputs) {
      if (!Read(input)) return false;
      needs_first = needs_first || NeedsFirst(*input.node);
    }
    needs_first_[source.node] = needs_first;
    return !needs_first || (!ops::TraitsOf(*source.node).draws && source.node->bodies.empty());
  }
  bool NeedsFirst(const ir::Node& node) const {
    const auto found = needs_first_.find(&node);
    return found != needs_first_.end() && found->second;
  }
  // Returns true if the node selects the complete first step and nothing else.
  bool Begins(ir::Node& node) const {
    const Selection* taken = FirstStepIn(times_, node);
    if (taken == nullptr || times_.Relation(&node).runs.empty()) return false;
    Dims dims = DimsOf(node.inputs[0]);
    const int64_t chunk = times_.Of(node.inputs[0])->chunk;
    dims[static_cast<size_t>(taken->axis)] = chunk;
    return taken->end - taken->begin == chunk &&
           ElementCount(dims) == ElementCount(DimsOf({&node, 0}));
  }

 private:
  const TimeAxes& times_;
  std::map<const ir::Node*, bool> needs_first_;
};

// Adds the first step to the body of the loop.
class FirstStep {
 public:
  FirstStep(ir::Graph& graph, ir::Node& loop, const LoopReading& reading, const TimeAxes& times)
      : graph_(graph),
        loop_(loop),
        map_(loop.bodies[0].map),
        inside_(*loop.bodies[0].graph),
        reading_(reading),
        times_(times),
        made_(times) {}

  bool MayTakeIn() {
    for (const JoinedFirst& joined : reading_.joined) {
      if (!made_.Read(joined.first())) return false;
    }
    return std::ranges::all_of(map_.inputs, [&](const BodyInput& input) {
      return !input.is(BodyInput::Kind::kCarried) || made_.Read(loop_.inputs[*input.input]);
    });
  }

  void Run() {
    IterateFromFirst();
    const ir::Source flag = Flag();
    const std::vector<ir::Source> states = States();
    for (const JoinedFirst& joined : reading_.joined) {
      ir::BodyOutput& output = map_.outputs[joined.output];
      output.result = Chosen(flag, Inside(joined.first()), output.result);
    }
    for (size_t i = 0; i < states_.size(); ++i) {
      BodyInput& state = map_.inputs[states_[i]];
      state.next = Chosen(flag, states[i], state.next);
    }
    for (ir::BodyOutput& output : map_.outputs) {
      const auto made = chosen_.find(KeyOf(output.result->inputs[0]));
      if (!output.range && made != chosen_.end()) output.result = made->second.back();
    }
    for (const JoinedFirst& joined : reading_.joined) HandOver(joined);
    ir::RemoveUnusedInputs(loop_);
    RemoveOldResults();
  }

 private:
  void IterateFromFirst();
  ir::Source Flag();
  std::vector<ir::Source> States();
  void HandOver(const JoinedFirst& joined);
  ir::Node* Chosen(const ir::Source& flag, const ir::Source& first, ir::Node* next);
  void RemoveOldResults();
  ir::Source Parameter(const ir::Node& like, const TensorType& type, const ir::Source& outside);
  ir::Source Inside(const ir::Source& source);
  ir::Source FirstStepOf(ir::Node& node);
  ir::Source Chunk(const ir::Node& like, const ir::Source& tensor, const TimeAxis& time);

  ir::Graph& graph_;
  ir::Node& loop_;
  ir::PortMap& map_;
  ir::Graph& inside_;
  const LoopReading& reading_;
  const TimeAxes& times_;
  FirstStepMaking made_;
  std::vector<size_t> states_;                          // indices of carried inputs
  std::map<SourceKey, std::vector<ir::Node*>> chosen_;  // Results, by their previous source
  std::map<const ir::Node*, ir::Source> copies_;        // copies of nodes, by their first output
  std::map<SourceKey, ir::Source> parameters_;          // loop invariants
  std::map<SourceKey, ir::Source> chunks_;
};

void FirstStep::IterateFromFirst() {
  for (const FromFirst& iterated : reading_.iterated) {
    BodyInput& input = map_.inputs[iterated.entry];
    ir::Source tensor = iterated.tensor;
    if (iterated.lacks_first) {
      tensor = NewConstant(graph_, *tensor.node,
                           WithFirstRow(*tensor.node->constant, iterated.axis, iterated.part));
    } else {
      chunks_[{tensor.node, tensor.port}] = {input.parameter, 0};
    }
    input.input = ir::AddInput(loop_, tensor);
    input.range->TakeWhole();
  }
  if (!ir::IsLoop(loop_)) return;
  const TensorType type = TypeOf(loop_.inputs[0]);
  loop_.inputs[0] = NewInts(graph_, loop_, type, {reading_.steps});
}

ir::Source FirstStep::Flag() {
  const ir::Source flag =
      Parameter(loop_, {ElementType::boolean, {}}, NewFlag(graph_, loop_, true));
  flag.node->name = "is first";
  map_.inputs.back().next = NewResult(inside_, loop_, NewFlag(inside_, loop_, false));
  return flag;
}

// Returns each state after the first step. A state that does not depend on the first step keeps its
// initial value.
std::vector<ir::Source> FirstStep::States() {
  std::vector<ir::Source> states;
  const size_t entries = map_.inputs.size() - 1;  // the flag is the last
  for (size_t i = 0; i < entries; ++i) {
    if (!map_.inputs[i].is(BodyInput::Kind::kCarried)) continue;
    states_.push_back(i);
    const ir::Source initial = loop_.inputs[*map_.inputs[i].input];
    if (!made_.NeedsFirst(*initial.node)) {
      states.push_back({map_.inputs[i].parameter, 0});
      continue;
    }
    states.push_back(Inside(initial));
    const TensorType type = TypeOf(initial);
    const auto bytes =
        std::make_shared<std::vector<std::byte>>(static_cast<size_t>(DenseBytes(type).value_or(0)));
    map_.inputs[i].input =
        ir::AddInput(loop_, NewConstant(graph_, loop_, ir::Constant{type, bytes, *bytes}));
  }
  return states;
}

// Returns a Result that selects `first` in the first step, and otherwise the previous value of
// `next`.
ir::Node* FirstStep::Chosen(const ir::Source& flag, const ir::Source& first, ir::Node* next) {
  const ir::Source after = next->inputs[0];
  std::vector<ir::Node*>& known = chosen_[KeyOf(after)];
  for (ir::Node* result : known) {
    if (result->inputs[0].node->inputs[1] == first) return result;
  }
  ir::Node* select = NewInferredNode(inside_, loop_, "Select", 1, {flag, first, after});
  known.push_back(NewResult(inside_, loop_, {select, 0}));
  return known.back();
}

void FirstStep::RemoveOldResults() {
  std::set<const ir::Node*> kept = {map_.condition};
  for (const BodyInput& input : map_.inputs) kept.insert(input.next);
  for (const ir::BodyOutput& output : map_.outputs) kept.insert(output.result);
  std::erase_if(inside_.results, [&](const ir::Node* result) { return !kept.contains(result); });
}

void FirstStep::HandOver(const JoinedFirst& joined) {
  const ir::Source all = {&loop_, Narrow32(joined.output, "output")};
  loop_.outputs[joined.output].type = joined.join->outputs[0].type;
  ir::HandOver(graph_, {joined.join, 0}, all);
}

ir::Source FirstStep::Parameter(const ir::Node& like, const TensorType& type,
                                const ir::Source& outside) {
  ir::Node* parameter = NewParameter(inside_, like);
  parameter->outputs[0].type = type;
  parameter->outputs[0].declared = true;
  map_.inputs.push_back({.parameter = parameter, .input = ir::AddInput(loop_, outside)});
  return {parameter, 0};
}

// Returns the value in the body, computed from the step of the iteration.
ir::Source FirstStep::Inside(const ir::Source& source) {
  ir::Node& node = *source.node;
  if (node.constant) return NewConstant(inside_, node, *node.constant);
  const SourceKey key = KeyOf(source);
  if (!made_.NeedsFirst(node)) {
    ir::Source& known = parameters_[key];
    if (known.node == nullptr) known = Parameter(node, TypeOf(source), source);
    return known;
  }
  const auto known = copies_.find(&node);
  if (known != copies_.end()) return {known->second.node, source.port};
  if (made_.Begins(node)) return copies_[&node] = FirstStepOf(node);
  std::vector<ir::Source> inputs;
  for (const ir::Source& input : node.inputs) inputs.push_back(Inside(input));
  inside_.nodes.push_back(ir::CopyOf(node));
  ir::Node& copy = *inside_.nodes.back();
  copy.inputs = std::move(inputs);
  copy.declared_inputs.clear();
  for (ir::OutputPort& output : copy.outputs) {
    output.names.clear();
    output.declared = false;
  }
  copies_[&node] = {&copy, 0};
  return {&copy, source.port};
}

ir::Source FirstStep::FirstStepOf(ir::Node& node) {
  const ir::Source tensor = node.inputs[0];
  const ir::Source chunk = Chunk(node, tensor, *times_.Of(tensor));
  return Reshaped(inside_, node, chunk, DimsOf({&node, 0}));
}

ir::Source FirstStep::Chunk(const ir::Node& like, const ir::Source& tensor, const TimeAxis& time) {
  ir::Source& known = chunks_[{tensor.node, tensor.port}];
  if (known.node != nullptr && TypeOf(known).dims[static_cast<size_t>(time.axis)] == time.chunk) {
    return known;
  }
  TensorType type = TypeOf(tensor);
  type.dims[static_cast<size_t>(time.axis)] = time.chunk;
  known = Parameter(like, type, tensor);
  map_.inputs.back().range = ir::WholeRange(time.axis, time.chunk, /*backward=*/false);
  return known;
}

bool TakeInFirstStep(ir::Graph& graph, ir::Node& loop) {
  LoopReading reading(graph, loop);
  if (!reading.Run()) return false;
  Faults discarded;
  const TimeAxes times = TimeOf(graph, loop, reading.iterated, reading.steps, discarded);
  FirstStep step(graph, loop, reading, times);
  if (!step.MayTakeIn()) return false;
  step.Run();
  return true;
}

}  // namespace

void MergePeeledFirstStep(ir::Graph& graph, const Folding& folding) {
  for (ir::Node* node : ir::Topological(graph)) {
    if (!ir::Iterates(*node) || !TakeInFirstStep(graph, *node)) continue;
    for (const std::unique_ptr<ir::Node>& other : graph.nodes) {
      for (ir::OutputPort& port : other->outputs) port.declared = true;
    }
    Faults discarded;  // the graph was inferred before
    Folding of_copy = folding.OfCopy();
    (void)InferAndFold(graph, {.check_declared = false}, of_copy, discarded);
  }
}

}  // namespace weft::graph
