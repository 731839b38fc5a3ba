// SPDX-License-Identifier: Apache-2.0
// The commands and their options as one table, and the texts generated from this table: the manual
// page and the completion scripts of shells.
#ifndef WEFT_CONVERTER_CLI_MANUAL_H_
#define WEFT_CONVERTER_CLI_MANUAL_H_

#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

struct OptionRow {
  std::string name;        // "--output", or "MODEL" for a positional argument
  std::string short_name;  // "-o", or empty
  std::string value;  // "FILE"; "[=N]" for a flag with an optional value; empty for other flags
  std::string description;
  std::string heading = "";  // of the group of options in the help
  bool is_required = false;
};

struct CommandRow {
  std::string name, description, footer;
  std::vector<OptionRow> words, options;
};

struct Manual {
  std::string description, footer;
  std::vector<CommandRow> commands;
};

// Returns the manual page in roff.
std::string ManualPage(const Manual& manual, std::string_view version);

std::string BashCompletion(const Manual& manual);
std::string ZshCompletion(const Manual& manual);
std::string FishCompletion(const Manual& manual);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_MANUAL_H_
