// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/identifiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>

#include "converter/base/text.h"
#include "converter/base/visible.h"

namespace weft::emit {
namespace {

bool IsLetterOrDigit(uint32_t code) {
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
         (code >= '0' && code <= '9');
}

}  // namespace

std::string IdentifierPart(std::string_view text) {
  std::string name;
  bool gap = false;
  const auto add = [&](std::string_view part) {
    if (gap && !name.empty()) name += '_';
    gap = false;
    name += part;
  };
  while (!text.empty()) {
    const Character first = FirstCharacter(text);
    if (IsLetterOrDigit(first.code)) {
      add(text.substr(0, 1));
    } else {
      gap = true;
      // A byte that is not UTF-8 is replaced by its number.
      const auto byte = static_cast<unsigned char>(text[0]);
      if (byte >= 0x80) add(fmt::format("u{:x}", first.bytes == 0 ? byte : first.code)), gap = true;
    }
    text.remove_prefix(std::max<size_t>(first.bytes, 1));
  }
  const bool fits = !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0]));
  return fits ? name : "m" + name;
}

std::string Identifier(std::string_view text) {
  const std::string name = IdentifierPart(text);
  const std::string lower = LowerCase(name);
  const bool ours = lower == "weft" || lower.starts_with("weft_");
  return ours || IsReservedWord(name) ? "m_" + name : name;
}

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::vector<std::string> PortConstants(std::span<const std::string> port_names) {
  std::vector<std::string> constants;
  for (const std::string& name : port_names) constants.push_back(Upper(IdentifierPart(name)));
  const std::set<std::string> own(constants.begin(), constants.end());
  std::set<std::string> taken;
  for (size_t i = 0; i < constants.size(); ++i) {
    const bool first = taken.insert(constants[i]).second;
    if (first) continue;
    do constants[i] += fmt::format("_{}", i);
    while (own.contains(constants[i]) || !taken.insert(constants[i]).second);
  }
  return constants;
}

}  // namespace weft::emit
