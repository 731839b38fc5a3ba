// SPDX-License-Identifier: Apache-2.0
// `weft help [COMMAND]`, `weft version`, and the form of every help text.
#ifndef WEFT_CONVERTER_CLI_HELP_H_
#define WEFT_CONVERTER_CLI_HELP_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "converter/cli/commands.h"

namespace weft::cli {

// "weft 0.1.0, file format 2"
std::string VersionText();

// CLI11's form, without the values of flags that it writes into their names.
std::shared_ptr<CLI::FormatterBase> HelpFormat();

void AddHelp(CLI::App& app, Exit* exit);
void AddVersion(CLI::App& app, Exit* exit);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_HELP_H_
