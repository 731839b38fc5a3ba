// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/builder.h"

#include <algorithm>

#include "converter/base/visible.h"
#include "converter/tflite/graph_reader.h"
#include "converter/tflite/moved.h"
#include "converter/tflite/quantised.h"

namespace weft::tflite {
namespace {

constexpr size_t kMaxBodies = 256;

template <typename T>
std::vector<std::byte> BytesOf(std::span<const T> numbers) {
  const auto bytes = std::as_bytes(numbers);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::string ListText(std::span<const int64_t> numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

const Operator& Builder::op() const { return reader_.from_.operators[reader_.at_]; }
size_t Builder::input_count() const { return op().inputs.size(); }
size_t Builder::output_count() const { return op().outputs.size(); }

bool Builder::Has(size_t input) const {
  return input < input_count() && op().inputs[input] != kLeftOut;
}

const Tensor& Builder::InputTensor(size_t input) const {
  static const Tensor none;
  return Has(input) ? reader_.TensorAt(op().inputs[input]) : none;
}

const Tensor& Builder::OutputTensor(size_t output) const {
  static const Tensor none;
  return output < output_count() ? reader_.TensorAt(op().outputs[output]) : none;
}

int64_t Builder::Rank(size_t input) const { return std::ssize(InputTensor(input).dims); }

bool Builder::RequireRank(size_t input, int64_t rank) {
  if (Has(input) && Rank(input) == rank) return true;
  Refuse("input {} has rank {}; must have rank {}", input, Rank(input), rank);
  return false;
}

ir::Source Builder::Input(size_t input) {
  if (Has(input)) return reader_.Value(op().inputs[input]);
  Refuse("input {} is left out; must be given", input);
  return reader_.Hole();
}

Sources Builder::Inputs() {
  Sources inputs;
  for (size_t i = 0; i < input_count(); ++i) inputs.push_back(Input(i));
  return inputs;
}

std::optional<std::vector<int64_t>> Builder::KnownIntegers(size_t input) const {
  const Tensor& tensor = InputTensor(input);
  if (!Has(input)) return std::nullopt;
  const auto computed = reader_.values_.find(op().inputs[input]);
  const bool is_stored = HasNumbersOfCodes(tensor) || computed == reader_.values_.end();
  const std::optional<ir::Constant>& constant =
      is_stored ? tensor.constant : computed->second.node->constant;
  if (!constant || IsFloat(constant->type.type)) return std::nullopt;
  return ir::IntegersOf(*constant);
}

std::optional<std::vector<int64_t>> Builder::Integers(size_t input) {
  std::optional<std::vector<int64_t>> numbers = KnownIntegers(input);
  if (!numbers && ElementCount(InputTensor(input).dims) == 0) numbers.emplace();
  if (!numbers) {
    Refuse("input {} \"{}\" is not an integer constant; must be one", input,
           OneLine(InputTensor(input).name));
  }
  return numbers;
}

ir::Node& Builder::AddNode(std::string type, std::string version, Attributes attributes,
                           Sources inputs, size_t outputs) {
  std::string name = reader_.layer_name_.empty() ? type : reader_.layer_name_ + "/" + type;
  ir::Node& node = reader_.AddNode(std::move(name), std::move(type), std::move(version));
  node.attributes = std::move(attributes);
  node.declared_inputs.resize(inputs.size());
  node.inputs = std::move(inputs);
  node.outputs.resize(outputs);
  return node;
}

ir::Source Builder::Add(std::string type, Sources inputs) {
  return Add(std::move(type), "opset1", {}, std::move(inputs));
}

ir::Source Builder::Add(std::string type, std::string version, Attributes attributes,
                        Sources inputs) {
  return {&AddNode(std::move(type), std::move(version), std::move(attributes), std::move(inputs)),
          0};
}

ir::Source Builder::Const(const TensorType& type, std::vector<std::byte> bytes) {
  return Const(ir::OwnedConstant(type, std::move(bytes)));
}

ir::Source Builder::Const(ir::Constant constant) {
  ir::Node& node = AddNode("Const", "opset1", {}, {});
  node.outputs[0].type = constant.type;
  node.outputs[0].declared = true;
  node.constant = std::move(constant);
  return {&node, 0};
}

ir::Source Builder::Floats(const Dims& dims, std::span<const float> numbers) {
  return Const({ElementType::f32, dims}, BytesOf(numbers));
}

ir::Source Builder::Float(float number) { return Floats({}, std::span(&number, 1)); }

ir::Source Builder::Int(int64_t number) {
  return Const({ElementType::i64, {}}, BytesOf(std::span<const int64_t>(&number, 1)));
}

ir::Source Builder::Ints(std::span<const int64_t> numbers) {
  return Const({ElementType::i64, {std::ssize(numbers)}}, BytesOf(numbers));
}

ir::Source Builder::Transposed(ir::Source x, std::span<const int64_t> order) {
  return Add("Transpose", {x, Ints(order)});
}

ir::Source Builder::Reshaped(ir::Source x, std::span<const int64_t> dims) {
  return Add("Reshape", "opset1", {{"special_zero", "false"}}, {x, Ints(dims)});
}

ir::Source Builder::Sliced(ir::Source x, int64_t axis, int64_t begin, int64_t end) {
  return Add("Slice", "opset8", {},
             {x, Ints({{begin}}), Ints({{end}}), Ints({{1}}), Ints({{axis}})});
}

ir::Source Builder::Joined(const Sources& parts, int64_t axis) {
  return Add("Concat", "opset1", {{"axis", std::to_string(axis)}}, parts);
}

ir::Source Builder::Unsqueezed(ir::Source x, int64_t axis) {
  return Add("Unsqueeze", {x, Ints({{axis}})});
}

ir::Source Builder::Squeezed(ir::Source x, int64_t axis) {
  return Add("Squeeze", {x, Ints({{axis}})});
}

ir::Source Builder::Broadcasted(ir::Source x, ir::Source shape) {
  return Add("Broadcast", "opset3", {{"mode", "numpy"}}, {x, shape});
}

ir::Source Builder::Converted(ir::Source x, ElementType type) {
  return Add("Convert", "opset1", {{"destination_type", std::string(Name(type))}}, {x});
}

ir::Source Builder::Activated(ir::Source x, schema::Activation activation) {
  const auto clamp = [&](const char* min, const char* max) {
    return Add("Clamp", "opset1", {{"min", min}, {"max", max}}, {x});
  };
  switch (activation) {
    case schema::Activation::none:
      return x;
    case schema::Activation::relu:
      return Add("Relu", {x});
    case schema::Activation::relu_n1_to_1:
      return clamp("-1", "1");
    case schema::Activation::relu6:
      return clamp("0", "6");
    case schema::Activation::tanh:
      return Add("Tanh", {x});
    default:
      Refuse("activation is {}; must be none, relu, relu -1 to 1, relu6 or tanh",
             static_cast<int>(activation));
      return x;
  }
}

void Builder::Set(size_t output, ir::Source value) {
  if (output >= output_count()) {
    return Refuse("has {} outputs; must have {}", output_count(), output + 1);
  }
  const Tensor& tensor = OutputTensor(output);
  if (IsQuantised(tensor)) {
    if (!tensor.quantization->is_per_tensor()) {
      Refuse("output \"{}\" has {} scales; only constants may have a scale per axis",
             OneLine(tensor.name), tensor.quantization->scales.size());
    }
    value = Quantised(*this, tensor, value);
  }
  reader_.SetOutput(output, value);
}

void Builder::SetMoved(size_t output, ir::Source value, size_t from) {
  const bool keeps_codes = output < output_count() && !InputTensor(from).constant &&
                           HaveSameCodes(InputTensor(from), OutputTensor(output));
  if (!keeps_codes) return Set(output, value);
  reader_.SetOutput(output, value);
}

void Builder::SetConstant(size_t output) { reader_.Value(op().outputs[output]); }

void Builder::SetHandle(size_t output, std::string variable) {
  if (output < output_count()) reader_.handles_[op().outputs[output]] = std::move(variable);
}

const std::string* Builder::Handle(size_t input) const {
  if (!Has(input)) return nullptr;
  const auto found = reader_.handles_.find(op().inputs[input]);
  return found == reader_.handles_.end() ? nullptr : &found->second;
}

ir::Source Builder::State(const std::string& name, ir::Source initial, bool is_assumed) {
  const auto found = reader_.states_.find(name);
  if (found != reader_.states_.end()) return found->second.value;
  if (reader_.IsMain()) {
    ir::Node& node = AddNode("ReadValue", "opset6", {{"variable_id", name}}, {initial});
    node.name = name;
    reader_.states_[name] = {&node, {&node, 0}};
    return {&node, 0};
  }
  const std::optional<ir::Constant>& constant = initial.node->constant;
  if (!constant) {
    Refuse("sets the first value of a state inside of a branch or a loop; must be outside");
    return reader_.Hole();
  }
  ir::Node& node = AddNode("Parameter", "opset1", {}, {});
  node.name = name;
  node.outputs[0].type = constant->type;
  node.outputs[0].declared = true;
  for (const int64_t dim : constant->type.dims) node.bounds.push_back({dim, dim});
  reader_.graph_->parameters.push_back(&node);
  reader_.states_[name] = {&node, {&node, 0}, constant, is_assumed};
  return {&node, 0};
}

bool Builder::HasState(const std::string& name) const { return reader_.states_.contains(name); }

std::string Builder::StateName(const char* what) const {
  return fmt::format("{}/{}", reader_.VariableName(op().outputs[0]), what);
}

void Builder::SetState(const std::string& name, ir::Source value) {
  const auto found = reader_.states_.find(name);
  if (found == reader_.states_.end()) {
    reader_.states_[name] = {nullptr, value, {}};  // later reads of a run read this value
    return;
  }
  found->second.value = value;
}

std::string Builder::VariableName(size_t input) const {
  return Has(input) ? reader_.VariableName(op().inputs[input]) : std::string();
}

ir::Source Builder::Variable(size_t input) { return Variable(input, InputTensor(input).dims); }

ir::Source Builder::Variable(size_t input, const Dims& dims) {
  const Tensor& tensor = InputTensor(input);
  if (!Has(input) || !tensor.is_variable) {
    Refuse("input {} \"{}\" is not a variable tensor; must be one", input, OneLine(tensor.name));
    return reader_.Hole();
  }
  const std::vector<float> zeros(VariableElements(input, dims));
  if (zeros.empty()) return reader_.Hole();
  return State(VariableName(input), Floats(dims, zeros));
}

size_t Builder::VariableElements(size_t input, const Dims& dims) {
  constexpr int64_t kMaxElements = int64_t{1} << 26;
  const std::optional<int64_t> count = ElementCount(dims);
  if (count && *count > 0 && *count <= kMaxElements) return static_cast<size_t>(*count);
  Refuse("variable \"{}\" has shape {}; must have from 1 to {} elements",
         OneLine(InputTensor(input).name), ToString(dims), kMaxElements);
  return 0;
}

void Builder::SetVariable(size_t input, ir::Source value) {
  if (!Has(input) || !InputTensor(input).is_variable) return;
  SetState(VariableName(input), value);
}

const Subgraph* Builder::SubgraphAt(int32_t subgraph) {
  const auto& subgraphs = model().subgraphs;
  if (subgraph >= 0 && static_cast<size_t>(subgraph) < subgraphs.size()) {
    return &subgraphs[static_cast<size_t>(subgraph)];
  }
  Refuse("refers to subgraph {}; must be below {}", subgraph, subgraphs.size());
  return nullptr;
}

void Builder::RunRestIf(ir::Source condition) {
  if (reader_.index_ != 0) {
    return Refuse("ends runs early inside of subgraph {}; must be in the first one",
                  reader_.index_);
  }
  reader_.runs_rest_ = condition;
}

Inner Builder::Body(int32_t subgraph) {
  if (SubgraphAt(subgraph) == nullptr) return {};
  Reading& reading = reader_.reading_;
  const auto index = static_cast<size_t>(subgraph);
  if (std::ranges::find(reading.subgraphs, index) != reading.subgraphs.end()) {
    Refuse("calls subgraph {}, which contains the operator; must be another one", subgraph);
    return {};
  }
  if (reading.subgraphs.size() >= kMaxDepth || reading.bodies >= kMaxBodies) {
    Refuse("is nested too deeply or often; must have at most {} levels and {} bodies", kMaxDepth,
           kMaxBodies);
    return {};
  }
  ++reading.bodies;
  const size_t faults = reading.faults.lines().size();
  Inner body = GraphReader(reading, index).ReadBody();
  if (reading.faults.lines().size() == faults) return body;
  reader_.is_refused_ = true;
  return {};
}

ir::Source Builder::PortInput(size_t input) {
  const ir::Source value = Input(input);
  return IsQuantised(InputTensor(input)) ? CodesOfPort(*this, InputTensor(input), value) : value;
}

void Builder::SetPort(size_t output, ir::Source value) {
  const Tensor& tensor = OutputTensor(output);
  const bool has_codes = IsQuantised(tensor) && tensor.quantization->is_per_tensor();
  if (!has_codes) return Set(output, value);
  reader_.SetOutput(output, NumbersOfPort(*this, tensor, value));
}

std::string Builder::Place() const { return reader_.Where(); }
bool Builder::is_main() const { return reader_.IsMain(); }
bool Builder::rounds_as_litert() const { return reader_.reading_.options.as_litert; }

bool Builder::HasFixedShape(const Tensor& tensor) const {
  return tensor.constant || (HasKnownShape(tensor) && !reader_.reading_.options.has_own_shapes);
}

const Model& Builder::model() const { return reader_.reading_.model; }
ir::Graph& Builder::graph() { return *reader_.graph_; }

InnerGraph::InnerGraph(Builder& builder, std::unique_ptr<ir::Graph>& graph)
    : reader_(builder.reader_), graph_(graph) {
  graph_ = std::make_unique<ir::Graph>();
  graph_->file = reader_.graph_->file;
  Exchange();
}

InnerGraph::~InnerGraph() { Exchange(); }

void InnerGraph::Exchange() {
  std::swap(graph_, reader_.graph_);
  std::swap(values_, reader_.values_);
  std::swap(hole_, reader_.hole_);
}

void Builder::AddFault(const std::string& text) {
  reader_.is_refused_ = true;
  reader_.reading_.faults.Add(
      fmt::format("{}: {}: {}", reader_.graph_->file, reader_.Where(), text));
}

void Builder::AddWarning(const std::string& text) {
  reader_.reading_.faults.Warn(
      fmt::format("{}: {}: {}", reader_.graph_->file, reader_.Where(), text));
}

void Builder::RefuseOptions() {
  Refuse("has options of type {}; must have its own options",
         static_cast<int>(op().table->options_type()));
}

}  // namespace weft::tflite
