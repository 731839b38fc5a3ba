// SPDX-License-Identifier: Apache-2.0
// The manual page, and the completion scripts of shells.
#ifndef WEFT_CONVERTER_CLI_MANUAL_H_
#define WEFT_CONVERTER_CLI_MANUAL_H_

#include <string>
#include <string_view>

#include "converter/cli/command_line.h"

namespace weft::cli {

// Returns the manual page in roff.
std::string ManualPage(const CommandLine& line, std::string_view version);

std::string BashCompletion(const CommandLine& line);
std::string ZshCompletion(const CommandLine& line);
std::string FishCompletion(const CommandLine& line);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_MANUAL_H_
