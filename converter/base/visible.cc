// SPDX-License-Identifier: Apache-2.0
#include "converter/base/visible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace weft {
namespace {

bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Control characters, and Unicode characters that break lines, have no width or change the writing
// direction.
bool IsHidden(uint32_t code) {
  constexpr std::pair<uint32_t, uint32_t> kHidden[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},
      {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x2064},
      {0x2066, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
  return std::any_of(std::begin(kHidden), std::end(kHidden), [code](const auto& range) {
    return code >= range.first && code <= range.second;
  });
}

std::string Escape(uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  }
}

}  // namespace

Character FirstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if (!Continues(text[i])) return {};
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  constexpr uint32_t kMin[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kMin[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

std::string Visible(std::string_view text, bool keep_line_ends) {
  std::string visible;
  while (!text.empty()) {
    const Character first = FirstCharacter(text);
    const size_t bytes = std::max<size_t>(first.bytes, 1);
    if (first.bytes == 0) {
      visible += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (IsHidden(first.code) && !(keep_line_ends && first.code == '\n')) {
      visible += Escape(first.code);
    } else {
      visible += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return visible;
}

std::string VisibleJson(std::string_view json) {
  std::string visible;
  while (!json.empty()) {
    const Character first = FirstCharacter(json);
    const size_t bytes = std::max<size_t>(first.bytes, 1);
    // Control characters in strings are escaped already; others are line ends between values.
    if (first.code < 0x20 || !IsHidden(first.code)) {
      visible += json.substr(0, bytes);
    } else if (first.code > 0xFFFF) {
      const uint32_t pair = first.code - 0x10000;
      visible += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (pair >> 10), 0xDC00 + (pair & 0x3FF));
    } else {
      visible += fmt::format("\\u{:04x}", first.code);
    }
    json.remove_prefix(bytes);
  }
  return visible;
}

std::string_view PrefixOf(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && max_bytes - end < 3 && Continues(text[end])) --end;
  return text.substr(0, end);
}

std::string Shortened(std::string text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const std::string_view begin = PrefixOf(text, max_bytes * 3 / 4);
  std::string_view end = std::string_view(text).substr(text.size() - max_bytes / 4);
  while (!end.empty() && Continues(end[0])) end.remove_prefix(1);
  return fmt::format("{} ... ({} bytes) ... {}", begin, text.size() - begin.size() - end.size(),
                     end);
}

size_t CharacterCount(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !Continues(c); }));
}

std::string OneLine(std::string_view text) {
  constexpr size_t kLongest = 200;  // names of exported models reach 150 characters
  const std::string line = Visible(PrefixOf(text, kLongest));
  return text.size() > kLongest ? line + "..." : line;
}

}  // namespace weft
