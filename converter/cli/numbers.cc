// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "converter/base/visible.h"
#include "converter/ir/graph.h"

namespace weft::cli {
namespace {

constexpr const char* kDigits = "0123456789";

std::optional<int64_t> ParseInteger(const std::string& text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::string Is(const std::string& text, const std::string& must) {
  return fmt::format("is \"{}\"; must be {}", OneLine(text), must);
}

}  // namespace

Transform Integer(int64_t low, int64_t high) {
  const auto check = [low, high](std::string& text) -> std::string {
    const std::optional<int64_t> value = ParseInteger(text);
    if (!value || *value < low || *value > high) {
      const std::string top = high == INT64_MAX ? "" : fmt::format(" to {}", high);
      return Is(text, fmt::format("an integer from {}{}", low, top));
    }
    text = fmt::format("{}", *value);
    return "";
  };
  return check;
}

Transform Tolerable() {
  const auto check = [](std::string& text) -> std::string {
    // strtod accepts "nan", "inf" and hexadecimal numbers.
    char* stop = nullptr;
    const bool plain = text.find_first_not_of("0123456789.+-eE") == std::string::npos;
    const double value = plain ? std::strtod(text.c_str(), &stop) : -1.0;
    const bool whole = plain && !text.empty() && *stop == '\0';
    if (whole && std::isfinite(value) && !std::signbit(value)) return "";
    return Is(text, "a finite number from 0, such as 1e-4");
  };
  return check;
}

std::optional<int64_t> ParseByteCount(std::string text) {
  if (text.empty() || text.find_first_of(kDigits) != 0) return std::nullopt;
  const size_t unit = text.find_first_not_of(kDigits);
  if (unit != std::string::npos &&
      text.find_first_not_of("kKmMgGtTiIbB", unit) != std::string::npos) {
    return std::nullopt;
  }
  // CLI11 reads "010" as octal.
  text.erase(0, std::min(text.find_first_not_of('0'),
                         (unit == std::string::npos ? text.size() : unit) - 1));
  if (!ExpandUnit(text)) return std::nullopt;
  return ParseInteger(text);
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

Transform Duration() {
  const auto check = [](std::string& text) -> std::string {
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const size_t end = text.find_first_not_of("0123456789.");
    const std::string unit = end == std::string::npos ? "" : text.substr(end);
    const std::string digits = text.substr(0, end);
    char* stop = nullptr;
    const double number = std::strtod(digits.c_str(), &stop);
    for (const auto& [name, nanoseconds] : kUnits) {
      const double time = number * nanoseconds;
      if (unit != name || *stop != '\0' || !(time > 0) || time > 1e15) continue;
      text = fmt::format("{}", time);
      return "";
    }
    return Is(text, "a time with its unit, such as 20.8us, of ns, us, ms or s");
  };
  return check;
}

Transform PathName() {
  const auto check = [](std::string& text) -> std::string {
    return text.empty() ? "is empty; must be a name" : "";
  };
  return check;
}

}  // namespace weft::cli
