// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/call_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "converter/base/nearest.h"
#include "converter/base/visible.h"

namespace weft::cli {
namespace {

using Words = std::vector<std::string>;

// Returns the most similar option without dashes, or an empty text. `word` may have a value:
// "--strem=2".
std::string NearestOption(const Command& command, const std::string& word) {
  Words names;
  for (const Option& option : command.options) names.push_back(option.name.substr(2));
  const std::string name = word.substr(0, word.find('='));
  return Nearest(name.substr(std::min(name.find_first_not_of('-'), name.size())), names);
}

Words CommandNames(const CommandLine& line) {
  Words names;
  for (const Command& command : line.commands()) names.push_back(command.name);
  return names;
}

std::string UnknownOption(const CommandLine& line, const Command& command,
                          const std::string& word) {
  const std::string name = word.substr(0, word.find('=')), shown = OneLine(name);
  if (const std::string nearest = NearestOption(command, word); !nearest.empty()) {
    return fmt::format("unknown option \"{}\"; did you mean \"--{}\"?", shown, nearest);
  }
  for (const Command& other : line.commands()) {
    if (other.Find(name) == nullptr) continue;
    return fmt::format("unknown option \"{}\"; \"weft {}\" has one of that name", shown,
                       other.name);
  }
  return fmt::format("unknown option \"{}\"; \"weft help {}\" lists its options", shown,
                     command.name);
}

std::string UnexpectedValue(const Command& command, const std::string& word) {
  std::string takes;
  for (const Option& option : command.positionals) takes += " " + option.name;
  return fmt::format("unexpected \"{}\"; must be \"weft {}{}\" and options", OneLine(word),
                     command.name, takes);
}

}  // namespace

void AddUnknown(const CommandLine& line, const Command& command, const UnknownWords& unknown,
                Faults& faults) {
  const std::string who = fmt::format("weft {}: ", command.name);
  for (const std::string& word : unknown.options) {
    faults.Add(who + UnknownOption(line, command, word));
  }
  if (!faults.ok()) return;
  for (const std::string& word : unknown.words) faults.Add(who + UnexpectedValue(command, word));
}

void AddUnknownBefore(const CommandLine& line, const Words& options, const std::string& command,
                      Faults& faults) {
  for (const std::string& word : options) {
    const std::string nearest = NearestOption(line.root(), word);
    std::string must = "must be a command first (\"weft help\" lists the commands)";
    if (!nearest.empty()) must = fmt::format("did you mean \"--{}\"?", nearest);
    if (!command.empty()) must = fmt::format("options of \"{}\" must follow it", command);
    faults.Add(fmt::format("weft: unknown option \"{}\"; {}", OneLine(word), must));
  }
}

void AddNoCommand(const CommandLine& line, Faults& faults) {
  faults.Add(
      fmt::format("weft: no command is given; must be one of {} (\"weft help\" explains them)",
                  fmt::join(CommandNames(line), ", ")));
}

void AddMissing(const Command& command, Faults& faults) {
  for (const auto* list : {&command.positionals, &command.options}) {
    for (const Option& option : *list) {
      if (!option.is_required || !option.given.empty()) continue;
      faults.Add(fmt::format("weft {}: {} is missing; must be given", command.name, option.name));
    }
  }
}

std::string UnknownCommand(const CommandLine& line, const std::string& word) {
  const std::string nearest = Nearest(word, CommandNames(line));
  const std::string shown = OneLine(word);
  if (nearest.empty()) {
    return fmt::format("unknown command \"{}\"; \"weft help\" lists the commands", shown);
  }
  return fmt::format(
      "unknown command \"{}\"; did you mean \"{}\"? (\"weft help\" lists the commands)", shown,
      nearest);
}

}  // namespace weft::cli
