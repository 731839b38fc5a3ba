// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/decode.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "converter/base/visible.h"
#include "converter/tflite/builder.h"
#include "converter/tflite/tensor_data.h"

namespace weft::tflite {
namespace {

using Bytes = std::span<const std::byte>;

// The ancillary tensor: a head of 16 bytes, then the values or the Huffman tables.
constexpr size_t kHeadBytes = 16;
constexpr size_t kMaxLevels = 32;  // of Huffman tables
constexpr int kByTable = 0, kByHuffman = 1, kByPruning = 2, kCodingVersion = 1;

// A stream of bits, the most significant one of each byte first.
class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}

  // Bits after the end are 0.
  uint32_t Next(size_t count) {
    uint32_t bits = 0;
    for (; count > 0; --count, ++at_) {
      const size_t byte = at_ / 8;
      const auto value = byte < bytes_.size() ? std::to_integer<uint32_t>(bytes_[byte]) : 0;
      bits = bits << 1 | (value >> (7 - at_ % 8) & 1);
    }
    return bits;
  }
  void Return(size_t count) { at_ -= count; }
  bool has_failed() const { return at_ > bytes_.size() * 8; }

 private:
  Bytes bytes_;
  size_t at_ = 0;
};

// Decodes one tensor. Each function returns a fault, or an empty text.
class Decoder {
 public:
  Decoder(Bytes coded, Bytes ancillary, const Tensor& tensor, ElementType type)
      : coded_(coded), ancillary_(ancillary), tensor_(tensor), type_(type) {}

  std::string Decode(std::vector<std::byte>& to) {
    size_ = static_cast<size_t>(ElementBytes(type_));
    count_ = static_cast<size_t>(ElementCount(tensor_.dims).value_or(0));
    if (ancillary_.size() < kHeadBytes) {
      return fmt::format("has {} bytes of ancillary data; must have at least {}", ancillary_.size(),
                         kHeadBytes);
    }
    if (Head(1) != kCodingVersion || Head(4) != kCodingVersion) {
      return fmt::format("its data is of version {}.{}; must be {}.{}", Head(1), Head(4),
                         kCodingVersion, kCodingVersion);
    }
    if (size_ == 0)
      return fmt::format("has elements of {}; must be of 1, 2, 4 or 8 bytes", Name(type_));
    if (count_ / 8 > coded_.size()) {
      return fmt::format("has {} bytes of data; {} must have at least a bit for each element",
                         coded_.size(), ToString(TensorType{type_, tensor_.dims}));
    }
    to.resize(count_ * size_);
    to_ = to.data();
    if (Head(0) == kByTable) return ByTable();
    if (Head(0) == kByHuffman) return ByHuffman();
    if (Head(0) == kByPruning) return ByPruning();
    return fmt::format("its data has encoding {}; must be {} to {}", Head(0), kByTable, kByPruning);
  }

 private:
  int Head(size_t byte) const { return std::to_integer<int>(ancillary_[byte]); }

  // The index of the scale of element i.
  size_t ChannelOf(size_t i) const {
    if (!tensor_.quantization || tensor_.quantization->is_per_tensor()) return 0;
    size_t inner = 1;
    for (size_t axis = tensor_.quantization->axis + 1; axis < tensor_.dims.size(); ++axis) {
      inner *= static_cast<size_t>(tensor_.dims[axis]);
    }
    return i / inner % tensor_.quantization->scales.size();
  }

  // Copies value number `value` to element i; false if there are fewer values.
  bool CopyValue(size_t value, size_t i) {
    const size_t at = kHeadBytes + value * size_;
    if (at + size_ > ancillary_.size()) return false;
    std::memcpy(to_ + i * size_, ancillary_.data() + at, size_);
    return true;
  }

  // Each channel has a table of values.
  std::string ByTable() {
    const size_t width = std::to_integer<size_t>(ancillary_[5]) & 7;
    const auto values = std::to_integer<size_t>(ancillary_[6]);
    if (width == 0) return "its data has indices of 0 bits; must be 1 to 7";
    BitReader bits(coded_);
    for (size_t i = 0; i < count_; ++i) {
      if (CopyValue(ChannelOf(i) * values + bits.Next(width), i)) continue;
      return fmt::format("element {} has an index after the end of its table", i);
    }
    return FaultOf(bits);
  }

  // A bit for each element: 0 is the zero point, 1 the next value.
  std::string ByPruning() {
    BitReader bits(coded_);
    size_t value = 0;
    for (size_t i = 0; i < count_; ++i) {
      const int64_t zero = tensor_.quantization ? tensor_.quantization->zeros[ChannelOf(i)] : 0;
      if (zero != 0 && type_ != ElementType::i8) {
        return fmt::format("has the zero point {}; must be 0 if its type is not i8", zero);
      }
      if (bits.Next(1) == 0) {
        std::memset(to_ + i * size_, static_cast<int>(zero), size_);
      } else if (!CopyValue(value++, i)) {
        return fmt::format("element {} is after the last of its values", i);
      }
    }
    return FaultOf(bits);
  }

  // An entry of a Huffman table: the highest bit is set for a symbol, which is in the lowest bits;
  // then 4 bits hold how many of the last bits it uses. Other entries hold the size of the next
  // table, less 1, and its distance.
  std::string ByHuffman() {
    const bool is_wide = (Head(5) & 1) != 0;
    const size_t first = static_cast<size_t>(Head(5) >> 4) + 1, entry_size = is_wide ? 4 : 2;
    const size_t shift = is_wide ? 27 : 11;
    const bool fits = type_ == ElementType::i8 || (type_ == ElementType::i16 && is_wide);
    if (!fits) {
      return fmt::format("has elements of {}; must be i8, or i16 with a table of 32 bits",
                         Name(type_));
    }
    BitReader bits(coded_);
    for (size_t i = 0; i < count_; ++i) {
      size_t at = 0, used = first;
      for (size_t level = 0;; ++level) {
        at += bits.Next(used);
        const size_t byte = kHeadBytes + at * entry_size;
        if (byte + entry_size > ancillary_.size() || level == kMaxLevels) {
          return fmt::format("element {} has a code that is not in its tables", i);
        }
        uint32_t entry = 0;
        std::memcpy(&entry, ancillary_.data() + byte, entry_size);
        const size_t length = entry >> shift & 15;
        if ((entry >> (shift + 4) & 1) == 0) {
          used = length + 1;
          at += entry & ((uint32_t{1} << shift) - 1);
          continue;
        }
        std::memcpy(to_ + i * size_, &entry, size_);
        if (used > length) bits.Return(used - length);
        break;
      }
    }
    return FaultOf(bits);
  }

  std::string FaultOf(const BitReader& bits) const {
    if (!bits.has_failed()) return "";
    return fmt::format("has {} bytes of data; its {} elements need more", coded_.size(), count_);
  }

  const Bytes coded_, ancillary_;
  const Tensor& tensor_;
  const ElementType type_;
  size_t size_ = 0, count_ = 0;
  std::byte* to_ = nullptr;
};

std::string FaultOfDecode(const Tensor* coded, const Tensor* ancillary, Tensor& tensor) {
  if (coded == nullptr || ancillary == nullptr || !coded->constant || !ancillary->constant) {
    return "its inputs are not constants; must be pairs of constants";
  }
  const std::optional<ElementType> type = IrTypeOf(tensor.type);
  if (!type) return fmt::format("its element type is number {}", static_cast<int>(tensor.type));
  auto bytes = std::make_shared<std::vector<std::byte>>();
  Decoder decoder(coded->constant->bytes, ancillary->constant->bytes, tensor, *type);
  std::string fault = decoder.Decode(*bytes);
  if (fault.empty()) tensor.constant = ir::Constant{{*type, tensor.dims}, bytes, *bytes};
  return fault;
}

}  // namespace

void DecodeConstants(const Operator& op, const std::string& where, Subgraph& subgraph,
                     Faults& faults) {
  if (op.inputs.size() != 2 * op.outputs.size()) {
    return faults.Add(fmt::format("{}: has {} inputs and {} outputs; must have 2 inputs for each",
                                  where, op.inputs.size(), op.outputs.size()));
  }
  const auto input = [&](size_t i) {
    const int32_t id = op.inputs[i];
    return id == kLeftOut ? nullptr : &subgraph.tensors[static_cast<size_t>(id)];
  };
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    Tensor& tensor = subgraph.tensors[static_cast<size_t>(op.outputs[i])];
    const std::string fault = FaultOfDecode(input(2 * i), input(2 * i + 1), tensor);
    if (fault.empty()) continue;
    faults.Add(fmt::format("{}: tensor \"{}\": {}", where, OneLine(tensor.name), fault));
  }
}

// The model's reader has decoded the outputs.
void TflmDecode(Builder& b) {
  for (size_t i = 0; i < b.output_count(); ++i) b.SetConstant(i);
}

}  // namespace weft::tflite
