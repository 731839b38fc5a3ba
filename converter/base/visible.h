// SPDX-License-Identifier: Apache-2.0
// Text of foreign origin (names of layers, ports and files) as a terminal may show it: what would
// move the cursor, hide or reorder text becomes an escape such as \n, \x1b or \u202e. Printable
// UTF-8 stays as it is.
#ifndef WEFT_CONVERTER_BASE_VISIBLE_H_
#define WEFT_CONVERTER_BASE_VISIBLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// Bytes that are no UTF-8 become \x and two digits. Line ends stay with `keep_line_ends`.
std::string Visible(std::string_view text, bool keep_line_ends = false);

// The same of JSON, which must be UTF-8 and stays JSON: escapes are \u and four digits there.
std::string VisibleJson(std::string_view json);

// The text if it has at most `most_bytes`; else its begin and end with a note of the number of
// bytes between, cut where characters begin.
std::string Shortened(std::string text, size_t most_bytes);

// The longest prefix of at most `most_bytes` that cuts no UTF-8 character.
std::string_view PrefixOf(std::string_view text, size_t most_bytes);

// Text of a model's file as part of a message, cut where it is very long: control characters, which
// would tear the line apart, become question marks.
std::string OneLine(std::string_view text);

struct Character {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: the text does not begin with UTF-8
};
// Of a text that is not empty.
Character FirstCharacter(std::string_view text);

// Characters of a text that is UTF-8: the columns it takes, roughly.
size_t CharacterCount(std::string_view text);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_VISIBLE_H_
