// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "converter/base/visible.h"
#include "converter/cli/call_faults.h"
#include "converter/cli/help.h"
#include "converter/cli/streams.h"

namespace weft::cli {
namespace {

// An error of the call, without the command.
struct CallError {
  std::string text;
};
struct CallAnswered {};

bool IsNumber(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns true for "x=1,2" and "x=x.npy", false for file names of models, which may contain "=".
bool NamesPortValue(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals != 0 && !word.ends_with(".xml") &&
         !word.ends_with(".weft");
}

auto IsNamed(const std::string& name) {
  return [name](const Option& option) { return option.name == name || option.short_name == name; };
}

// Assigns the words after a command to its options.
class WordReader {
 public:
  WordReader(Command& command, std::vector<std::string> words)
      : command_(command), words_(std::move(words)) {}

  void Read() {
    while (next_ < words_.size()) {
      const std::string word = words_[next_++];
      if (only_positional_ || !IsOption(word)) {
        ReadWord(word);
      } else if (word == "--") {
        only_positional_ = true;
      } else {
        ReadOption(word);
      }
    }
  }

  UnknownWords unknown;
  std::string error;  // the first option with a wrong number of values

 private:
  bool HasNext() const { return next_ < words_.size(); }

  void ReadWord(const std::string& word) {
    const auto option = std::ranges::find_if(command_.positionals, [](const Option& one) {
      return one.given.empty() || one.takes == Takes::kList;
    });
    (option == command_.positionals.end() ? unknown.words : option->given).push_back(word);
  }

  // `word` is "--shape", "--shape=x", "-o" or "-ofile".
  void ReadOption(const std::string& word) {
    const size_t end = word.starts_with("--") ? std::min(word.find('='), word.size()) : 2;
    const auto option = std::ranges::find_if(command_.options, IsNamed(word.substr(0, end)));
    if (option == command_.options.end()) return unknown.options.push_back(word);
    std::string value = word.substr(std::min(end + (word.starts_with("--") ? 1 : 0), word.size()));
    if (option->takes == Takes::kNone) {
      if (!value.empty()) Refuse(option->name + ": is a flag; must have no value");
    } else if (value.empty()) {
      if (!TakesNext(*option)) {
        if (option->without.empty()) {
          return Refuse(option->name + ": has no value; must be followed by one");
        }
        value = option->without;
      } else if (IsKnownOption(words_[next_])) {
        return Refuse(fmt::format(
            "{0}: is followed by the option \"{1}\"; must be followed by its value, or be "
            "{0}={1}",
            option->name, OneLine(words_[next_])));
      } else {
        value = words_[next_++];
      }
    }
    option->given.push_back(value);
    while (option->takes == Takes::kList && HasNext() && !IsOption(words_[next_]) &&
           NamesPortValue(words_[next_])) {
      option->given.push_back(words_[next_++]);
    }
  }

  // Returns true for "-o", "--shape" and "--shape=x=1", false for other words that begin with "-".
  bool IsKnownOption(std::string_view word) const {
    if (!IsOption(word) || word == "--") return false;
    const std::string name(word.substr(0, word.find('=')));
    return std::ranges::any_of(command_.options, IsNamed(name));
  }

  // Returns true if the next word is the value of the option.
  bool TakesNext(const Option& option) const {
    if (!HasNext()) return false;
    if (option.takes == Takes::kNumber) return IsNumber(words_[next_]);
    if (option.takes != Takes::kWord) return true;
    const auto needed = std::ranges::count_if(command_.positionals, [](const Option& other) {
      return other.is_required && other.given.empty();
    });
    return !IsOption(words_[next_]) && needed < std::ssize(words_) - static_cast<int64_t>(next_);
  }

  void Refuse(std::string text) {
    if (error.empty()) error = std::move(text);
  }

  Command& command_;
  std::vector<std::string> words_;
  size_t next_ = 0;
  bool only_positional_ = false;  // after "--"
};

// Checks and stores the values of an option.
void StoreGiven(Option& option) {
  const bool may_repeat = option.takes == Takes::kList || option.takes == Takes::kNone;
  if (!may_repeat && option.given.size() > 1) {
    throw CallError{
        fmt::format("{}: is given {} times; must be given once", option.name, option.given.size())};
  }
  for (std::string& value : option.given) {
    for (const Transform& check : option.checks) {
      if (const std::string error = check(value); !error.empty()) {
        throw CallError{option.name + ": " + error};
      }
    }
    option.store(value);
  }
}

void CheckNeeded(const Command& command) {
  for (const Option& option : command.options) {
    if (option.given.empty() || option.needed == nullptr || !option.needed->given.empty()) continue;
    throw CallError{option.name + " requires " + option.needed->name};
  }
}

}  // namespace

bool IsOption(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && !IsNumber(word.substr(1, 1));
}

Option& Option::Value(const std::string& placeholder, const Transform& check) {
  value = placeholder;
  return check ? Check(check) : *this;
}

Option& Option::Check(const Transform& check) {
  checks.push_back(check);
  return *this;
}

Option& Option::Required() {
  is_required = true;
  return *this;
}

Option& Option::ShowDefault(const std::string& text) {
  shown_default = text;
  return *this;
}

Option& Option::ValueOr(Takes kind, const std::string& value_without) {
  takes = kind;
  without = value_without;
  return *this;
}

Option& Option::Needs(const Option& other) {
  needed = &other;
  return *this;
}

Command::Command(std::string command_name, std::string text, std::string footer_text)
    : name(std::move(command_name)), description(std::move(text)), footer(std::move(footer_text)) {
  AddFlag("-h,--help", is_help, "Print this help message and exit");
}

Option& Command::AddRow(const std::string& option_name, const std::string& text) {
  Option& option = (option_name[0] == '-' ? options : positionals).emplace_back();
  const size_t comma = option_name.find(',');
  option.name = option_name.substr(comma == std::string::npos ? 0 : comma + 1);
  option.short_name = comma == std::string::npos ? "" : option_name.substr(0, comma);
  option.description = text;
  option.heading = heading;
  return option;
}

Option& Command::AddFlag(const std::string& option_name, bool& variable, const std::string& text) {
  Option& option = AddRow(option_name, text);
  option.takes = Takes::kNone;
  option.value.clear();
  option.store = [&variable](const std::string&) { variable = true; };
  return option;
}

const Option* Command::Find(const std::string& option_name) const {
  const auto found = std::ranges::find_if(options, IsNamed(option_name));
  return found == options.end() ? nullptr : &*found;
}

void RefuseOption(const std::string& name, const std::string& text) {
  throw CallError{name + ": " + text};
}

void AnswerCall(const std::string& text) {
  AnswerText(text);
  throw CallAnswered();
}

CommandLine::CommandLine(const std::string& description, const std::string& version,
                         const std::string& footer)
    : root_("", description, footer), version_(version) {
  root_.AddFlag("--version", is_version_, "Display program version information and exit");
}

Command& CommandLine::AddCommand(const std::string& name, const std::string& description) {
  return commands_.emplace_back(name, description, root_.footer);
}

const Command* CommandLine::Find(const std::string& name) const {
  const auto found = std::ranges::find(commands_, name, &Command::name);
  return found == commands_.end() ? nullptr : &*found;
}

void CommandLine::AddHelp() {
  Command& command = AddCommand("help", "Print help for weft or for one command");
  auto name = std::make_shared<std::optional<std::string>>();
  command.Add("COMMAND", *name, "A command of weft");
  command.OnCall([this, name] {
    if (!*name) return AnswerText(HelpText(*this));
    const Command* const found = Find(**name);
    if (found == nullptr) throw CallError{UnknownCommand(*this, **name)};
    AnswerText(HelpText(*found));
  });
}

std::optional<Faults> CommandLine::Parse(const std::vector<std::string>& words) {
  Faults faults;
  std::vector<std::string> unknown;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") break;
    if (IsOption(words[i])) {
      const Option* const option = root_.Find(words[i]);
      if (option == nullptr) {
        unknown.push_back(words[i]);
      } else {
        option->store("");
      }
      continue;
    }
    const auto command = std::ranges::find(commands_, words[i], &Command::name);
    AddUnknownBefore(*this, unknown, command == commands_.end() ? "" : words[i], faults);
    if (command != commands_.end()) {
      return RunCommand(*command, {words.begin() + static_cast<ptrdiff_t>(i) + 1, words.end()},
                        std::move(faults));
    }
    faults.Add("weft: " + UnknownCommand(*this, words[i]));
    return faults;
  }
  if (root_.is_help || is_version_) {
    AnswerText(root_.is_help ? HelpText(*this) : version_ + "\n");
    return std::nullopt;
  }
  AddUnknownBefore(*this, unknown, "", faults);
  if (faults.ok()) AddNoCommand(*this, faults);
  return faults;
}

// `faults` are those of the words before the command.
std::optional<Faults> CommandLine::RunCommand(Command& command, std::vector<std::string> words,
                                              Faults faults) {
  const std::string who = fmt::format("weft {}: ", command.name);
  WordReader reader(command, std::move(words));
  reader.Read();
  try {
    if (!reader.error.empty()) throw CallError{reader.error};
    if (root_.is_help || !command.Find("--help")->given.empty()) AnswerCall(HelpText(command));
    if (is_version_) AnswerCall(version_ + "\n");
    for (Option& option : command.positionals) StoreGiven(option);
    for (Option& option : command.options) StoreGiven(option);
    AddUnknown(*this, command, reader.unknown, faults);
    if (faults.ok()) AddMissing(command, faults);
    if (!faults.ok()) return faults;
    CheckNeeded(command);
    command.run();
    return std::nullopt;
  } catch (const CallAnswered&) {
    return std::nullopt;
  } catch (const CallError& error) {
    AddUnknown(*this, command, reader.unknown, faults);
    faults.Add(who + error.text);
    return faults;
  }
}

}  // namespace weft::cli
