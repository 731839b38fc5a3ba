// SPDX-License-Identifier: Apache-2.0
// The help texts of weft and of its commands, wrapped to the width of a terminal.
#ifndef WEFT_CONVERTER_CLI_HELP_H_
#define WEFT_CONVERTER_CLI_HELP_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "converter/cli/command_line.h"

namespace weft::cli {

inline constexpr size_t kHelpColumns = 80;

std::string HelpText(const CommandLine& line);
std::string HelpText(const Command& command);

// Breaks lines at spaces so that they have at most `columns` characters. Consecutive lines that
// start in the first column are one paragraph. An indented line is wrapped separately, with its
// continuation below its last column of text ("  name   description").
std::string Wrapped(std::string_view text, size_t columns = kHelpColumns);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_HELP_H_
