// SPDX-License-Identifier: Apache-2.0
// What commands say of their options, and the parsing of a call. CLI11 stands behind this header:
// a source that includes its headers takes some fifteen seconds longer to compile, so only
// command_line.cc and call_faults.cc do.
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

// Returns what is wrong with the value of an option, or nothing. May put it into a plainer form.
using Transform = std::function<std::string(std::string&)>;

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& Required();
  // What stands for the value in the help: with or without CLI11's remarks, such as REQUIRED.
  Option& Type(const std::string& name);
  Option& Text(const std::string& text);
  // The default value stands in the help.
  Option& ShowDefault();
  // Takes one value each time that it is given.
  Option& OneValueEach();
  // What it is without a value; one that follows it is taken for that.
  Option& ValueOr(const std::string& without);
  // A flag with a value that is given twice is refused.
  Option& AtMostOnce();
  Option& Needs(const Option& other);
  // Every Apply comes before every Check, and the last one first.
  Option& Apply(const Transform& transform);
  Option& Check(const std::function<std::string(const std::string&)>& check);

  bool is_given() const;

 private:
  CLI::Option* option_;
};

// What is bound to a command must live until the call is parsed.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  // `name` is "--input", "-o,--output", or "MODEL" of a value without an option.
  Option Add(const std::string& name, std::string& value, const std::string& description);
  Option Add(const std::string& name, int64_t& value, const std::string& description);
  Option Add(const std::string& name, uint32_t& value, const std::string& description);
  Option Add(const std::string& name, double& value, const std::string& description);
  Option Add(const std::string& name, std::vector<std::string>& value,
             const std::string& description);
  Option AddFlag(const std::string& name, bool& value, const std::string& description);
  // "--streaming{1}" is 1 without a value of its own.
  Option AddFlag(const std::string& name, int64_t& value, const std::string& description);

  void Footer(const std::string& text);
  void OnCall(const std::function<void()>& run);

 private:
  CLI::App* app_;
};

// For what a command finds wrong with its call: ends it as an option's own check does.
[[noreturn]] void RefuseOption(const std::string& name, const std::string& text);

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& version,
              const std::string& footer);
  ~CommandLine();

  Command AddCommand(const std::string& name, const std::string& description);
  // `weft help [COMMAND]`
  void AddHelp();
  // What `weft help` prints.
  std::string HelpText() const;
  // All that the help texts are made of.
  Manual TableOfCommands() const;
  // Runs the command that the words call; else returns what is wrong with them.
  std::optional<Faults> Parse(std::vector<std::string> words);

 private:
  std::unique_ptr<CLI::App> app_;
};

// Makes "65536" of "64K"; false for what is no number with or without a unit, or beyond 64 bits.
bool ExpandUnit(std::string& text);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMMAND_LINE_H_
