// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/number_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "converter/base/parse_number.h"
#include "converter/base/split.h"

namespace weft::graph {
namespace {

bool IsWord(std::string_view text) { return text == "true" || text == "false"; }

bool IsNumber(std::string_view text) {
  const std::optional<double> number = ParseNumber<double>(text);
  return IsWord(text) || (number && std::isfinite(*number));
}

template <typename T>
void Append(T number, std::vector<std::byte>* bytes) {
  const size_t at = bytes->size();
  bytes->resize(at + sizeof(T));
  std::memcpy(bytes->data() + at, &number, sizeof(T));
}

template <typename T>
bool AppendInteger(std::string_view text, std::vector<std::byte>* bytes) {
  const std::optional<T> number = ParseNumber<T>(text);
  if (number) Append(*number, bytes);
  return number.has_value();
}

template <typename T>
bool AppendFloat(std::string_view text, std::vector<std::byte>* bytes) {
  const std::optional<double> number = ParseNumber<double>(text);
  if (!number || std::abs(*number) > std::numeric_limits<T>::max()) return false;
  Append(static_cast<T>(*number), bytes);
  return true;
}

bool AppendBoolean(std::string_view text, std::vector<std::byte>* bytes) {
  const bool is_true = text == "true" || text == "1";
  if (is_true || text == "false" || text == "0") bytes->push_back(std::byte{is_true});
  return is_true || text == "false" || text == "0";
}

bool AppendElement(std::string_view text, ElementType type, std::vector<std::byte>* bytes) {
  switch (type) {
    case ElementType::f32:
      return AppendFloat<float>(text, bytes);
    case ElementType::f64:
      return AppendFloat<double>(text, bytes);
    case ElementType::i8:
      return AppendInteger<int8_t>(text, bytes);
    case ElementType::u8:
      return AppendInteger<uint8_t>(text, bytes);
    case ElementType::i16:
      return AppendInteger<int16_t>(text, bytes);
    case ElementType::i32:
      return AppendInteger<int32_t>(text, bytes);
    case ElementType::i64:
      return AppendInteger<int64_t>(text, bytes);
    case ElementType::boolean:
      return AppendBoolean(text, bytes);
    default:
      return false;
  }
}

bool HasNumbers(ElementType type) {
  return ElementBytes(type) != 0 && type != ElementType::f16 && type != ElementType::bf16;
}

}  // namespace

bool AreNumbers(std::string_view text) { return std::ranges::all_of(Split(text, ","), IsNumber); }

size_t CountOfNumbers(std::string_view text) { return Split(text, ",").size(); }

std::optional<std::vector<std::byte>> BytesOfNumbers(std::string_view text, ElementType type,
                                                     std::string* reason) {
  if (!HasNumbers(type)) {
    *reason = fmt::format("is a number and the input is {}; must be a .npy file", Name(type));
    return std::nullopt;
  }
  std::vector<std::byte> bytes;
  for (const std::string_view part : Split(text, ",")) {
    if (AppendElement(part, type, &bytes)) continue;
    *reason = fmt::format("is {}; must be a number that {} holds", part, Name(type));
    return std::nullopt;
  }
  return bytes;
}

}  // namespace weft::graph
