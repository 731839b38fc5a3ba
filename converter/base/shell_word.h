// SPDX-License-Identifier: Apache-2.0
// Quotes text for the commands that weft prints.
#ifndef WEFT_CONVERTER_BASE_SHELL_WORD_H_
#define WEFT_CONVERTER_BASE_SHELL_WORD_H_

#include <string>
#include <string_view>

namespace weft {

// Returns the text such that a POSIX shell reads it as one word, without expansion: in single
// quotes, unless all of its characters are plain.
std::string ShellWord(std::string_view text);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_SHELL_WORD_H_
