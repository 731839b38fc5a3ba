// SPDX-License-Identifier: Apache-2.0
#include "converter/program/builder.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <optional>
#include <string_view>

#include "converter/base/narrow.h"

namespace weft::program {

Dims DenseStrides(const Dims& dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

bool AreDense(const Dims& dims, const Dims& strides) {
  const Dims dense = DenseStrides(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 1 && strides[i] != dense[i]) return false;
  }
  return true;
}

ValueId Builder::Scratch(TensorType type) {
  const std::optional<int64_t> bytes = DenseBytes(type);
  if (!bytes) {
    throw TooWide(fmt::format(
        "an intermediate value is {}; tensors hold less than 4294967296 bytes", ToString(type)));
  }
  Value value;
  value.bytes = *bytes;
  value.type = std::move(type);
  value.name = layer_;
  value.block = block_;
  return program_.Add(std::move(value));
}

ValueId Builder::State(TensorType type, std::string name) {
  const ValueId id = Scratch(std::move(type));
  program_.values[id].storage = Storage::kState;
  program_.values[id].name = std::move(name);
  return id;
}

ValueId Builder::Weights(TensorType type, std::vector<std::byte> bytes,
                         QuantisationPtr quantisation) {
  const size_t hash =
      std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto [first, last] = weights_by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    Value& known = program_.values[it->second];
    if (*known.data != bytes) continue;
    if (known.quantisation == nullptr) known.quantisation = std::move(quantisation);
    return known.type == type ? it->second : View(it->second, 0, std::move(type));
  }
  const ValueId id = Scratch(std::move(type));
  Value& value = program_.values[id];
  value.storage = Storage::kWeights;
  value.quantisation = std::move(quantisation);
  value.bytes = static_cast<int64_t>(bytes.size());
  value.data = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  weights_by_hash_.emplace(hash, id);
  return id;
}

ValueId Builder::WeightsOf(TensorType type, const CodedFloats& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers.floats));
  return Weights(std::move(type), {bytes.begin(), bytes.end()}, numbers.quantisation);
}

Variable& Builder::VariableNamed(const std::string& name, const TensorType& type) {
  for (size_t i = variable_index_.size(); i < program_.variables.size(); ++i) {
    variable_index_.emplace(program_.variables[i].name, i);
  }
  const auto [found, fresh] = variable_index_.try_emplace(name, program_.variables.size());
  if (fresh) program_.variables.push_back({State(type, name), kNone, name});
  return program_.variables[found->second];
}

void Builder::SetInitial(const std::string& name, ValueId initial) {
  assert(variable_index_.contains(name));
  ValueId& present = program_.variables[variable_index_.at(name)].initial;
  if (present == kNone) present = initial;
}

ValueId Builder::View(ValueId parent, int64_t offset_bytes, TensorType type,
                      std::vector<Move> moves) {
  // A view of a non-moving view refers to the parent of that view: chains of Reshapes grow long.
  for (; program_.values[parent].parent != kNone && program_.values[parent].moves.empty();
       parent = program_.values[parent].parent) {
    offset_bytes += program_.values[parent].offset_bytes;
  }
  const ValueId id = Scratch(std::move(type));
  Value& value = program_.values[id];
  [[maybe_unused]] const bool is_inside =
      offset_bytes >= 0 && offset_bytes + value.bytes <= program_.values[parent].bytes;
  assert(is_inside || !moves.empty() || value.bytes == 0);
  value.storage = program_.values[parent].storage;
  value.parent = parent;
  value.offset_bytes = offset_bytes;
  value.moves = std::move(moves);
  return id;
}

void Builder::Copy(ValueId source, ValueId target) {
  const Value& from = value(source);
  assert(from.bytes == value(target).bytes);
  if (from.bytes == 0) return;
  const int64_t unit = std::max<int64_t>(1, ElementBytes(from.type.type));
  CopyStrided(source, target, {from.bytes / unit}, {1}, 0, {1}, 0);
}

void Builder::Fill(ValueId target, uint64_t element_bits) {
  const Value& to = value(target);
  if (to.bytes == 0) return;
  const int64_t unit = std::max<int64_t>(1, ElementBytes(to.type.type));
  format::FillParams params;
  params.mutate_count(Narrow32(to.bytes / unit, "count"));
  params.mutate_element_bytes(Narrow32(unit, "element bytes"));
  params.mutate_bits_low(Narrow32(element_bits & 0xFFFFFFFFu, "bits low"));
  params.mutate_bits_high(Narrow32(element_bits >> 32, "bits high"));
  Emit(params, {}, {target});
}

namespace {

struct Axis {
  int64_t dim, source_stride, target_stride;
};

// Drops axes of one element, and merges adjacent axes that both sides traverse as one.
std::vector<Axis> Collapse(const Dims& dims, const Dims& source_strides,
                           const Dims& target_strides) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const Axis axis{dims[i], source_strides[i], target_strides[i]};
    if (!axes.empty() && axes.back().source_stride == axis.source_stride * axis.dim &&
        axes.back().target_stride == axis.target_stride * axis.dim) {
      axes.back() = {axes.back().dim * axis.dim, axis.source_stride, axis.target_stride};
    } else {
      axes.push_back(axis);
    }
  }
  if (axes.empty()) axes.push_back({1, 1, 1});
  return axes;
}

}  // namespace

void Builder::CopyStrided(ValueId source, ValueId target, const Dims& dims,
                          const Dims& source_strides, int64_t source_offset,
                          const Dims& target_strides, int64_t target_offset) {
  for (const int64_t dim : dims) {
    if (dim == 0) return;
  }
  const std::vector<Axis> axes = Collapse(dims, source_strides, target_strides);
  format::CopyParams params;
  params.mutate_rank(Narrow32(axes.size(), "rank"));
  for (uint32_t i = 0; i < axes.size(); ++i) {
    params.mutable_dims()->Mutate(i, Narrow32(axes[i].dim, "dims"));
    params.mutable_src_strides()->Mutate(i, Narrow<int32_t>(axes[i].source_stride, "src strides"));
    params.mutable_dst_strides()->Mutate(i, Narrow<int32_t>(axes[i].target_stride, "dst strides"));
  }
  params.mutate_src_offset(Narrow32(source_offset, "src offset"));
  params.mutate_dst_offset(Narrow32(target_offset, "dst offset"));
  params.mutate_element_bytes(
      Narrow32(std::max<int64_t>(1, ElementBytes(value(source).type.type)), "element bytes"));
  Emit(params, {source}, {target});
}

BlockId Builder::NewBlock() {
  program_.blocks.emplace_back();
  return static_cast<BlockId>(program_.blocks.size() - 1);
}

SectionId Builder::NewSection() {
  program_.sections.emplace_back();
  program_.sections.back().layer = layer_;
  return static_cast<SectionId>(program_.sections.size() - 1);
}

}  // namespace weft::program
