// SPDX-License-Identifier: Apache-2.0
// The scopes of operation.h: the view that shape rules and lowerings have of their node.
#include "converter/ops/operation.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "converter/base/narrow.h"

namespace weft::ops {
namespace {

constexpr size_t kMaxRank = 8;
// The limit also holds for tensors without elements: run-time lengths are i32.
constexpr int64_t kMaxDim = std::numeric_limits<int32_t>::max();

Dims WithoutZeros(Dims dims) {
  std::erase(dims, 0);
  return dims;
}

// Truncates. Values outside int64 become the nearest bound; NaN becomes 0.
int64_t Truncate(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (value <= -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

}  // namespace

const TensorType& NodeScope::input_type(size_t i) const {
  assert(has_input(i));
  return ir::TypeOf(node_.inputs[i]);
}

const ir::Constant* NodeScope::constant(size_t i) const {
  if (!has_input(i)) return nullptr;
  const ir::Source& source = node_.inputs[i];
  return source.port == 0 && source.node->constant ? &*source.node->constant : nullptr;
}

std::optional<Dims> NodeScope::Ints(size_t i) const {
  const ir::Constant* value = constant(i);
  if (value == nullptr) return std::nullopt;
  if (!IsFloat(value->type.type)) return ir::IntegersOf(*value);
  const std::optional<std::vector<double>> numbers = Numbers(i);
  Dims ints;
  for (const double number : *numbers) ints.push_back(Truncate(number));
  return ints;
}

std::optional<std::vector<double>> NodeScope::Numbers(size_t i) const {
  const ir::Constant* value = constant(i);
  if (value == nullptr) return std::nullopt;
  std::vector<double> numbers(static_cast<size_t>(ElementCount(value->type.dims).value_or(0)));
  for (size_t at = 0; at < numbers.size(); ++at) numbers[at] = ir::NumberAt(*value, at);
  return numbers;
}

std::optional<Dims> NodeScope::RequireInts(size_t i, std::string_view what) {
  std::optional<Dims> ints = Ints(i);
  if (!ints && !has_input(i)) {
    Fault("input {} ({}) is missing; must be a constant", i, what);
  } else if (!ints) {
    FaultComputed(i, what, ", because memory is planned ahead");
  }
  return ints;
}

void NodeScope::RequireAttributes(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (!attributes.Has(key)) Fault("attribute {} is missing; must be given", key);
  }
}

void NodeScope::FaultComputed(size_t i, std::string_view what, std::string_view reason) {
  Fault(
      "input {} ({}) is computed at run time; must be a constant{} (--value makes an input of the "
      "model a constant)",
      i, what, reason);
}

void NodeScope::AddFault(const std::string& message) {
  failed_ = true;
  faults_.Add(ir::Where(graph_, node_) + ": " + message);
}

void NodeScope::Warn(const std::string& message) {
  faults_.Warn(ir::Where(graph_, node_) + ": " + message);
}

void InferScope::SetOutput(size_t i, ElementType type, Dims dims) {
  TensorType tensor{type, std::move(dims)};
  const bool negative =
      std::any_of(tensor.dims.begin(), tensor.dims.end(), [](int64_t d) { return d < 0; });
  if (negative) {
    Fault("output {} would be {}{}; no dimension may be negative", i, Name(tensor.type),
          ToString(tensor.dims));
  } else if (tensor.dims.size() > kMaxRank) {
    Fault("output {} would be {} of rank {}; ranks up to {} are supported", i, ToString(tensor),
          tensor.dims.size(), kMaxRank);
  } else if (!ElementCount(tensor.dims)) {
    Fault(
        "output {} would be {} with more than 2^62 elements; tensors hold less than 4294967296 "
        "bytes",
        i, ToString(tensor));
  } else if (!ElementCount(WithoutZeros(tensor.dims))) {
    // Strides are products of dims, even if the tensor has no element.
    Fault("output {} would be {}; the product of its nonzero dimensions must be below 2^62", i,
          ToString(tensor));
  } else if (!DenseBytes(tensor) && limits_bytes) {
    // At most 2^62 elements of 64 bits: the bytes fit uint64.
    const uint64_t count = static_cast<uint64_t>(*ElementCount(tensor.dims));
    const uint64_t bits = static_cast<uint64_t>(BitsOf(type));
    const uint64_t bytes = bits >= 8 ? count * (bits / 8) : count / 2;
    Fault("output {} would be {} with {} bytes; tensors hold less than 4294967296 bytes", i,
          ToString(tensor), bytes);
  } else if (std::ranges::any_of(tensor.dims, [](int64_t d) { return d > kMaxDim; })) {
    Fault("output {} would be {}; a dimension must be at most {}", i, ToString(tensor), kMaxDim);
  }
  if (node_.outputs.size() <= i) node_.outputs.resize(i + 1);
  node_.outputs[i].type = std::move(tensor);
}

std::optional<int64_t> NodeScope::NormalAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  if (rank == 0) {
    Fault("axis {} of a scalar; a scalar has no axes", axis);
  } else {
    Fault("axis {} of a rank {} tensor; must be from {} to {}", axis, rank, -rank, rank - 1);
  }
  return std::nullopt;
}

std::optional<Dims> InferScope::Broadcast(const Dims& a, const Dims& b) {
  const size_t rank = std::max(a.size(), b.size());
  Dims out(rank, 1);
  for (size_t i = 0; i < rank; ++i) {  // counted from the last axis
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      Fault("shapes {} and {} do not broadcast: axis {} is {} and {}; must be equal or 1",
            ToString(a), ToString(b), rank - 1 - i, x, y);
      return std::nullopt;
    }
    out[rank - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

program::ValueId LowerScope::input(size_t i) {
  const ir::Source& source = node_.inputs[i];
  const auto key = std::pair<const ir::Node*, uint32_t>(source.node, source.port);
  const auto found = values_.find(key);
  if (found != values_.end()) return found->second;
  const ir::Constant* value = constant(i);
  if (value == nullptr) return program::kNone;
  const program::ValueId id =
      builder.Weights(value->type, std::vector<std::byte>(value->bytes.begin(), value->bytes.end()),
                      value->quantisation);
  values_.emplace(key, id);
  return id;
}

program::ValueId LowerScope::NewOutput(size_t i) {
  const program::ValueId id = builder.Scratch(output_type(i));
  SetOutput(i, id);
  return id;
}

void LowerScope::SetOutput(size_t i, program::ValueId value) {
  values_[{&node_, Narrow32(i, "an output's index")}] = value;
}

void LowerScope::Forward(size_t from, size_t i) {
  SetOutput(i, builder.View(input(from), 0, output_type(i)));
}

bool LowerScope::IsReadByStrides() const {
  if (shared_ == nullptr || keeps_all_outputs_ || node_.outputs[0].run_time_extent) return false;
  if (!shared_->reads) {
    shared_->reads.emplace();
    for (ir::Node* reader : ir::Topological(graph_)) {
      for (size_t i = 0; i < reader->inputs.size(); ++i) {
        shared_->reads->emplace(reader->inputs[i].node, LowerShared::Read{reader, i});
      }
    }
  }
  const auto [first, end] = shared_->reads->equal_range(&node_);
  return std::all_of(first, end, [&](const auto& entry) {
    const auto& [reader, input] = entry.second;
    const auto takes = TraitsOf(*reader).takes_strides;
    Faults discarded;
    return takes != nullptr && takes(NodeScope(graph_, *reader, discarded), input);
  });
}

bool LowerScope::ForwardAt(const Dims& strides) {
  if (!IsReadByStrides()) return false;
  shared_->strides[&node_] = strides;
  SetOutput(0, input(0));
  return true;
}

Dims LowerScope::input_strides(size_t i) const {
  if (shared_ != nullptr) {
    const auto found = shared_->strides.find(node_.inputs[i].node);
    if (found != shared_->strides.end()) return found->second;
  }
  return program::DenseStrides(input_dims(i));
}

bool LowerScope::IsUsed(size_t i) const {
  if (keeps_all_outputs_) return true;
  LowerShared own;
  LowerShared& shared = shared_ == nullptr ? own : *shared_;
  if (!shared.used) {
    shared.used.emplace();
    for (const std::unique_ptr<ir::Node>& node : graph_.nodes) {
      for (const ir::Source& source : node->inputs) shared.used->insert({source.node, source.port});
    }
  }
  return shared.used->contains({&node_, Narrow32(i, "an output's index")});
}

void Lower(LowerScope& scope) {
  const ir::Node& node = scope.node();
  const auto is_empty = [](const ir::OutputPort& port) {
    return ElementCount(port.type.dims) == 0 && !port.run_time_extent;
  };
  const bool has_effects = !node.bodies.empty() || ir::IsReadValue(node) || ir::IsAssign(node);
  if (has_effects || !std::ranges::all_of(node.outputs, is_empty))
    return node.operation->lower(scope);
  for (size_t i = 0; i < node.outputs.size(); ++i) scope.NewOutput(i);
}

std::vector<const ir::Node*> LowerScope::SinksIn(program::ValueId root) const {
  std::vector<const ir::Node*> later;
  if (shared_ == nullptr) {  // a single operation: all later sinks count
    const auto own = std::find(graph_.sinks.begin(), graph_.sinks.end(), &node_);
    if (own != graph_.sinks.end()) later.assign(own + 1, graph_.sinks.end());
    return later;
  }
  const auto [first, end] = shared_->sinks.equal_range(root);
  for (auto entry = first; entry != end; ++entry) {
    if (entry->second > shared_->sink) later.push_back(graph_.sinks[entry->second]);
  }
  return later;
}

VariableReads ReadsIn(const ir::Graph& graph) {
  VariableReads reads;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) {
    const auto id = node->attributes.find("variable_id");
    if (node->type == "ReadValue" && id != node->attributes.end()) {
      reads.emplace(id->second, node.get());
    }
  }
  return reads;
}

std::vector<const ir::Node*> InferScope::ReadsOf(const std::string& id) const {
  const VariableReads own = reads == nullptr ? ReadsIn(graph_) : VariableReads();
  std::vector<const ir::Node*> found;
  const auto [first, end] = (reads == nullptr ? own : *reads).equal_range(id);
  for (auto entry = first; entry != end; ++entry) found.push_back(entry->second);
  return found;
}

}  // namespace weft::ops
