// SPDX-License-Identifier: Apache-2.0
// Makes text from files (names of layers, ports and files) safe to print on a terminal. Characters
// that move the cursor, hide or reorder text become escapes such as \n, \x1b or \u202e. Printable
// UTF-8 is unchanged.
#ifndef WEFT_CONVERTER_BASE_VISIBLE_H_
#define WEFT_CONVERTER_BASE_VISIBLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// Escapes the text; bytes that are not UTF-8 become \x and two digits. `keep_line_ends` keeps line
// ends.
std::string Visible(std::string_view text, bool keep_line_ends = false);

// Escapes JSON, which must be UTF-8. The result is JSON; its escapes are \u and four digits.
std::string VisibleJson(std::string_view json);

// Returns the text if it has at most `max_bytes` bytes. Otherwise returns its begin and end, split
// at characters, with the number of omitted bytes between them.
std::string Shortened(std::string text, size_t max_bytes);

// Returns the longest prefix of at most `max_bytes` bytes that ends at a UTF-8 character.
std::string_view PrefixOf(std::string_view text, size_t max_bytes);

// Returns text from a model file for use in a one-line message: escaped like Visible, and very long
// text is shortened.
std::string OneLine(std::string_view text);

struct Character {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: the text does not begin with UTF-8
};
// `text` must not be empty.
Character FirstCharacter(std::string_view text);

// Returns the number of characters of UTF-8 text, which is about its width in columns.
size_t CharacterCount(std::string_view text);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_VISIBLE_H_
