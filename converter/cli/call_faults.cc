// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/call_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string_view>

#include "converter/base/nearest.h"
#include "converter/base/visible.h"
#include "converter/ir/graph.h"

namespace weft::cli {
namespace {

using Words = std::vector<std::string>;

bool IsShown(const CLI::Option& option) { return !option.get_group().empty(); }

// Long names of all options, without dashes.
Words OptionNames(const CLI::App& command) {
  Words names;
  for (const CLI::Option* option : command.get_options()) {
    if (!IsShown(*option)) continue;
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

Words CommandNames(const CLI::App& app) {
  Words names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

const CLI::App* FindCommand(const CLI::App& app, const std::string& name) {
  const auto is_named = [&](const CLI::App* command) { return command->get_name() == name; };
  const auto found = app.get_subcommands(is_named);
  return found.empty() ? nullptr : found.front();
}

bool IsOption(std::string_view word) { return word.size() > 1 && word[0] == '-' && word != "--"; }

// Words that CLI11 could not assign to an option or argument, without "--".
Words Unexpected(const CLI::App& command) {
  Words words = command.remaining();
  std::erase(words, "--");
  return words;
}

const CLI::App* ChosenCommand(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? nullptr : chosen.front();
}

// `word` may have a value: "--strem=2".
std::string UnknownOption(const CLI::App& app, const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::string shown = OneLine(name);
  const size_t dashes = std::min(name.find_first_not_of('-'), name.size());
  const std::string nearest = Nearest(name.substr(dashes), OptionNames(command));
  if (!nearest.empty()) {
    return fmt::format("unknown option \"{}\"; did you mean \"--{}\"?", shown, nearest);
  }
  for (const CLI::App* other : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (other->get_option_no_throw(name) == nullptr) continue;
    return fmt::format("unknown option \"{}\"; \"weft {}\" has one of that name", shown,
                       other->get_name());
  }
  return fmt::format("unknown option \"{}\"; \"weft help {}\" lists its options", shown,
                     command.get_name());
}

std::string UnexpectedValue(const CLI::App& command, const std::string& word) {
  const std::string shown = OneLine(word);
  std::string takes;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) takes += " " + option->get_name();
  }
  return fmt::format("unexpected \"{}\"; must be \"weft {}{}\" and options", shown,
                     command.get_name(), takes);
}

// Adds errors for words that the command does not accept. Words other than options are reported
// only if there is no unknown option, because they may be its value.
void AddUnknown(const CLI::App& app, const CLI::App& command, Faults& faults) {
  const std::string who = "weft " + command.get_name();
  const Words words = Unexpected(command);
  for (const std::string& word : words) {
    if (IsOption(word)) faults.Add(who + ": " + UnknownOption(app, command, word));
  }
  if (!faults.ok()) return;
  for (const std::string& word : words) {
    faults.Add(who + ": " + UnexpectedValue(command, word));
  }
}

// Adds errors for the words before the command, or for all words if there is no command.
void AddUnknownBefore(const CLI::App& app, const CLI::App* chosen, Faults& faults) {
  for (const std::string& word : Unexpected(app)) {
    if (!IsOption(word)) {
      faults.Add("weft: " + UnknownCommand(app, word));
      return;  // the following words are its own
    }
    if (chosen != nullptr) {
      faults.Add(fmt::format("weft: unknown option \"{}\"; options of \"{}\" must follow it",
                             OneLine(word), chosen->get_name()));
      continue;
    }
    const std::string nearest = Nearest(word.substr(word.find_first_not_of('-')), OptionNames(app));
    faults.Add(fmt::format("weft: unknown option \"{}\"; {}", OneLine(word),
                           nearest.empty()
                               ? "must be a command first (\"weft help\" lists the commands)"
                               : fmt::format("did you mean \"--{}\"?", nearest)));
  }
}

void AddMissing(const CLI::App& command, Faults& faults) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    faults.Add(fmt::format("weft {}: {} is missing; must be given", command.get_name(),
                           option->get_name()));
  }
}

// Message for a wrong number of values. CLI11's text starts with the option's name (without dashes
// if it is a flag).
std::string WrongCount(const CLI::App& command, const std::string& text) {
  std::string name = text.substr(0, text.find_first_of(": "));
  if (command.get_option_no_throw("--" + name) != nullptr) name.insert(0, "--");
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr) return text;
  if (option->count() > 1 &&
      option->get_items_expected_max() < CLI::detail::expected_max_vector_size) {
    return fmt::format("{}: is given {} times; must be given once", name, option->count());
  }
  if (option->get_items_expected_max() == 0) return name + ": is a flag; must have no value";
  return name + ": has no value; must be followed by one";
}

bool IsNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns the option's name if it accepts several values, else an empty text.
std::string ListOptionOf(const CLI::App& command, const std::string& word) {
  const CLI::Option* option = command.get_option_no_throw(word.substr(0, word.find('=')));
  if (option == nullptr) return "";
  const bool collects = option->get_items_expected_max() >= CLI::detail::expected_max_vector_size;
  return collects ? option->get_name() : "";
}

// Returns true for "x=1,2" and "x=x.npy", false for file names of models, which may contain "=".
bool NamesPortValue(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals != 0 && !word.ends_with(".xml") &&
         !word.ends_with(".weft");
}

}  // namespace

bool NamesUnknownCommand(const CLI::App& app) {
  const Words words = Unexpected(app);
  return ChosenCommand(app) == nullptr &&
         std::any_of(words.begin(), words.end(), [](const auto& word) { return !IsOption(word); });
}

std::string UnknownCommand(const CLI::App& app, const std::string& word) {
  const std::string nearest = Nearest(word, CommandNames(app));
  const std::string shown = OneLine(word);
  if (nearest.empty()) {
    return fmt::format("unknown command \"{}\"; \"weft help\" lists the commands", shown);
  }
  return fmt::format(
      "unknown command \"{}\"; did you mean \"{}\"? (\"weft help\" lists the commands)", shown,
      nearest);
}

Faults CallFaults(const CLI::App& app, const CLI::ParseError& error) {
  Faults faults;
  const CLI::App* chosen = ChosenCommand(app);
  AddUnknownBefore(app, chosen, faults);
  if (chosen == nullptr) {
    if (faults.ok()) {
      faults.Add(
          fmt::format("weft: no command is given; must be one of {} (\"weft help\" explains them)",
                      fmt::join(CommandNames(app), ", ")));
    }
    return faults;
  }
  AddUnknown(app, *chosen, faults);
  const std::string who = fmt::format("weft {}: ", chosen->get_name());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    faults.Add(who + WrongCount(*chosen, error.what()));
  } else if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (faults.ok()) AddMissing(*chosen, faults);
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) {
    faults.Add(who + error.what());
  }
  return faults;
}

void RespellValues(const CLI::App& app, std::vector<std::string>& words) {
  const CLI::App* command = nullptr;
  std::string list;  // the option with several values that accepts the current word, or empty
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (command == nullptr) {
      command = FindCommand(app, words[i]);
      continue;
    }
    if (IsOption(words[i])) {
      list = ListOptionOf(*command, words[i]);
      const bool has_value = words[i].find('=') != std::string::npos;
      const bool is_last = i + 1 == words.size();
      if (words[i] == "--streaming" && !is_last && IsNumber(words[i + 1])) {
        words[i] += "=" + words[i + 1];
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      } else if (!list.empty() && !has_value) {
        ++i;  // its value
      }
    } else if (!list.empty() && NamesPortValue(words[i])) {
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), list);
      ++i;
    } else {
      list.clear();
    }
  }
}

}  // namespace weft::cli
