// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/help.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "converter/cli/call_faults.h"
#include "converter/cli/streams.h"
#include "runtime/weft.h"

namespace weft::cli {
namespace {

class Format : public CLI::Formatter {
 public:
  // "--streaming{1}" -> "--streaming"
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    std::string name = CLI::Formatter::make_option_name(option, positional);
    const size_t begin = name.find('{'), end = name.find('}');
    if (begin != std::string::npos && end != std::string::npos) name.erase(begin, end + 1 - begin);
    return name;
  }
};

// App::help would answer with the help of the command that was given, which is `help` itself.
std::string HelpOf(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

}  // namespace

std::string VersionText() {
  return fmt::format("weft {}, file format {}", WEFT_VERSION, kFormatVersion);
}

std::shared_ptr<CLI::FormatterBase> HelpFormat() { return std::make_shared<Format>(); }

void AddHelp(CLI::App& app, Exit* exit) {
  CLI::App* command = app.add_subcommand("help", "Explain the commands, or one of them");
  auto name = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "The command to explain");
  command->callback([&app, command, name, exit] {
    *exit = Exit::kDone;
    if (command->count("COMMAND") == 0) {
      AnswerText(HelpOf(app));
      return;
    }
    const auto named = [&](const CLI::App* other) { return other->get_name() == *name; };
    const std::vector<const CLI::App*> found = std::as_const(app).get_subcommands(named);
    if (found.empty()) throw CLI::ValidationError(UnknownCommand(app, *name));
    AnswerText(found.front()->help(app.get_name()));
  });
}

void AddVersion(CLI::App& app, Exit* exit) {
  CLI::App* command = app.add_subcommand("version", "Print the version of weft and of its files");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([json, exit] {
    *exit = Exit::kDone;
    if (*json) {
      Print({{"version", WEFT_VERSION}, {"file_format", kFormatVersion}});
    } else {
      Answer("{}", VersionText());
    }
  });
}

}  // namespace weft::cli
