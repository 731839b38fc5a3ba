// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "converter/cli/system_streams.h"

namespace weft::cli {
namespace {

// no-color.org: set and not empty.
bool ShowsColours(int descriptor) {
  const char* const none = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return !is_dumb && (none == nullptr || *none == '\0') && InterpretsEscapes(descriptor);
}

constexpr std::string_view kStarts[] = {"", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;32m"};

}  // namespace

std::string Tinted(std::string_view text, Tint tint, int descriptor) {
  if (tint == Tint::kNone || !ShowsColours(descriptor)) return std::string(text);
  const size_t end = std::min(text.find(": "), text.size());
  return fmt::format("{}{}\x1b[0m{}", kStarts[static_cast<size_t>(tint)], text.substr(0, end),
                     text.substr(end));
}

std::string Grouped(int64_t number) {
  std::string text = fmt::format("{}", number);
  if (!IsTerminal(kStandardOutput)) return text;
  const size_t first = text[0] == '-' ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

std::string Size(int64_t bytes) {
  constexpr double kMin = 10 * 1024;  // smaller sizes are readable without a unit
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB"};
  const std::string text = Grouped(bytes) + " bytes";
  auto size = static_cast<double>(bytes);
  if (!IsTerminal(kStandardOutput) || size < kMin) return text;
  size_t unit = 0;
  for (size /= 1024; size >= 1024 && unit + 1 < std::size(kUnits); size /= 1024) ++unit;
  return fmt::format("{} ({:.3g} {})", text, size, kUnits[unit]);
}

}  // namespace weft::cli
