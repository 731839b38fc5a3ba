// SPDX-License-Identifier: Apache-2.0
// Commands with their options and help texts, and the parsing of a call. This header hides CLI11:
// its headers add about fifteen seconds to the compilation of a source, so only command_line.cc and
// call_faults.cc include them.
#ifndef WEFT_CONVERTER_CLI_COMMAND_LINE_H_
#define WEFT_CONVERTER_CLI_COMMAND_LINE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/cli/manual.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace weft::cli {

// Returns an error message for the value of an option, or an empty string. May normalise the value.
using Transform = std::function<std::string(std::string&)>;

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& Required();
  // Placeholder of the value in the help. Type keeps CLI11's remarks, such as REQUIRED; Text
  // replaces them.
  Option& Type(const std::string& name);
  Option& Text(const std::string& text);
  // Prints the default value in the help.
  Option& ShowDefault();
  // Accepts one value per use of the option, not a list.
  Option& OneValueEach();
  // Makes the value optional; without one the option is `without`. A word that follows the option
  // is its value.
  Option& ValueOr(const std::string& without);
  // Rejects a second use of a flag that has a value.
  Option& AtMostOnce();
  // Rejects the option unless `other` is given.
  Option& Needs(const Option& other);
  // Run on each value: first all Apply, in reverse order of the calls, then all Check.
  Option& Apply(const Transform& transform);
  Option& Check(const std::function<std::string(const std::string&)>& check);

  bool is_given() const;

 private:
  CLI::Option* option_;
};

// The variables bound to options must outlive the parsing of the call.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  // `name` is "--input", "-o,--output", or "MODEL" for a positional argument.
  Option Add(const std::string& name, std::string& value, const std::string& description);
  Option Add(const std::string& name, int64_t& value, const std::string& description);
  Option Add(const std::string& name, uint32_t& value, const std::string& description);
  Option Add(const std::string& name, double& value, const std::string& description);
  Option Add(const std::string& name, std::vector<std::string>& value,
             const std::string& description);
  Option AddFlag(const std::string& name, bool& value, const std::string& description);
  // A flag named "--streaming{1}" has the value 1 unless the call gives one.
  Option AddFlag(const std::string& name, int64_t& value, const std::string& description);

  // Options added from now on are listed in the help after the others, under this heading.
  void Heading(const std::string& text);
  void Footer(const std::string& text);
  void OnCall(const std::function<void()>& run);

 private:
  CLI::App* app_;
};

// Ends the call with an error of option `name`, as the option's own check does.
[[noreturn]] void RefuseOption(const std::string& name, const std::string& text);
// Ends the call successfully with this text on stdout, as --help does. For use in Option::Check.
[[noreturn]] void AnswerCall(const std::string& text);

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  Command AddCommand(const std::string& name, const std::string& description);
  // `weft help [COMMAND]`
  void AddHelp();
  // The text that `weft help` prints.
  std::string HelpText() const;
  // The contents of all help texts.
  Manual TableOfCommands() const;
  // Parses the words and runs their command. Returns the errors of the call, if it has any.
  std::optional<Faults> Parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
};

// Replaces a size with a unit by a number: "64K" becomes "65536". Returns false if the text is not
// a number with an optional unit, or exceeds 64 bits.
bool ExpandUnit(std::string& text);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMMAND_LINE_H_
