// SPDX-License-Identifier: Apache-2.0
// Blanks and letters of short texts, such as the attributes of a layer.
#ifndef WEFT_CONVERTER_BASE_TEXT_H_
#define WEFT_CONVERTER_BASE_TEXT_H_

#include <string>
#include <string_view>

namespace weft {

// Returns the text without blanks at its ends.
inline std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Returns the text with small letters for those of ASCII.
inline std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

inline bool EqualIgnoringCase(std::string_view a, std::string_view b) {
  return LowerCase(a) == LowerCase(b);
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_TEXT_H_
