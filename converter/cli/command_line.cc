// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "converter/cli/call_faults.h"
#include "converter/cli/streams.h"
#include "converter/cli/wrap.h"

namespace weft::cli {
namespace {

// CLI11's help text, wrapped to the width of a terminal. CLI11 prints the value of a flag as part
// of its name; this class removes it.
class Format : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override {
    return Entry(make_option_name(option, positional) + make_option_opts(option),
                 option->get_description());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return Entry(command->get_name(), command->get_description());
  }
  std::string make_footer(const CLI::App* app) const override { return Wrapped(app->get_footer()); }
  // CLI11 separates groups by two empty lines.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  }
  // CLI11 prints "Needs: --c-source" after the name; the description says "With --c-source: ".
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    if (const size_t needs = text.find(" Needs:"); needs != std::string::npos) text.erase(needs);
    return text;
  }
  // "--streaming{1}" -> "--streaming"
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, positional);
    const size_t begin = name.find('{'), end = name.find('}');
    if (begin != std::string::npos && end != std::string::npos) name.erase(begin, end + 1 - begin);
    return name;
  }

 private:
  // "  --shape NAME=DIM,...     Give an input ..."
  static std::string Entry(const std::string& name, const std::string& description) {
    constexpr size_t kColumn = 30;
    std::string head = "  " + name;
    head += head.size() + 2 <= kColumn ? std::string(kColumn - head.size(), ' ')
                                       : "\n" + std::string(kColumn, ' ');
    const std::string lines = Wrapped(description, kHelpColumns - kColumn);
    std::string text;
    for (const char c : lines.substr(0, lines.find_last_not_of('\n') + 1)) {
      text += c;
      if (c == '\n') text.append(kColumn, ' ');
    }
    return head + text + "\n";
  }
};

// App::help would return the help of the current command, which is `help` itself.
std::string HelpOf(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

// "NAME=FILE.npy REQUIRED" -> "NAME=FILE.npy"
std::string ValueOf(const CLI::Option& option) {
  std::string text =
      option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  const bool takes_none = option.get_items_expected_max() == 0 && option.get_option_text().empty();
  return takes_none ? "" : text.substr(0, text.find(" REQUIRED"));
}

CommandRow RowOf(const CLI::App& command) {
  CommandRow row{command.get_name(), command.get_description(), command.get_footer(), {}, {}};
  for (const CLI::Option* option : command.get_options(
           [](const CLI::Option* option) { return !option->get_group().empty(); })) {
    OptionRow found{.name = option->get_name(),
                    .short_name = "",
                    .value = ValueOf(*option),
                    .description = option->get_description(),
                    .heading = option->get_group(),
                    .is_required = option->get_required()};
    if (option->get_positional()) {
      row.words.push_back(found);
      continue;
    }
    found.name = "--" + option->get_lnames().front();
    if (!option->get_snames().empty()) found.short_name = "-" + option->get_snames().front();
    row.options.push_back(found);
  }
  return row;
}

// Makes flags reject values: CLI11 would accept "--json=no".
void CloseFlags(CLI::App& command) {
  for (CLI::Option* option : command.get_options([](const CLI::Option*) { return true; })) {
    const bool takes_value = !option->get_option_text().empty();
    if (option->get_items_expected_max() == 0 && !takes_value) option->disable_flag_override();
  }
}

}  // namespace

Option& Option::Required() {
  option_->required();
  return *this;
}

Option& Option::Type(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::Text(const std::string& text) {
  option_->option_text(text);
  return *this;
}

Option& Option::ShowDefault() {
  option_->capture_default_str();
  return *this;
}

Option& Option::OneValueEach() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::ValueOr(const std::string& without) {
  option_->expected(0, 1);
  option_->default_str(without);
  return *this;
}

Option& Option::AtMostOnce() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  return *this;
}

Option& Option::Needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::Apply(const Transform& transform) {
  option_->transform(CLI::Validator(transform, ""));
  return *this;
}

Option& Option::Check(const std::function<std::string(const std::string&)>& check) {
  option_->check(check);
  return *this;
}

bool Option::is_given() const { return option_->count() > 0; }

Option Command::Add(const std::string& name, std::string& value, const std::string& description) {
  return Option(app_->add_option(name, value, description));
}

Option Command::Add(const std::string& name, int64_t& value, const std::string& description) {
  return Option(app_->add_option(name, value, description));
}

Option Command::Add(const std::string& name, uint32_t& value, const std::string& description) {
  return Option(app_->add_option(name, value, description));
}

Option Command::Add(const std::string& name, double& value, const std::string& description) {
  return Option(app_->add_option(name, value, description));
}

Option Command::Add(const std::string& name, std::vector<std::string>& value,
                    const std::string& description) {
  return Option(app_->add_option(name, value, description));
}

Option Command::AddFlag(const std::string& name, bool& value, const std::string& description) {
  return Option(app_->add_flag(name, value, description));
}

Option Command::AddFlag(const std::string& name, int64_t& value, const std::string& description) {
  // CLI11 2.4 counts a flag that is bound to an integer: without the flag it would parse "0".
  return Option(app_->add_flag_function(
      name, [&value](int64_t given) { value = given; }, description));
}

void Command::Heading(const std::string& text) { app_->option_defaults()->group(text); }

void Command::Footer(const std::string& text) { app_->footer(text); }

void Command::OnCall(const std::function<void()>& run) { app_->callback(run); }

void RefuseOption(const std::string& name, const std::string& text) {
  throw CLI::ValidationError(name, text);
}

void AnswerCall(const std::string& text) {
  AnswerText(text);
  throw CLI::Success();
}

CommandLine::CommandLine(const std::string& description, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, "weft")) {
  app_->formatter(std::make_shared<Format>());
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::AddCommand(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description));
}

void CommandLine::AddHelp() {
  CLI::App* command = app_->add_subcommand("help", "Print help for weft or for one command");
  auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "A command of weft");
  command->callback([app = app_.get(), command, name] {
    if (command->count("COMMAND") == 0) {
      AnswerText(HelpOf(*app));
      return;
    }
    const auto named = [&](const CLI::App* other) { return other->get_name() == *name; };
    const std::vector<const CLI::App*> found = std::as_const(*app).get_subcommands(named);
    if (found.empty()) throw CLI::ValidationError(UnknownCommand(*app, *name));
    AnswerText(found.front()->help(app->get_name()));
  });
}

std::optional<Faults> CommandLine::Parse(std::vector<std::string> words) {
  for (CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; }))
    CloseFlags(*command);
  RespellValues(*app_, words);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    const bool done = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    if (!done || NamesUnknownCommand(*app_)) return CallFaults(*app_, error);
    std::ostringstream answer, said;
    app_->exit(error, answer, said);  // help or version
    AnswerText(answer.str());
  }
  return std::nullopt;
}

std::string CommandLine::HelpText() const { return HelpOf(*app_); }

Manual CommandLine::TableOfCommands() const {
  Manual manual{app_->get_description(), app_->get_footer(), {}};
  for (const CLI::App* command : app_->get_subcommands([](const CLI::App*) { return true; })) {
    manual.commands.push_back(RowOf(*command));
  }
  return manual;
}

bool ExpandUnit(std::string& text) {
  try {
    return CLI::AsSizeValue(false)(text).empty();
  } catch (const CLI::Error&) {
    return false;  // a unit that it does not know, or beyond 64 bits
  }
}

}  // namespace weft::cli
