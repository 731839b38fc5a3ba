// SPDX-License-Identifier: Apache-2.0
// Wraps text to the width of a terminal.
#ifndef WEFT_CONVERTER_CLI_WRAP_H_
#define WEFT_CONVERTER_CLI_WRAP_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::cli {

inline constexpr size_t kHelpColumns = 80;

// Breaks lines at spaces so that they have at most `columns` characters. Consecutive lines that
// start in the first column are one paragraph. An indented line is wrapped separately, with its
// continuation below its last column of text ("  name   description").
std::string Wrapped(std::string_view text, size_t columns = kHelpColumns);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_WRAP_H_
