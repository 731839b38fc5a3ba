// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/graph_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "converter/base/visible.h"
#include "converter/ir/edit.h"
#include "converter/ir/stated.h"
#include "converter/tflite/control.h"
#include "converter/tflite/quantised.h"
#include "converter/tflite/resource_names.h"

namespace weft::tflite {
namespace {

// States the type in the file, which loop recognition reads before inference, on a value without
// one. Dims that the file states as unknown are -1.
void StateType(const ir::Source& value, const Tensor& tensor) {
  ir::OutputPort& port = value.node->outputs[value.port];
  const std::optional<ElementType> type = IrTypeOf(tensor.type);
  if (port.declared || !port.type.dims.empty() || !type) return;
  const Dims& dims = tensor.signature.empty() ? tensor.dims : tensor.signature;
  port.type = {IsQuantised(tensor) ? ElementType::f32 : *type, dims};
}

}  // namespace

GraphReader::GraphReader(Reading& reading, size_t subgraph)
    : reading_(reading),
      index_(subgraph),
      from_(reading.model.subgraphs[subgraph]),
      inputs_(from_.inputs),
      outputs_(from_.outputs),
      graph_(std::make_unique<ir::Graph>()),
      builder_(*this) {
  reading_.subgraphs.push_back(subgraph);
  graph_->name = from_.name;
  graph_->file = reading.model.file;
  graph_->is_tflite = true;
}

GraphReader::GraphReader(GraphReader& before) : GraphReader(before.reading_, before.index_) {
  at_ = before.at_ + 1;
  handles_ = before.handles_;
  inputs_.clear();
  outputs_.clear();
  const auto operators = std::span(from_.operators).subspan(at_);
  for (const Operator& op : operators) {
    for (const int32_t id : op.inputs) {
      const auto value = before.values_.find(id);
      if (value == before.values_.end() || std::ranges::count(inputs_, id) != 0) continue;
      const std::optional<ir::Constant>& constant = value->second.node->constant;
      if (constant) {
        values_[id] = builder_.Const(*constant);
      } else if (!TensorAt(id).constant) {
        inputs_.push_back(id);
      }
    }
    for (const int32_t id : op.outputs) {
      const bool is_output = std::ranges::count(from_.outputs, id) != 0;
      if (is_output && std::ranges::count(kept_, id) == 0) kept_.push_back(id);
    }
  }
}

GraphReader::~GraphReader() { reading_.subgraphs.pop_back(); }

std::unique_ptr<ir::Graph> GraphReader::ReadMain() {
  ReadPortsAndOperators();
  AssignStates();
  RemoveUnreadOutputs();
  if (graph_->results.empty() && graph_->sinks.empty()) {
    reading_.faults.Add(
        fmt::format("{}: the model has no output; must have at least one", graph_->file));
  }
  return std::move(graph_);
}

Inner GraphReader::ReadBody() {
  ReadPortsAndOperators();
  std::map<std::string, InnerState> states = ExposedStates();
  RemoveUnreadOutputs();
  return {std::move(graph_), std::move(states)};
}

void GraphReader::ReadPortsAndOperators() {
  for (size_t i = 0; i < inputs_.size(); ++i) ReadInput(i);
  ReadOperators();
  for (size_t i = 0; i < outputs_.size(); ++i) ReadOutput(i);
  for (const int32_t id : kept_) Keep(id);
}

// No node may be added afterwards, because outputs change their position.
void GraphReader::RemoveUnreadOutputs() {
  for (const std::unique_ptr<ir::Node>& node : graph_->nodes) {
    if (ir::IsLoop(*node)) ir::RemoveUnreadOutputs(*graph_, *node);
  }
}

ir::Node& GraphReader::AddNode(std::string name, std::string type, std::string version) {
  ir::Node& node = *graph_->nodes.emplace_back(std::make_unique<ir::Node>());
  node.id = reading_.next_id++;
  node.name = std::move(name);
  node.type = std::move(type);
  node.version = std::move(version);
  return node;
}

ir::Source GraphReader::Hole() {
  if (hole_ == nullptr) {
    hole_ = graph_->nodes.emplace_back(std::make_unique<ir::Node>()).get();
    hole_->outputs.resize(1);
  }
  return {hole_, 0};
}

std::string GraphReader::PortName(int32_t id, bool is_input) const {
  if (IsMain()) {
    for (const Signature& signature : reading_.model.signatures) {
      if (signature.subgraph != index_) continue;
      for (const auto& [name, tensor] : is_input ? signature.inputs : signature.outputs) {
        if (tensor == id && !name.empty()) return name;
      }
    }
  }
  return TensorAt(id).name;
}

// The name of the port, then that of the tensor.
void GraphReader::AddNames(ir::Source source, int32_t id, const std::string& name) {
  std::vector<std::string>& names = source.node->outputs[source.port].names;
  names.clear();
  for (const std::string& one : {name, TensorAt(id).name}) {
    if (!one.empty() && std::ranges::find(names, one) == names.end()) names.push_back(one);
  }
}

void GraphReader::ReadInput(size_t position) {
  const int32_t id = inputs_[position];
  const Tensor& tensor = TensorAt(id);
  const bool is_quantised = IsQuantised(tensor);
  const std::optional<ElementType> type = IrTypeOf(tensor.type);
  layer_name_ = PortName(id, /*is_input=*/true);
  if (!type && tensor.type != schema::ElementType::resource) {
    reading_.faults.Add(fmt::format(
        "{}: input {} \"{}\": its element type is number {}; must be {}", graph_->file, position,
        OneLine(tensor.name), static_cast<int>(tensor.type), ElementTypeNames()));
  }
  ir::Node& node = AddNode(layer_name_, "Parameter", "opset1");
  graph_->parameters.push_back(&node);
  ir::OutputPort& port = node.outputs.emplace_back();
  port.type = {type.value_or(ElementType::f32), tensor.dims};
  port.declared = true;
  for (size_t axis = 0; axis < tensor.dims.size(); ++axis) {
    const bool is_known = tensor.signature.empty() || tensor.signature[axis] >= 0;
    const int64_t dim = tensor.dims[axis];
    node.bounds.push_back(is_known ? ir::Bounds{dim, dim} : ir::Bounds{1, ir::Bounds::kNoLimit});
  }
  if (is_quantised) node.attributes = Stated(*tensor.quantization);
  AddNames({&node, 0}, id, layer_name_);
  values_[id] = is_quantised ? NumbersOfPort(builder_, tensor, {&node, 0}) : ir::Source{&node, 0};
}

void GraphReader::ReadOutput(size_t position) {
  const int32_t id = outputs_[position];
  const Tensor& tensor = TensorAt(id);
  const std::string name = PortName(id, /*is_input=*/false);
  layer_name_ = name;
  ir::Source value = Value(id);
  if (value.node != hole_ && IsQuantised(tensor)) {
    value =
        tensor.constant ? builder_.Const(*tensor.constant) : CodesOfPort(builder_, tensor, value);
  }
  ir::Node& node = AddNode(name, "Result", "opset1");
  graph_->results.push_back(&node);
  node.inputs.push_back(value);
  node.declared_inputs.resize(1);
  if (IsQuantised(tensor)) node.attributes = Stated(*tensor.quantization);
  if (value.node == hole_ || !IsMain() || ir::IsParameter(*value.node)) return;
  const bool is_first = std::ranges::count_if(graph_->results, [&](const ir::Node* result) {
                          return result->inputs[0] == value;
                        }) == 1;
  if (is_first) AddNames(value, id, name);
}

void GraphReader::ReadOperators() {
  for (; at_ < from_.operators.size(); ++at_) {
    ReadOperator();
    if (runs_rest_ && at_ + 1 < from_.operators.size()) return ReadRest();
  }
}

std::string GraphReader::NameOfKept(int32_t id) const { return VariableName(id) + "/last"; }

void GraphReader::Keep(int32_t id) {
  if (!values_.contains(id)) return;  // an inner graph computes it
  const Tensor& tensor = TensorAt(id);
  ir::Source value = Value(id);
  if (value.node == hole_) return;
  if (IsQuantised(tensor)) value = CodesOfPort(builder_, tensor, value);
  builder_.State(NameOfKept(id), FirstCodes(builder_, tensor, tensor.dims));
  builder_.SetState(NameOfKept(id), value);
}

// The operators become a branch of an If, the graph's outputs that they compute become states.
void GraphReader::ReadRest() {
  if (reading_.subgraphs.size() >= kMaxDepth) {
    return builder_.Refuse("is number {} that ends runs early; must be at most {}",
                           reading_.subgraphs.size(), kMaxDepth - 1);
  }
  const size_t faults = reading_.faults.lines().size();
  std::vector<int32_t> kept;
  Branch branches[2];
  Sources inputs = {*runs_rest_};
  {
    GraphReader rest(*this);
    kept = rest.kept_;
    for (const int32_t id : rest.inputs_) {
      branches[0].inputs.push_back(inputs.size());
      const bool has_codes = IsQuantised(TensorAt(id));
      inputs.push_back(has_codes ? CodesOfPort(builder_, TensorAt(id), Value(id)) : Value(id));
    }
    branches[0].inner = rest.ReadBody();
  }
  branches[1].inner.graph = std::make_unique<ir::Graph>();
  branches[1].inner.graph->file = graph_->file;
  const bool has_faults = reading_.faults.lines().size() != faults;
  if (!has_faults) AddIf(builder_, std::move(inputs), branches, 0);
  for (const int32_t id : kept) {
    if (!IsMain()) continue;  // an outer graph reads the state
    if (has_faults || !states_.contains(NameOfKept(id))) {
      values_[id] = Hole();
      continue;
    }
    const ir::Source value = states_.at(NameOfKept(id)).value;
    const Tensor& tensor = TensorAt(id);
    values_[id] = IsQuantised(tensor) ? NumbersOfPort(builder_, tensor, value) : value;
  }
}

void GraphReader::ReadOperator() {
  const Operator& op = from_.operators[at_];
  layer_name_ = op.outputs.empty() ? "" : TensorAt(op.outputs[0]).name;
  is_refused_ = false;
  first_node_ = graph_->nodes.size();
  const OperatorRow* row = FindOperator(op);
  if (row == nullptr) {
    reading_.unsupported.Add(op, Where());
    is_refused_ = true;
  } else if (op.version > row->max_version) {
    builder_.Refuse("is of version {}; must be at most {}", op.version, row->max_version);
  } else if (!AcceptsUnsigned(op) && HasTensorOf(op, IsUnsigned)) {
    builder_.Refuse("has a tensor of u32 or u64; must have i32 or i64, by a CAST before");
  } else if (!AcceptsComplex(op) && HasTensorOf(op, IsComplex)) {
    builder_.Refuse(
        "has a complex tensor; must have real ones, by COMPLEX_ABS, REAL or IMAG before");
  } else {
    row->function(builder_);
  }
  // Later operators that depend on a fault are not checked.
  for (const int32_t id : op.outputs) {
    const bool is_set = values_.contains(id) || handles_.contains(id);
    if (is_set && !is_refused_) continue;
    if (!is_refused_) builder_.Refuse("output \"{}\" is not computed", OneLine(TensorAt(id).name));
    values_[id] = Hole();
  }
  for (auto& [name, state] : states_) {
    if (is_refused_ && IsOwn(state.value)) state.value = Hole();
  }
}

bool GraphReader::HasTensorOf(const Operator& op, bool (*is_of)(schema::ElementType)) const {
  const auto is_tensor_of = [&](int32_t id) { return id != kLeftOut && is_of(TensorAt(id).type); };
  return std::ranges::any_of(op.inputs, is_tensor_of) ||
         std::ranges::any_of(op.outputs, is_tensor_of);
}

bool GraphReader::IsOwn(const ir::Source& value) const {
  return std::ranges::any_of(
      std::span(graph_->nodes).subspan(first_node_),
      [&](const std::unique_ptr<ir::Node>& node) { return node.get() == value.node; });
}

void GraphReader::SetOutput(size_t output, ir::Source value) {
  const int32_t id = from_.operators[at_].outputs[output];
  values_[id] = value;
  StateType(value, TensorAt(id));
  if (!IsOwn(value) || TensorAt(id).name.empty()) return;
  if (value.port == 0) value.node->name = TensorAt(id).name;
  AddNames(value, id, TensorAt(id).name);
}

std::string GraphReader::Where() const {
  const Operator& op = from_.operators[at_];
  const std::string subgraph = index_ == 0 ? "" : fmt::format("subgraph {}: ", index_);
  return fmt::format("{}operator {} {} \"{}\"", subgraph, at_, OperatorName(op),
                     OneLine(op.outputs.empty() ? "" : TensorAt(op.outputs[0]).name));
}

ir::Source GraphReader::Value(int32_t id) {
  const auto found = values_.find(id);
  if (found != values_.end()) return found->second;
  const Tensor& tensor = TensorAt(id);
  const std::string user = std::exchange(layer_name_, tensor.name);
  const ir::Source value = NumbersOf(tensor);
  if (value.node != hole_) value.node->name = tensor.name;
  layer_name_ = user;
  values_[id] = value;
  return value;
}

// The value of a tensor that no operator has computed.
ir::Source GraphReader::NumbersOf(const Tensor& tensor) {
  if (tensor.constant) {
    if (HasNumbersOfCodes(tensor)) return Dequantised(builder_, tensor);
    return builder_.Const(*tensor.constant);
  }
  const std::optional<ElementType> type = IrTypeOf(tensor.type);
  if (type && ElementCount(tensor.dims) == 0) {
    return builder_.Const({HasNumbersOfCodes(tensor) ? ElementType::f32 : *type, tensor.dims}, {});
  }
  reading_.faults.Add(fmt::format(
      "{}: tensor \"{}\" is read and has no value; must be an input, a constant or the output of "
      "an earlier operator",
      graph_->file, OneLine(tensor.name)));
  is_refused_ = true;
  return Hole();
}

std::string GraphReader::VariableName(int32_t id) const {
  const std::string& name = TensorAt(id).name;
  const auto same = std::ranges::count(from_.tensors, name, &Tensor::name);
  const bool is_own = !name.empty() && same == 1 && !IsNameOfResource(reading_.model, name);
  const std::string own = is_own ? name : fmt::format("tensor {}", id);
  return index_ == 0 ? own : fmt::format("subgraph {}/{}", index_, own);
}

std::map<std::string, InnerState> GraphReader::ExposedStates() {
  std::map<std::string, InnerState> states;
  for (const auto& [name, state] : states_) {
    ir::Node& result = AddNode(name, "Result", "opset1");
    result.inputs.push_back(state.value);
    result.declared_inputs.resize(1);
    graph_->results.push_back(&result);
    states[name] = {*state.initial, state.read, &result, state.is_assumed};
  }
  return states;
}

// A state that no operator reads before it is assigned is not kept.
void GraphReader::AssignStates() {
  std::unordered_set<const ir::Node*> read;
  for (const auto& node : graph_->nodes) {
    for (const ir::Source& source : node->inputs) read.insert(source.node);
  }
  for (const auto& [name, state] : states_) {
    if (!read.contains(state.read)) continue;
    ir::Node& node = AddNode(name, "Assign", "opset6");
    node.attributes["variable_id"] = name;
    node.inputs.push_back(state.value);
    node.declared_inputs.resize(1);
    node.outputs.resize(1);
    graph_->sinks.push_back(&node);
  }
}

}  // namespace weft::tflite
