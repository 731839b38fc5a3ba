// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/reroll/value_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/packed.h"

namespace weft::graph {
namespace {

std::string_view BytesOf(const ir::Constant& constant) {
  return {reinterpret_cast<const char*>(constant.bytes.data()), constant.bytes.size()};
}

bool HoldEqualBytes(const ir::Constant& a, const ir::Constant& b) {
  if (!(a.type == b.type) || a.bytes.size() != b.bytes.size()) return false;
  return a.bytes.data() == b.bytes.data() || BytesOf(a) == BytesOf(b);
}

// Number of bytes to hash at either end.
constexpr size_t kHashedBytes = 256;

size_t HashOf(const ir::Constant& constant) {
  const std::string_view bytes = BytesOf(constant);
  const size_t count = std::min(bytes.size(), kHashedBytes);
  const std::hash<std::string_view> hash;
  size_t joined = hash(bytes.substr(0, count)) * 31 + hash(bytes.substr(bytes.size() - count));
  for (const int64_t dim : constant.type.dims) joined = joined * 31 + static_cast<size_t>(dim);
  return joined;
}

// Returns true if equal inputs give equal results with the inferred type.
bool IsPure(const ir::Node& node) {
  if (node.operation == nullptr || !node.bodies.empty() || node.inputs.empty()) return false;
  if (ir::IsParameter(node) || ir::IsResult(node) || ir::IsAssign(node)) return false;
  const auto plain = [](const ir::OutputPort& output) {
    return !output.run_time_extent && output.widened == nullptr;
  };
  return node.operation->traits.foldable && std::ranges::all_of(node.outputs, plain);
}

bool IsWhole(const ops::Run& run, int64_t dim) {
  return run.source == 0 && run.count == dim && (run.step == 1 || dim == 1);
}

// The elements of one axis that an output holds, if all other axes are complete and in order.
std::optional<ops::Selection> PositionsOf(const ops::AxisRelation& relation, const Dims& dims,
                                          uint32_t port) {
  if (port < relation.parts.size()) return relation.parts[port];
  if (relation.selections.size() != 1 || port != 0) return std::nullopt;
  const ops::Selection positions = relation.selections[0];
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (static_cast<int64_t>(axis) == positions.axis) continue;
    if (!IsWhole(relation.runs[axis].at(0), dims[axis])) return std::nullopt;
  }
  return positions;
}

int64_t WithPart(const Dims& dims, const ops::Selection& positions) {
  const int64_t dim = dims[static_cast<size_t>(positions.axis)];
  return dim == 0 ? 0 : ElementCount(dims).value_or(0) / dim * (positions.end - positions.begin);
}

// The input that equals a sum with negative zeros bit by bit. Exporters leave such sums where zeros
// were subtracted.
std::optional<size_t> InputItIs(const ir::Node& node) {
  if (node.operation->name != "Add") return std::nullopt;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const auto& constant = node.inputs[i].node->constant;
    if (!constant || constant->type.type != ElementType::f32) continue;
    const bool is_nothing = std::ranges::all_of(ops::Floats(*constant),
                                                [](float f) { return f == 0 && std::signbit(f); });
    if (is_nothing && TypeOf(node.inputs[1 - i]) == node.outputs[0].type) return 1 - i;
  }
  return std::nullopt;
}

// The type, version, attributes and output types.
std::string TextOf(const ir::Node& node) {
  std::string text = node.type + "|" + node.version;
  for (const auto& [key, value] : node.attributes) text += "|" + key + "=" + value;
  for (const ir::OutputPort& output : node.outputs) text += "|" + ToString(output.type);
  return text;
}

}  // namespace

ValueTable::ValueTable(const ir::Graph& graph) : graph_(graph), nodes_(ir::Topological(graph)) {
  for (ir::Node* node : nodes_) AddNode(*node);
}

int ValueTable::Of(const ir::Source& source) const {
  const auto found = of_.find({source.node, source.port});
  return found == of_.end() ? kNoValue : found->second;
}

void ValueTable::AddNode(ir::Node& node) {
  std::vector<int> inputs;
  for (const ir::Source& source : node.inputs) inputs.push_back(Of(source));
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const int value = AddOutput(node, port, inputs);
    of_[{&node, port}] = value;
    ir::Source& source = values_[static_cast<size_t>(value)].source;
    if (source.node == nullptr) source = {&node, port};
  }
}

int ValueTable::AddOutput(ir::Node& node, uint32_t port, const std::vector<int>& inputs) {
  const TensorType& type = node.outputs[port].type;
  if (node.constant) return AddConstant(*node.constant);
  Value value = {.type = type, .inputs = inputs, .port = port};
  if (!IsPure(node)) {
    values_.push_back(std::move(value));
    return size() - 1;
  }
  if (ops::TraitsOf(node).reshapes) return AddReshape(inputs[0], type);
  if (const std::optional<int> taken = AddTaken(node, port, inputs)) return *taken;
  if (const std::optional<size_t> same = InputItIs(node)) return inputs[*same];
  value.kind = Value::Kind::kOperation;
  value.form = FormOf(node);
  Key key = {1, value.form, port};
  key.insert(key.end(), inputs.begin(), inputs.end());
  return Add(key, std::move(value));
}

// For operations that only select elements of input 0.
std::optional<int> ValueTable::AddTaken(ir::Node& node, uint32_t port,
                                        const std::vector<int>& inputs) {
  if (ops::TraitsOf(node).steering == ops::Steering::kNothing) return std::nullopt;
  const TensorType &whole = TypeOf(node.inputs[0]), &type = node.outputs[port].type;
  const ops::AxisRelation relation = ops::RelationOf(graph_, node);
  if (relation.stretches && type == whole) return inputs[0];
  const std::optional<ops::Selection> positions = PositionsOf(relation, whole.dims, port);
  if (!positions || positions->begin < 0 || positions->end <= positions->begin) return std::nullopt;
  if (positions->end > whole.dims[static_cast<size_t>(positions->axis)]) return std::nullopt;
  if (ElementCount(type.dims).value_or(0) != WithPart(whole.dims, *positions)) return std::nullopt;
  Value value = {.kind = Value::Kind::kSlice, .type = whole, .inputs = {inputs[0]}};
  value.axis = positions->axis;
  value.begin = positions->begin;
  value.part = positions->end - positions->begin;
  value.type.dims[static_cast<size_t>(value.axis)] = value.part;
  const Key key = {2, inputs[0], value.axis, value.begin, value.part};
  return AddReshape(Add(key, std::move(value)), type);
}

int ValueTable::AddReshape(int input, const TensorType& type) {
  const int found = FindReshape(input, type.dims);
  if (found != kNoValue) return found;
  if ((*this)[input].kind == Value::Kind::kReshape) input = (*this)[input].inputs[0];
  Key key = {3, input};
  key.insert(key.end(), type.dims.begin(), type.dims.end());
  return Add(key, {.kind = Value::Kind::kReshape, .type = type, .inputs = {input}});
}

int ValueTable::AddConstant(const ir::Constant& constant) {
  const size_t hash = HashOf(constant);
  const auto [first, last] = constants_.equal_range(hash);
  for (auto same = first; same != last; ++same) {
    if (HoldEqualBytes(*(*this)[same->second].constant, constant)) return same->second;
  }
  values_.push_back({.kind = Value::Kind::kConstant, .type = constant.type, .constant = constant});
  constants_.emplace(hash, size() - 1);
  return size() - 1;
}

int ValueTable::Add(const Key& key, Value value) {
  const auto [found, added] = numbers_.try_emplace(key, size());
  if (added) values_.push_back(std::move(value));
  return found->second;
}

int ValueTable::Find(const Key& key) const {
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? kNoValue : found->second;
}

int ValueTable::FormOf(const ir::Node& node) {
  return forms_.try_emplace(TextOf(node), static_cast<int>(forms_.size())).first->second;
}

bool ValueTable::HasForm(int form, const ir::Node& node) const {
  const auto found = forms_.find(TextOf(node));
  return found != forms_.end() && found->second == form;
}

int ValueTable::FindSlice(int input, int64_t axis, int64_t begin, int64_t part) const {
  return Find({2, input, axis, begin, part});
}

int ValueTable::FindReshape(int input, const Dims& dims) const {
  if ((*this)[input].kind == Value::Kind::kReshape) input = (*this)[input].inputs[0];
  if ((*this)[input].type.dims == dims) return input;
  Key key = {3, input};
  key.insert(key.end(), dims.begin(), dims.end());
  return Find(key);
}

int ValueTable::FindOperation(int form, uint32_t port, const std::vector<int>& inputs) const {
  Key key = {1, form, port};
  key.insert(key.end(), inputs.begin(), inputs.end());
  return Find(key);
}

}  // namespace weft::graph
