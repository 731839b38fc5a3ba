// SPDX-License-Identifier: Apache-2.0
#include "converter/ir/time_length.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string_view>

namespace weft::ir {
namespace {

// Extents of at most this distance from a multiple of T, or of a fraction of T, are written with T.
constexpr int64_t kMaxOffset = 512, kMaxOffsetOfFraction = 16;

// Returns the symbolic form of `number`; nullopt if it is an ordinary number.
std::optional<std::string> Symbolic(int64_t number) {
  for (int64_t parts = 1; kTimeLength / parts > 16 * kMaxOffset; ++parts) {
    if (kTimeLength % parts != 0) continue;
    const int64_t unit = kTimeLength / parts, times = (number + unit / 2) / unit;
    const int64_t offset = number - times * unit;
    const int64_t max = parts == 1 ? kMaxOffset : kMaxOffsetOfFraction;
    if (times == 0 || std::abs(offset) > max) continue;
    const int64_t common = std::gcd(times, parts);
    std::string text = times == common ? "T" : fmt::format("{}*T", times / common);
    if (parts != common) text += fmt::format("/{}", parts / common);
    return offset == 0 ? text : fmt::format("{}{:+}", text, offset);
  }
  return std::nullopt;
}

// a * T + b for T steps is `once`, for 2 * T `twice`. `steps` must give an integer.
int64_t ExtentFor(int64_t steps, int64_t once, int64_t twice) {
  const int64_t rise = twice - once;
  return once - rise +
         rise / std::gcd(rise, kTimeLength) * steps / (kTimeLength / std::gcd(rise, kTimeLength));
}

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Returns true for characters next to an extent. A number in a name stays.
bool IsBoundary(char c) { return std::string_view(" ,;()[]").find(c) != std::string_view::npos; }

}  // namespace

uint32_t OpenAxes(const OutputPort& port) {
  uint32_t open = 0;
  for (size_t axis = 0; axis < port.doubled.size(); ++axis) {
    if (port.doubled[axis] != port.type.dims[axis]) open |= uint32_t{1} << axis;
  }
  return open;
}

Dims DimsFor(const OutputPort& port, int64_t steps) {
  Dims dims = port.type.dims;
  for (size_t axis = 0; axis < port.doubled.size(); ++axis) {
    if (port.doubled[axis] != dims[axis])
      dims[axis] = ExtentFor(steps, dims[axis], port.doubled[axis]);
  }
  return dims;
}

std::string WithTimeSymbol(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsDigit(text[end])) ++end;
    if (end == i) {
      result += text[i++];
      continue;
    }
    const bool is_apart =
        (i == 0 || IsBoundary(text[i - 1])) && (end == text.size() || IsBoundary(text[end]));
    const std::string digits = text.substr(i, end - i);
    int64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool is_extent = is_apart && read.ec == std::errc();
    result += (is_extent ? Symbolic(number) : std::nullopt).value_or(digits);
    i = end;
  }
  return result;
}

}  // namespace weft::ir
