// SPDX-License-Identifier: Apache-2.0
// Parts of a text between separators, which refer to the text, and texts with other characters.
#ifndef WEFT_CONVERTER_BASE_SPLIT_H_
#define WEFT_CONVERTER_BASE_SPLIT_H_

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

// Returns one part more than there are separators: "1,,2" has 3 parts, an empty text has 1.
inline std::vector<std::string_view> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

// Returns the lines without their ends. The last line may lack its end.
inline std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines = Split(text, "\n");
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

// Returns the text with each of the characters replaced by its text.
inline std::string Replaced(std::string_view text,
                            std::initializer_list<std::pair<char, std::string_view>> by) {
  std::string replaced;
  replaced.reserve(text.size());
  for (const char c : text) {
    const auto* const row = std::ranges::find(by, c, &std::pair<char, std::string_view>::first);
    replaced += row == by.end() ? std::string_view(&c, 1) : row->second;
  }
  return replaced;
}

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_SPLIT_H_
