// SPDX-License-Identifier: Apache-2.0
// The commands and their options as one table, and what is made of it beside the help texts: the
// manual page and what shells need to complete a call.
#ifndef WEFT_CONVERTER_CLI_MANUAL_H_
#define WEFT_CONVERTER_CLI_MANUAL_H_

#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

struct OptionRow {
  std::string name;        // "--output"; "MODEL" of a word without an option
  std::string short_name;  // "-o", or empty
  std::string value;       // "FILE"; "[=N]" of a flag that may have one; empty of other flags
  std::string description;
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

// In roff, for man.
std::string ManualPage(const Manual& manual, std::string_view version);

std::string BashCompletion(const Manual& manual);
std::string ZshCompletion(const Manual& manual);
std::string FishCompletion(const Manual& manual);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_MANUAL_H_
