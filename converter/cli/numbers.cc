// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "converter/base/parse_number.h"
#include "converter/base/text.h"
#include "converter/base/visible.h"

namespace weft::cli {
namespace {

constexpr const char* kDigits = "0123456789";

std::string Is(const std::string& text, const std::string& must) {
  return fmt::format("is \"{}\"; must be {}", OneLine(text), must);
}

}  // namespace

Transform Integer(int64_t low, int64_t high) {
  const auto check = [low, high](std::string& text) -> std::string {
    const std::optional<int64_t> value = ParseNumber<int64_t>(text);
    if (!value || *value < low || *value > high) {
      const std::string top = high == INT64_MAX ? "" : fmt::format(" to {}", high);
      return Is(text, fmt::format("an integer from {}{}", low, top));
    }
    text = fmt::format("{}", *value);
    return "";
  };
  return check;
}

std::string Tolerable(std::string& text) {
  const std::optional<double> value = ParseNumber<double>(text);
  if (value && std::isfinite(*value) && !std::signbit(*value)) return "";
  return Is(text, "a finite number from 0, such as 1e-4");
}

std::optional<int64_t> ParseByteCount(std::string_view text) {
  const size_t end = std::min(text.find_first_not_of(kDigits), text.size());
  const std::optional<int64_t> number = ParseNumber<int64_t>(text.substr(0, end));
  const std::string unit = LowerCase(text.substr(end));
  const size_t power = unit.empty() ? 0 : std::string_view("kmgt").find(unit[0]) + 1;
  const std::string_view rest = std::string_view(unit).substr(power == 0 ? 0 : 1);
  const bool is_known = rest.empty() || rest == "b" || (power > 0 && rest == "ib");
  const int shift = static_cast<int>(10 * power);
  if (!number || !is_known || *number > INT64_MAX >> shift) return std::nullopt;
  return *number << shift;
}

Transform ByteCount() { return ByteCountOr({}); }

Transform ByteCountOr(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    const std::optional<int64_t> bytes = ParseByteCount(text);
    if (!bytes) {
      const std::string or_words =
          words.empty() ? "" : fmt::format(", {}", fmt::join(words, " or "));
      return Is(text, "a number of bytes, such as 65536 or 64K" + or_words);
    }
    text = fmt::format("{}", *bytes);
    return "";
  };
  return check;
}

std::string Duration(std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  const size_t end = text.find_first_not_of("0123456789.");
  const std::string_view unit = end == std::string::npos ? "" : std::string_view(text).substr(end);
  const auto number = ParseNumber<double>(std::string_view(text).substr(0, end));
  for (const auto& [name, nanoseconds] : kUnits) {
    const double time = number.value_or(0) * nanoseconds;
    if (unit != name || !(time > 0) || time > 1e15) continue;
    text = fmt::format("{}", time);
    return "";
  }
  return Is(text, "a time with its unit, such as 20.8us, of ns, us, ms or s");
}

std::string PathName(std::string& text) { return text.empty() ? "is empty; must be a name" : ""; }

}  // namespace weft::cli
