// SPDX-License-Identifier: Apache-2.0
#include "converter/base/shell_word.h"

#include <algorithm>

#include "converter/base/split.h"

namespace weft {
namespace {

// Letters, digits, bytes of UTF-8, and characters that no shell expands inside a word.
bool IsPlain(unsigned char c) {
  const bool is_letter_or_digit =
      (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return is_letter_or_digit || c >= 0x80 ||
         std::string_view("_-./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
}

}  // namespace

std::string ShellWord(std::string_view text) {
  const bool is_expanded = text.starts_with('=');  // zsh: =NAME is the path of command NAME
  if (!text.empty() && !is_expanded && std::ranges::all_of(text, IsPlain)) return std::string(text);
  return "'" + Replaced(text, {{'\'', "'\\''"}}) + "'";
}

}  // namespace weft
