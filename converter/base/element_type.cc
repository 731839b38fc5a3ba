// SPDX-License-Identifier: Apache-2.0
#include "converter/base/element_type.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <limits>

namespace weft {
namespace {

struct TypeRow {
  ElementType type;
  int bits;
  bool is_float;
  std::string_view name;    // in `element_type` of <data>
  std::string_view legacy;  // in `precision` of a port
};

constexpr TypeRow kTypes[] = {
#define WEFT_TYPE(name, Name, bits, is_float, legacy, ...) \
  {ElementType::name, bits, is_float, #name, legacy},
#include "kernels/types.inc"
#undef WEFT_TYPE
};
static_assert(static_cast<size_t>(ElementType::MAX) + 1 == std::size(kTypes));

constexpr std::array<WidenedType, 4> kWidenedTypes = {{
    {"u1", "BIN", 1, ElementType::u8},
    {"u16", "U16", 16, ElementType::i32},
    {"u32", "U32", 32, ElementType::i64},
    {"u64", "U64", 64, ElementType::i64},
}};

const TypeRow& RowOf(ElementType type) { return kTypes[static_cast<size_t>(type)]; }

// `dynamic` is the text of -1.
std::string ListText(std::span<const int64_t> numbers, std::string_view dynamic) {
  // Layers have few dims, but a damaged file may declare a hundred thousand.
  constexpr size_t kMaxShown = 16, kFirstShown = 8;
  const size_t shown = numbers.size() <= kMaxShown ? numbers.size() : kFirstShown;
  std::string text;
  for (const int64_t number : numbers.first(shown)) {
    if (!text.empty()) text += ",";
    text += number == -1 ? std::string(dynamic) : fmt::format("{}", number);
  }
  if (shown == numbers.size()) return fmt::format("[{}]", text);
  return fmt::format("[{},... ({} dims)]", text, numbers.size());
}

}  // namespace

int64_t BitsOf(ElementType type) { return RowOf(type).bits; }

int64_t ElementBytes(ElementType type) { return RowOf(type).bits / 8; }

std::optional<int64_t> ElementCount(std::span<const int64_t> dims) {
  constexpr int64_t kMaxCount = int64_t{1} << 62;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    empty = empty || dim == 0;
  }
  if (empty) return 0;
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim > kMaxCount / count) return std::nullopt;
    count *= dim;
  }
  return count;
}

int64_t ProductOf(std::span<const int64_t> dims, size_t first, size_t last) {
  int64_t product = 1;
  for (size_t i = first; i < last; ++i) product *= dims[i];
  return product;
}

std::optional<int64_t> DenseBytes(const TensorType& tensor) {
  constexpr int64_t kMaxBytes = std::numeric_limits<uint32_t>::max();
  const std::optional<int64_t> count = ElementCount(tensor.dims);
  if (!count || *count > 2 * kMaxBytes) return std::nullopt;
  const int64_t bytes = (*count * BitsOf(tensor.type) + 7) / 8;
  return bytes <= kMaxBytes ? std::optional(bytes) : std::nullopt;
}

TensorType TypeOfSlot(const format::Model& model, const format::Slot& slot) {
  TensorType type{slot.type(), {}};
  for (uint32_t i = 0; i < slot.rank(); ++i) {
    type.dims.push_back(model.dims()->Get(slot.first_dim() + i));
  }
  return type;
}

std::string_view Name(ElementType type) { return RowOf(type).name; }

std::optional<ElementType> ParseElementType(std::string_view text) {
  for (const TypeRow& row : kTypes) {
    if (text == row.name || text == row.legacy) return row.type;
  }
  return std::nullopt;
}

const WidenedType* FindWidenedType(std::string_view text) {
  for (const WidenedType& row : kWidenedTypes) {
    if (text == row.name || text == row.legacy) return &row;
  }
  return nullptr;
}

std::string ElementTypeNames() {
  std::string names;
  for (const TypeRow& row : kTypes) names.append(names.empty() ? "" : " ").append(row.name);
  return names;
}

std::string ToString(std::span<const int64_t> numbers) { return ListText(numbers, "-1"); }

std::string ToString(const TensorType& tensor) {
  return fmt::format("{}{}", Name(tensor.type), ListText(tensor.dims, "?"));
}

bool IsFloat(ElementType type) { return RowOf(type).is_float; }

}  // namespace weft
