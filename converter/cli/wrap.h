// SPDX-License-Identifier: Apache-2.0
// Text in lines that fit a terminal.
#ifndef WEFT_CONVERTER_CLI_WRAP_H_
#define WEFT_CONVERTER_CLI_WRAP_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::cli {

inline constexpr size_t kHelpColumns = 80;

// Whole lines of at most so many characters, where blanks allow it. Lines that begin in the first
// column are one paragraph up to an empty or indented line; an indented line stays one, and goes on
// below its last column of text ("  name   what it is").
std::string Wrapped(std::string_view text, size_t columns = kHelpColumns);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_WRAP_H_
