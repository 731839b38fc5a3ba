// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/tensor_data.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace weft::tflite {
namespace {

// Bytes of a dense tensor per stored byte. Limits the memory that a damaged file can request.
constexpr size_t kMaxExpansion = 4096;

// A sparse tensor is stored as a tree: one level per axis in storage order. A dense level has all
// its indices, a compressed one lists them by segments. Blocks are further axes of smaller extent.
class SparseTensor {
 public:
  // Returns a fault, or an empty text.
  std::string Read(const schema::Sparsity& from, const Dims& dims) {
    rank_ = dims.size();
    const auto* order = from.traversal_order();
    const auto* axes = from.axes();
    const size_t blocks = from.block_map() == nullptr ? 0 : from.block_map()->size();
    const size_t count = rank_ + blocks;
    if (order == nullptr || axes == nullptr || order->size() != count || axes->size() != count) {
      return fmt::format("sparsity must have {} axes: those of the shape and of the blocks", count);
    }
    factors_.assign(count, 1);
    std::vector<bool> seen(count);
    std::vector<int64_t> extents(count);
    for (size_t level = 0; level < count; ++level) {
      const auto position = static_cast<flatbuffers::uoffset_t>(level);
      const int32_t axis = order->Get(position);
      if (axis < 0 || static_cast<size_t>(axis) >= count || seen[static_cast<size_t>(axis)]) {
        return "the traversal order of its sparsity must have each axis once";
      }
      seen[static_cast<size_t>(axis)] = true;
      const schema::AxisMetadata& metadata = *axes->Get(position);
      Level& level_of_axis = levels_.emplace_back();
      level_of_axis.axis = static_cast<size_t>(axis);
      level_of_axis.is_dense = metadata.format() == schema::AxisFormat::dense;
      level_of_axis.segments = NumbersOf(metadata.array_segments_type(), metadata.array_segments());
      level_of_axis.indices = NumbersOf(metadata.array_indices_type(), metadata.array_indices());
      extents[static_cast<size_t>(axis)] = metadata.dense_size();
    }
    return SetBlocks(from, dims, extents);
  }

  // Calls set(position of the dense tensor) for each stored element, in order. Returns a fault, or
  // an empty text.
  template <typename Set>
  std::string ForEach(const Set& set) const {
    std::vector<int64_t> indices(levels_.size());
    return Visit(0, 0, indices, set) ? "" : "an index of its sparsity is outside of the shape";
  }

 private:
  struct Level {
    size_t axis = 0;
    bool is_dense = true;
    std::vector<int64_t> segments = {}, indices = {};  // of a compressed level
  };

  // Sets the extents of all axes: an axis with blocks has fewer, larger elements.
  std::string SetBlocks(const schema::Sparsity& from, const Dims& dims,
                        const std::vector<int64_t>& extents) {
    dims_ = dims;
    extents_ = dims;
    targets_.resize(levels_.size());
    for (size_t axis = 0; axis < rank_; ++axis) targets_[axis] = axis;
    for (size_t block = rank_; block < levels_.size(); ++block) {
      const int32_t axis =
          from.block_map()->Get(static_cast<flatbuffers::uoffset_t>(block - rank_));
      const int64_t extent = extents[block];
      if (axis < 0 || static_cast<size_t>(axis) >= rank_ || extent < 1 ||
          extents_[static_cast<size_t>(axis)] % extent != 0) {
        return "a block of its sparsity must divide an axis of the shape";
      }
      targets_[block] = static_cast<size_t>(axis);
      extents_[static_cast<size_t>(axis)] /= extent;
      factors_[static_cast<size_t>(axis)] *= extent;
      extents_.push_back(extent);
    }
    return "";
  }

  static std::vector<int64_t> NumbersOf(schema::IndexVector type, const void* table) {
    const auto list = [](const auto* values) {
      std::vector<int64_t> numbers;
      if (values != nullptr) numbers.assign(values->begin(), values->end());
      return numbers;
    };
    if (table == nullptr) return {};
    switch (type) {
      case schema::IndexVector::Int32Vector:
        return list(static_cast<const schema::Int32Vector*>(table)->values());
      case schema::IndexVector::Uint16Vector:
        return list(static_cast<const schema::Uint16Vector*>(table)->values());
      case schema::IndexVector::Uint8Vector:
        return list(static_cast<const schema::Uint8Vector*>(table)->values());
      default:
        return {};
    }
  }

  // `parent` is the number of the node of the previous level.
  template <typename Set>
  bool Visit(size_t at, int64_t parent, std::vector<int64_t>& indices, const Set& set) const {
    if (at == levels_.size()) return set(PositionOf(indices));
    const Level& level = levels_[at];
    const int64_t extent = extents_[level.axis];
    if (level.is_dense) {
      for (int64_t i = 0; i < extent; ++i) {
        indices[level.axis] = i;
        if (!Visit(at + 1, parent * extent + i, indices, set)) return false;
      }
      return true;
    }
    if (parent + 1 >= std::ssize(level.segments)) return false;
    const int64_t begin = level.segments[static_cast<size_t>(parent)];
    const int64_t end = level.segments[static_cast<size_t>(parent) + 1];
    if (begin < 0 || begin > end || end > std::ssize(level.indices)) return false;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = level.indices[static_cast<size_t>(i)];
      if (index < 0 || index >= extent) return false;
      indices[level.axis] = index;
      if (!Visit(at + 1, i, indices, set)) return false;
    }
    return true;
  }

  int64_t PositionOf(const std::vector<int64_t>& indices) const {
    std::vector<int64_t> full(rank_);
    for (size_t axis = 0; axis < rank_; ++axis) full[axis] = indices[axis] * factors_[axis];
    std::vector<int64_t> inner = factors_;
    for (size_t block = rank_; block < indices.size(); ++block) {
      const size_t axis = targets_[block];
      inner[axis] /= extents_[block];
      full[axis] += indices[block] * inner[axis];
    }
    int64_t position = 0;
    for (size_t axis = 0; axis < rank_; ++axis) position = position * dims_[axis] + full[axis];
    return position;
  }

  size_t rank_ = 0;
  std::vector<Level> levels_;
  Dims dims_, extents_;           // extents: of the axes in blocks, then of the blocks
  std::vector<int64_t> factors_;  // elements per block, by axis
  std::vector<size_t> targets_;   // axis of each block
};

}  // namespace

std::optional<ElementType> IrTypeOf(schema::ElementType type) {
  using From = schema::ElementType;
  switch (type) {
    case From::f32:
      return ElementType::f32;
    case From::f16:
      return ElementType::f16;
    case From::bf16:
      return ElementType::bf16;
    case From::f64:
      return ElementType::f64;
    case From::i4:
      return ElementType::i4;
    case From::u4:
      return ElementType::u4;
    case From::i8:
      return ElementType::i8;
    case From::u8:
      return ElementType::u8;
    case From::i16:
      return ElementType::i16;
    case From::i32:
    case From::u32:
      return ElementType::i32;
    case From::i64:
    case From::u64:
      return ElementType::i64;
    case From::boolean:
      return ElementType::boolean;
    default:
      return std::nullopt;
  }
}

bool IsUnsigned(schema::ElementType type) {
  return type == schema::ElementType::u32 || type == schema::ElementType::u64;
}

bool IsComplex(schema::ElementType type) { return type == schema::ElementType::c64; }

std::optional<std::span<const std::byte>> TensorDataReader::BytesOf(const schema::Tensor& from,
                                                                    const std::string& where) {
  const std::span<const std::byte> none;
  const auto* buffers = model_.buffers();
  const size_t count = buffers == nullptr ? 0 : buffers->size();
  if (from.external_buffer() != 0) {
    faults_.Add(fmt::format("{}: data is in another file; must be in the model file", where));
    return std::nullopt;
  }
  if (from.buffer() == 0 && count == 0) return none;
  if (from.buffer() >= count) {
    faults_.Add(fmt::format("{}: buffer is {}; must be below {}", where, from.buffer(), count));
    return std::nullopt;
  }
  const schema::Buffer& buffer = *buffers->Get(from.buffer());
  if (buffer.data() != nullptr && buffer.data()->size() > 0) {
    return std::as_bytes(std::span(buffer.data()->data(), buffer.data()->size()));
  }
  if (buffer.offset() <= 1) return none;
  const uint64_t size = file_->size();
  if (buffer.offset() > size || buffer.size() > size - buffer.offset()) {
    faults_.Add(fmt::format("{}: data is {} bytes from {}; the file has {}", where, buffer.size(),
                            buffer.offset(), size));
    return std::nullopt;
  }
  return std::span(*file_).subspan(buffer.offset(), buffer.size());
}

void TensorDataReader::Read(const schema::Tensor& from, const std::string& where, Tensor& tensor) {
  const std::optional<std::span<const std::byte>> stored = BytesOf(from, where);
  if (!stored || stored->empty()) return;
  const std::optional<ElementType> type = IrTypeOf(tensor.type);
  if (!type) return;  // an operator that reads the tensor is refused
  ir::Constant constant{{*type, tensor.dims}, file_, *stored};
  const std::optional<int64_t> bytes = DenseBytes(constant.type);
  if (!bytes) {
    faults_.Add(fmt::format("{}: is {}; tensors hold less than 4294967296 bytes", where,
                            ToString(constant.type)));
    return;
  }
  if (from.sparsity() != nullptr) {
    Expand(*from.sparsity(), where, *stored, constant);
  } else if (std::ssize(*stored) != *bytes) {
    faults_.Add(fmt::format("{}: has {} bytes of data; {} needs {}", where, stored->size(),
                            ToString(constant.type), *bytes));
    return;
  }
  tensor.constant = std::move(constant);
}

void TensorDataReader::Expand(const schema::Sparsity& sparsity, const std::string& where,
                              std::span<const std::byte> stored, ir::Constant& constant) {
  const auto size = static_cast<size_t>(ElementBytes(constant.type.type));
  const auto bytes = static_cast<size_t>(DenseBytes(constant.type).value_or(0));
  SparseTensor sparse;
  std::string fault = sparse.Read(sparsity, constant.type.dims);
  if (fault.empty() && bytes / kMaxExpansion > stored.size()) {
    fault = fmt::format("has {} bytes of sparse data; {} must have at least one in {}",
                        stored.size(), ToString(constant.type), kMaxExpansion);
  }
  if (fault.empty() && size == 0) fault = "sparse elements must have at least one byte";
  auto dense = std::make_shared<std::vector<std::byte>>();
  size_t next = 0;
  if (fault.empty()) {
    dense->resize(bytes);
    fault = sparse.ForEach([&](int64_t position) {
      const size_t at = static_cast<size_t>(position) * size;
      if (next + size > stored.size() || at + size > bytes) return false;
      std::memcpy(dense->data() + at, stored.data() + next, size);
      next += size;
      return true;
    });
  }
  if (fault.empty() && next != stored.size()) {
    fault = fmt::format("has {} bytes of sparse data; its indices need {}", stored.size(), next);
  }
  if (!fault.empty()) faults_.Add(fmt::format("{}: {}", where, fault));
  constant.bytes = *dense;
  constant.owner = std::move(dense);
}

}  // namespace weft::tflite
