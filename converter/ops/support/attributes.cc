// SPDX-License-Identifier: Apache-2.0
// Typed access to the attributes in <data> (Attributes of operation.h).
#include <cmath>
#include <limits>

#include "converter/base/parse_number.h"
#include "converter/base/split.h"
#include "converter/base/text.h"
#include "converter/ops/operation.h"

namespace weft::ops {
namespace {

template <typename T>
std::optional<T> ParseAll(std::string_view text) {
  text = Trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  return ParseNumber<T>(text);
}

// Clamp stores its bounds as doubles; values beyond the f32 range become infinite.
std::optional<float> ParseFloat(std::string_view text) {
  const std::optional<double> value = ParseAll<double>(text);
  if (!value) return std::nullopt;
  if (std::abs(*value) > std::numeric_limits<float>::max()) {
    return std::copysign(std::numeric_limits<float>::infinity(),
                         static_cast<float>(*value > 0) - 0.5f);
  }
  return static_cast<float>(*value);
}

// "1, 4, 6"; an empty text is an empty list.
std::vector<std::string_view> SplitList(std::string_view text) {
  if (Trim(text).empty()) return {};
  std::vector<std::string_view> parts = Split(text, ",");
  for (std::string_view& part : parts) part = Trim(part);
  return parts;
}

const std::string* Lookup(const ir::Node& node, std::string_view key) {
  const auto found = node.attributes.find(std::string(key));
  return found == node.attributes.end() ? nullptr : &found->second;
}

template <typename T, std::optional<T> (*parse)(std::string_view)>
std::optional<std::vector<T>> ParseList(std::string_view text) {
  std::vector<T> values;
  for (std::string_view part : SplitList(text)) {
    const std::optional<T> value = parse(part);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

}  // namespace

bool Attributes::Has(std::string_view key) const { return Lookup(node_, key) != nullptr; }

std::string Attributes::Text(std::string_view key, std::string_view fallback) const {
  const std::string* text = Lookup(node_, key);
  return std::string(text != nullptr ? Trim(*text) : fallback);
}

template <typename T, typename Parse>
T Attributes::Read(std::string_view key, T fallback, std::string_view must, Parse parse) const {
  const std::string* text = Lookup(node_, key);
  if (text == nullptr) return fallback;
  std::optional<T> value = parse(*text);
  if (value) return std::move(*value);
  Malformed(key, must);
  return fallback;
}

int64_t Attributes::Int(std::string_view key, int64_t fallback) const {
  return Read(key, fallback, "an integer", ParseAll<int64_t>);
}

float Attributes::Float(std::string_view key, float fallback) const {
  return Read(key, fallback, "a number", ParseFloat);
}

bool Attributes::Bool(std::string_view key, bool fallback) const {
  const std::string* text = Lookup(node_, key);
  if (text == nullptr) return fallback;
  const std::string_view value = Trim(*text);
  if (value == "1" || EqualIgnoringCase(value, "true")) return true;
  if (value == "0" || EqualIgnoringCase(value, "false")) return false;
  Malformed(key, "true, false, 1 or 0");
  return fallback;
}

Dims Attributes::Ints(std::string_view key, Dims fallback) const {
  return Read(key, std::move(fallback), "integers separated by commas",
              ParseList<int64_t, ParseAll<int64_t>>);
}

std::vector<float> Attributes::Floats(std::string_view key, std::vector<float> fallback) const {
  return Read(key, std::move(fallback), "numbers separated by commas",
              ParseList<float, ParseFloat>);
}

std::vector<std::string> Attributes::Texts(std::string_view key,
                                           std::vector<std::string> fallback) const {
  const std::string* text = Lookup(node_, key);
  if (text == nullptr) return fallback;
  const std::vector<std::string_view> parts = SplitList(*text);
  return {parts.begin(), parts.end()};
}

std::string Attributes::Choice(std::string_view key, std::string_view fallback,
                               std::span<const std::string_view> allowed) const {
  const std::string* text = Lookup(node_, key);
  if (text == nullptr) return std::string(fallback);
  std::string must = "one of";
  for (std::string_view choice : allowed) {
    if (EqualIgnoringCase(Trim(*text), choice)) return std::string(choice);
    must.append(" ").append(choice);
  }
  Malformed(key, must);
  return std::string(fallback);
}

void Attributes::Malformed(std::string_view key, std::string_view must) const {
  faults_.Add(fmt::format("{}: attribute {} is \"{}\"; must be {}", ir::Where(graph_, node_), key,
                          *Lookup(node_, key), must));
}

}  // namespace weft::ops
