// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/peel.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "converter/base/elements.h"
#include "converter/base/narrow.h"
#include "converter/graph/infer.h"
#include "converter/graph/numbering.h"
#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/reroll/loop_maker.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ir/time_length.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/movement.h"

namespace weft::graph {
namespace {

using ir::BodyInput;

// Prepends a row to a constant: its first row again, or f32 numbers.
ir::Constant After(std::optional<float> number, const ir::Constant& constant, int64_t axis,
                   int64_t part) {
  const auto at = static_cast<size_t>(axis);
  TensorType longer = constant.type;
  const int64_t rows = std::exchange(longer.dims[at], longer.dims[at] + part) / part;
  const auto all =
      static_cast<size_t>(rows * part * ops::ProductOf(longer.dims, at + 1, longer.dims.size()) *
                          ElementBytes(longer.type));
  std::vector<std::byte> bytes;
  for (size_t begin = 0; begin < constant.bytes.size(); begin += all) {
    const auto old = constant.bytes.subspan(begin, all);
    std::vector<std::byte> row(old.begin(), old.begin() + std::ssize(old) / rows);
    for (size_t i = 0; number && i < row.size(); i += sizeof(float)) {
      std::memcpy(row.data() + i, &*number, sizeof(float));
    }
    bytes.insert(bytes.end(), row.begin(), row.end());
    bytes.insert(bytes.end(), old.begin(), old.end());
  }
  return ir::OwnedConstant(longer, std::move(bytes));
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

// Returns false for a numbering of T steps, which stores only its first numbers.
bool IsStored(const ir::Constant& constant) {
  return DenseBytes(constant.type) == static_cast<int64_t>(constant.bytes.size());
}

class PeeledLoop {
 public:
  PeeledLoop(ir::Graph& graph, const ValueTable& values, ir::Node& loop)
      : graph_(graph),
        values_(values),
        loop_(loop),
        map_(loop.bodies[0].map),
        maker_(loop),
        roles_(static_cast<size_t>(values.size()), Role::kOutside) {}

  // Returns true if the loop iterates over all steps except the first, and the model computes
  // everything that the loop lacks from the first step only.
  bool Read();
  // Returns true if the first step is what the body computes from some initial states. Call after
  // Read.
  bool IsCopy();
  void Merge(bool is_copy);

 private:
  // A tensor whose chunks the loop reads, from the first step on.
  struct Chunks {
    size_t entry = 0;  // index in the map's inputs
    int tensor = kNoValue;
    int64_t axis = 0, part = 1;
    bool lacks_first = false;  // a constant of all steps except the first
  };
  // A loop output with all steps except the first, and its concatenation with the first step.
  struct Joined {
    size_t output = 0;
    ir::Node* join = nullptr;
    ir::Source first() const { return join->inputs[0]; }
  };
  // A value without time, one that depends on the first step only, a tensor with an axis of time,
  // and one that depends on several steps or on the loop.
  enum class Role { kOutside, kFirst, kTime, kUnfit };
  using SourceKey = std::pair<const ir::Node*, uint32_t>;

  bool ReadSlice(size_t entry);
  bool ReadOutputs();
  bool IsKnownAfterFirst(const ir::Node& result) const;
  bool HasSteps(int value) const;
  void FindRoles();
  bool IsFirst(int value) const;
  Role& RoleOf(int value) { return roles_[static_cast<size_t>(value)]; }
  Role RoleOf(int value) const { return roles_[static_cast<size_t>(value)]; }
  bool Fits(const ir::Source& source) const { return RoleOf(values_.Of(source)) < Role::kTime; }

  bool IsCopyOf(const ir::Source& source, int value);
  bool IsCopyOfInput(const ir::Node& parameter, int value) const;
  void IterateFromFirst();
  void SetInitialStates();
  void SelectFirst();
  ir::Source Flag();
  ir::Source StateAfterFirst(BodyInput state, size_t entry);
  ir::Source Inside(int value);
  ir::Source Chunk(const Value& slice);
  ir::Node* Selected(const ir::Source& flag, const ir::Source& first, ir::Node* next);

  ir::Graph& graph_;
  const ValueTable& values_;
  ir::Node& loop_;
  ir::PortMap& map_;
  BodyMaker maker_;
  int64_t steps_ = 0;
  std::vector<Chunks> chunks_;
  std::vector<Joined> joined_;
  std::vector<Role> roles_;                               // by value
  std::map<SourceKey, int> copies_;                       // values of the first step, by body value
  std::map<int, ir::Source> inside_;                      // by value
  std::map<std::pair<int, int64_t>, ir::Source> sliced_;  // Parameters, by tensor and axis
  std::map<SourceKey, std::vector<ir::Node*>> selected_;  // Results, by their previous source
};

bool PeeledLoop::Read() {
  for (size_t i = 0; i < map_.inputs.size(); ++i) {
    if (map_.inputs[i].is(BodyInput::Kind::kIteration)) return false;
    if (map_.inputs[i].is(BodyInput::Kind::kSliced) && !ReadSlice(i)) return false;
  }
  const auto is_known = [&](const Chunks& chunks) {
    return values_[chunks.tensor].constant.has_value();
  };
  if (std::ranges::all_of(chunks_, is_known)) return false;
  const ir::Trips& trips = loop_.bodies[0].trips;
  const bool counts =
      ir::IsLoop(loop_) && (map_.Takes(0) || !trips.exact || trips.max != steps_ - 1);
  if (counts || !ReadOutputs()) return false;
  FindRoles();
  return std::ranges::all_of(joined_, [&](const Joined& joined) { return Fits(joined.first()); }) &&
         std::ranges::all_of(map_.inputs, [&](const BodyInput& input) {
           return !input.is(BodyInput::Kind::kCarried) || Fits(loop_.inputs[*input.input]);
         });
}

bool PeeledLoop::ReadSlice(size_t entry) {
  const BodyInput& input = map_.inputs[entry];
  const ir::Slicing& slicing = input.slicing;
  int tensor = values_.Of(loop_.inputs[*input.input]);
  const auto axis = static_cast<size_t>(slicing.axis);
  const int64_t positions = values_[tensor].type.dims[axis];
  if (slicing.backward || slicing.end != positions) return false;
  const bool lacks_first = slicing.begin == 0 && values_[tensor].constant;
  if (lacks_first && !IsStored(*values_[tensor].constant)) return false;
  if (slicing.begin == 0 && !lacks_first) {
    const Value& rest = values_[tensor];
    const bool is_rest =
        rest.kind == Value::Kind::kSlice && rest.axis == slicing.axis && rest.begin == slicing.part;
    if (!is_rest) return false;
    tensor = rest.inputs[0];
    if (rest.begin + rest.part != values_[tensor].type.dims[axis]) return false;
  } else if (!lacks_first && slicing.begin != slicing.part) {
    return false;
  }
  chunks_.push_back({entry, tensor, slicing.axis, slicing.part, lacks_first});
  const int64_t count = slicing.count() + 1;
  if (steps_ == 0) steps_ = count;
  return count > 1 && count == steps_ && (lacks_first || values_[tensor].source.node != nullptr);
}

// Returns true if every scan output is only read by its concatenation with the first step.
bool PeeledLoop::ReadOutputs() {
  std::map<size_t, std::vector<std::pair<ir::Node*, size_t>>> readers;
  for (ir::Node* node : values_.nodes()) {
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
    Dims dims = loop_.outputs[i].type.dims;
    const Dims& part = TypeOf(output.result->inputs[0]).dims;
    dims[static_cast<size_t>(output.axis)] += part[static_cast<size_t>(output.axis)];
    if (TypeOf(join->inputs[0]).dims != part || dims != join->outputs[0].type.dims) return false;
    joined_.push_back({i, join});
  }
  return std::ranges::all_of(readers, [&](const auto& read) {
    return map_.outputs[read.first].range || IsKnownAfterFirst(*map_.outputs[read.first].result);
  });
}

// Returns true if the model defines the value after the first step.
bool PeeledLoop::IsKnownAfterFirst(const ir::Node& result) const {
  const auto is_next = [&](const BodyInput& input) {
    return input.is(BodyInput::Kind::kCarried) && input.next->inputs[0] == result.inputs[0];
  };
  const auto is_joined = [&](const Joined& other) {
    return map_.outputs[other.output].result->inputs[0] == result.inputs[0];
  };
  return std::ranges::any_of(map_.inputs, is_next) || std::ranges::any_of(joined_, is_joined);
}

bool PeeledLoop::HasSteps(int value) const {
  return !values_[value].constant &&
         std::ranges::any_of(values_[value].type.dims,
                             [&](int64_t dim) { return dim >= steps_ && dim % steps_ == 0; });
}

// Time goes from the tensors that the loop slices to the values that they depend on, and from these
// to all others that depend on them.
void PeeledLoop::FindRoles() {
  const auto add_time = [&](int value) {
    if (HasSteps(value)) RoleOf(value) = Role::kTime;
  };
  for (const Chunks& chunks : chunks_) add_time(chunks.tensor);
  for (int value = values_.size(); value-- > 0;) {
    if (RoleOf(value) == Role::kTime) std::ranges::for_each(values_[value].inputs, add_time);
  }
  for (int value = 0; value < values_.size(); ++value) {
    const auto has = [&](Role role) {
      return std::ranges::any_of(values_[value].inputs,
                                 [&](int input) { return RoleOf(input) == role; });
    };
    Role& role = RoleOf(value);
    const bool is_time = role == Role::kTime || (has(Role::kTime) && HasSteps(value));
    if (values_[value].source.node == &loop_ || has(Role::kUnfit)) {
      role = Role::kUnfit;
    } else if (IsFirst(value)) {
      role = Role::kFirst;
    } else if (is_time || has(Role::kTime)) {
      role = is_time ? Role::kTime : Role::kUnfit;
    } else if (has(Role::kFirst)) {
      // The body cannot compute ports, variables, loops and branches.
      role = values_[value].kind == Value::Kind::kOther ? Role::kUnfit : Role::kFirst;
    }
  }
}

// Returns true for the complete first step of a tensor with time.
bool PeeledLoop::IsFirst(int value) const {
  const Value& slice = values_[value];
  if (slice.kind != Value::Kind::kSlice || slice.begin != 0) return false;
  const Value& tensor = values_[slice.inputs[0]];
  return RoleOf(slice.inputs[0]) == Role::kTime && tensor.source.node != nullptr &&
         tensor.type.dims[static_cast<size_t>(slice.axis)] == steps_ * slice.part;
}

bool PeeledLoop::IsCopy() {
  for (const Joined& joined : joined_) {
    const ir::Source result = map_.outputs[joined.output].result->inputs[0];
    if (!IsCopyOf(result, values_.Of(joined.first()))) return false;
  }
  return std::ranges::all_of(map_.inputs,
                             [&](const BodyInput& input) {
                               return !input.is(BodyInput::Kind::kCarried) ||
                                      IsCopyOf(input.next->inputs[0],
                                               values_.Of(loop_.inputs[*input.input]));
                             }) &&
         std::ranges::all_of(map_.inputs, [&](const BodyInput& input) {
           return !input.is(BodyInput::Kind::kCarried) || copies_.contains({input.parameter, 0});
         });
}

// Returns true if the body computes `value` at `source` in the first step.
bool PeeledLoop::IsCopyOf(const ir::Source& source, int value) {
  const auto [known, fresh] = copies_.try_emplace({source.node, source.port}, value);
  if (!fresh) return known->second == value;
  const ir::Node& node = *source.node;
  const Value& is = values_[value];
  if (node.constant) {
    return is.constant && is.type == node.constant->type &&
           std::ranges::equal(is.constant->bytes, node.constant->bytes);
  }
  if (ir::IsParameter(node)) return IsCopyOfInput(node, value);
  if (ops::TraitsOf(node).reshapes) {
    return IsCopyOf(node.inputs[0], is.kind == Value::Kind::kReshape ? is.inputs[0] : value);
  }
  const bool fits = is.kind == Value::Kind::kOperation && is.port == source.port &&
                    is.inputs.size() == node.inputs.size() && values_.HasForm(is.form, node);
  if (!fits) return false;
  for (size_t i = 0; i < is.inputs.size(); ++i) {
    if (!IsCopyOf(node.inputs[i], is.inputs[i])) return false;
  }
  return true;
}

// The state before the first step may be any value that exists before the loop.
bool PeeledLoop::IsCopyOfInput(const ir::Node& parameter, int value) const {
  const BodyInput& input = *map_.InputOf(parameter);
  if (input.is(BodyInput::Kind::kCarried)) {
    const Value& initial = values_[value];
    return initial.type == parameter.outputs[0].type && RoleOf(value) == Role::kOutside &&
           (initial.constant || initial.source.node != nullptr);
  }
  if (input.is(BodyInput::Kind::kInvariant)) {
    return value == values_.Of(loop_.inputs[*input.input]);
  }
  return std::ranges::any_of(chunks_, [&](const Chunks& chunks) {
    return map_.inputs[chunks.entry].parameter == &parameter && !chunks.lacks_first &&
           value == values_.FindSlice(chunks.tensor, chunks.axis, 0, chunks.part);
  });
}

void PeeledLoop::Merge(bool is_copy) {
  IterateFromFirst();
  is_copy ? SetInitialStates() : SelectFirst();
  for (const Joined& joined : joined_) {
    loop_.outputs[joined.output].type = joined.join->outputs[0].type;
    ir::HandOver(graph_, {joined.join, 0}, {&loop_, Narrow32(joined.output, "output")});
  }
  PruneLoop(loop_);
}

void PeeledLoop::SetInitialStates() {
  for (BodyInput& input : map_.inputs) {
    if (!input.is(BodyInput::Kind::kCarried)) continue;
    const Value& initial = values_[copies_.at({input.parameter, 0})];
    input.input = ir::AddInput(
        loop_, initial.constant ? NewConstant(graph_, loop_, *initial.constant) : initial.source);
  }
}

void PeeledLoop::SelectFirst() {
  std::vector<std::pair<size_t, ir::Source>> states;
  const ir::Source flag = Flag();
  const size_t entries = map_.inputs.size() - 1;  // the flag is the last
  for (size_t i = 0; i < entries; ++i) {
    if (map_.inputs[i].is(BodyInput::Kind::kCarried)) {
      states.emplace_back(i, StateAfterFirst(map_.inputs[i], i));
    }
  }
  for (const Joined& joined : joined_) {
    ir::Node*& result = map_.outputs[joined.output].result;
    result = Selected(flag, Inside(values_.Of(joined.first())), result);
  }
  for (const auto& [entry, first] : states) {
    map_.inputs[entry].next = Selected(flag, first, map_.inputs[entry].next);
  }
  for (ir::BodyOutput& output : map_.outputs) {
    const ir::Source last = output.result->inputs[0];
    const auto made = selected_.find({last.node, last.port});
    if (!output.range && made != selected_.end()) output.result = made->second.back();
  }
}

void PeeledLoop::IterateFromFirst() {
  for (const Chunks& chunks : chunks_) {
    BodyInput& input = map_.inputs[chunks.entry];
    const Value& tensor = values_[chunks.tensor];
    ir::Source source = tensor.source;
    if (chunks.lacks_first) {
      source = NewConstant(graph_, *loop_.inputs[*input.input].node,
                           WithFirstRow(*tensor.constant, chunks.axis, chunks.part));
    } else {
      sliced_[{chunks.tensor, chunks.axis}] = {input.parameter, 0};
    }
    input.input = ir::AddInput(loop_, source);
    input.range->TakeWhole();
  }
  if (!ir::IsLoop(loop_)) return;
  const TensorType type = TypeOf(loop_.inputs[0]);
  loop_.inputs[0] = NewInts(graph_, loop_, type, {steps_});
}

ir::Source PeeledLoop::Flag() {
  const ir::Source flag =
      maker_.Input({ElementType::boolean, {}}, NewFlag(graph_, loop_, true), loop_);
  flag.node->name = "is first";
  map_.inputs.back().next = NewResult(maker_.body(), loop_, NewFlag(maker_.body(), loop_, false));
  return flag;
}

// Returns the state after the first step. A state that does not depend on the first step keeps its
// initial value; that of the others is never read.
ir::Source PeeledLoop::StateAfterFirst(BodyInput state, size_t entry) {
  const ir::Source initial = loop_.inputs[*state.input];
  const int value = values_.Of(initial);
  if (RoleOf(value) == Role::kOutside) return {state.parameter, 0};
  const ir::Source first = Inside(value);
  map_.inputs[entry].input =
      ir::AddInput(loop_, NewConstant(graph_, loop_, ir::ZerosOf(TypeOf(initial))));
  return first;
}

// Returns a Result that selects `first` in the first step, and otherwise the previous value of
// `next`.
ir::Node* PeeledLoop::Selected(const ir::Source& flag, const ir::Source& first, ir::Node* next) {
  const ir::Source after = next->inputs[0];
  std::vector<ir::Node*>& known = selected_[{after.node, after.port}];
  for (ir::Node* result : known) {
    if (result->inputs[0].node->inputs[1] == first) return result;
  }
  ir::Node* select = NewInferredNode(maker_.body(), loop_, "Select", 1, {flag, first, after});
  known.push_back(NewResult(maker_.body(), loop_, {select, 0}));
  return known.back();
}

// Returns the value in the body, computed from the step of the iteration.
ir::Source PeeledLoop::Inside(int value) {
  const auto known = inside_.find(value);
  if (known != inside_.end()) return known->second;
  const Value& found = values_[value];
  const ir::Node& like = found.source.node != nullptr ? *found.source.node : loop_;
  ir::Source made;
  if (found.constant) {
    made = NewConstant(maker_.body(), like, *found.constant);
  } else if (IsFirst(value)) {
    made = Chunk(found);
  } else if (RoleOf(value) == Role::kOutside && found.source.node != nullptr) {
    made = maker_.Input(found.type, found.source, like);
  } else {
    std::vector<ir::Source> inputs;
    for (const int input : found.inputs) inputs.push_back(Inside(input));
    made = maker_.Computed(found, like, inputs);
  }
  return inside_[value] = made;
}

ir::Source PeeledLoop::Chunk(const Value& slice) {
  ir::Source& known = sliced_[{slice.inputs[0], slice.axis}];
  if (known.node != nullptr) return known;
  const Value& tensor = values_[slice.inputs[0]];
  known = maker_.Input(slice.type, tensor.source, *tensor.source.node);
  map_.inputs.back().range = ir::WholeRange(slice.axis, slice.part, /*backward=*/false);
  return known;
}

}  // namespace

void MergePeeledSteps(ir::Graph& graph, Peeled which, const Folding& folding) {
  // The number of steps must be known, or else the streaming pass merges.
  const bool is_open = std::ranges::any_of(graph.parameters, [](const ir::Node* parameter) {
    return ir::OpenAxes(parameter->outputs[0]) != 0;
  });
  if (is_open && which == Peeled::kCopies) return;
  std::optional<ValueTable> values;
  for (ir::Node* node : ir::Topological(graph)) {
    if (!ir::Iterates(*node)) continue;
    if (!values) values.emplace(graph);
    if (values->Of({node, 0}) == kNoValue) continue;  // an earlier merge left it unread
    PeeledLoop peeled(graph, *values, *node);
    if (!peeled.Read()) continue;
    const bool is_copy = peeled.IsCopy();
    if (!is_copy && which == Peeled::kCopies) continue;
    peeled.Merge(is_copy);
    for (const std::unique_ptr<ir::Node>& other : graph.nodes) {
      for (ir::OutputPort& port : other->outputs) port.declared = true;
    }
    Faults discarded;  // the graph was inferred before
    Folding of_copy = folding.OfCopy();
    (void)InferAndFold(graph, {.check_declared = false}, of_copy, discarded);
    values.reset();
  }
}

}  // namespace weft::graph
