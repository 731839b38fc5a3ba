// SPDX-License-Identifier: Apache-2.0
// The commands and their options as rows. Parsing, error messages, help (help.h), the manual page
// and the completion scripts of shells (manual.h) read these rows.
#ifndef WEFT_CONVERTER_CLI_COMMAND_LINE_H_
#define WEFT_CONVERTER_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "converter/base/faults.h"
#include "converter/base/parse_number.h"

namespace weft::cli {

// Returns an error message for the value of an option, or an empty string. May normalise the value.
using Transform = std::function<std::string(std::string&)>;

// The values that an option accepts.
enum class Takes : uint8_t {
  kNone,    // a flag
  kNumber,  // a flag with an optional number: "--streaming", "--streaming=8", "--streaming 8"
  kWord,    // optionally the next word, if it is no option and no positional argument needs it
  kOne,
  kList,  // a value per use, and the words NAME=VALUE that follow
};

// An option or a positional argument of a command.
struct Option {
  std::string name;        // "--output", or "MODEL" for a positional argument
  std::string short_name;  // "-o", or empty
  std::string description;
  std::string heading;         // of its group in the help
  std::string value = "TEXT";  // placeholder: "FILE", "[=N]"; empty for a flag
  std::string shown_default;   // printed in the help
  std::string without;         // the value of kNumber and kWord if the call gives none
  Takes takes = Takes::kOne;
  bool is_required = false;
  const Option* needed = nullptr;  // the call must also give this option
  std::vector<Transform> checks;   // run on each value, in this order
  std::function<void(const std::string&)> store;
  std::vector<std::string> given;  // the values in the call

  // Sets the placeholder, and checks the values.
  Option& Value(const std::string& placeholder, const Transform& check = nullptr);
  Option& Check(const Transform& check);
  Option& Required();
  Option& ShowDefault(const std::string& text);
  // Makes the value optional.
  Option& ValueOr(Takes kind, const std::string& value_without);
  Option& Needs(const Option& other);
};

// Stores a value that has passed the checks of its option.
inline void StoreValue(const std::string& text, std::string& value) { value = text; }
inline void StoreValue(const std::string& text, std::vector<std::string>& value) {
  value.push_back(text);
}
template <typename Number>
requires std::is_arithmetic_v<Number>
void StoreValue(const std::string& text, Number& value) {
  value = ParseNumber<Number>(text).value_or(0);
}
template <typename Value>
void StoreValue(const std::string& text, std::optional<Value>& value) {
  StoreValue(text, value.emplace());
}

// The variables bound to options must outlive the parsing of the call.
struct Command {
  Command(std::string command_name, std::string text, std::string footer_text);

  // `option_name` is "--input", "-o,--output", or "MODEL" for a positional argument. An optional
  // variable stays empty if the call does not give the option.
  template <typename Value>
  Option& Add(const std::string& option_name, Value& variable, const std::string& text) {
    Option& option = AddRow(option_name, text);
    if (std::is_same_v<Value, std::vector<std::string>>) option.takes = Takes::kList;
    option.store = [&variable](const std::string& value) { StoreValue(value, variable); };
    return option;
  }
  Option& AddFlag(const std::string& option_name, bool& variable, const std::string& text);

  // Options added from now on are listed in the help after the others, under this heading.
  void Heading(const std::string& text) { heading = text; }
  void Footer(const std::string& text) { footer = text; }
  void OnCall(std::function<void()> function) { run = std::move(function); }

  // `option_name` may be a short name. Returns null if there is no such option.
  const Option* Find(const std::string& option_name) const;

  std::string name, description, footer;
  std::string heading = "Options";
  std::deque<Option> positionals, options;  // addresses stay valid
  std::function<void()> run;
  bool is_help = false;  // the call has --help

 private:
  Option& AddRow(const std::string& option_name, const std::string& text);
};

// Ends the call with an error of option `name`, as the option's own check does. For use in
// Command::run.
[[noreturn]] void RefuseOption(const std::string& name, const std::string& text);
inline void RefuseOptionIf(bool refused, const std::string& name, const std::string& text) {
  if (refused) RefuseOption(name, text);
}
// Ends the call successfully with this text on stdout, as --help does. For use in a check.
[[noreturn]] void AnswerCall(const std::string& text);

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& version,
              const std::string& footer);

  Command& AddCommand(const std::string& name, const std::string& description);
  // `weft help [COMMAND]`
  void AddHelp();
  // Parses the words and runs their command. Returns the errors of the call, if it has any.
  std::optional<Faults> Parse(const std::vector<std::string>& words);

  const Command& root() const { return root_; }  // the options before a command
  const std::deque<Command>& commands() const { return commands_; }
  const Command* Find(const std::string& name) const;

 private:
  std::optional<Faults> RunCommand(Command& command, std::vector<std::string> words, Faults faults);

  Command root_;
  std::string version_;
  bool is_version_ = false;  // the call has --version
  std::deque<Command> commands_;
};

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMMAND_LINE_H_
