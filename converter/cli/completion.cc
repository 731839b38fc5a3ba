// SPDX-License-Identifier: Apache-2.0
// weft version, completion and man: texts about weft itself.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "converter/cli/commands.h"
#include "converter/cli/manual.h"
#include "converter/cli/streams.h"
#include "runtime/weft.h"

namespace weft::cli {
namespace {

struct Shell {
  std::string_view name;
  std::string (*text)(const CommandLine&);
};
constexpr Shell kShells[] = {
    {"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}};

const Shell* FindShell(std::string_view name) {
  const auto shell = std::ranges::find(kShells, name, &Shell::name);
  return shell == std::end(kShells) ? nullptr : shell;
}

std::string CheckShell(const std::string& name) {
  return FindShell(name) != nullptr ? "" : "is \"" + name + "\"; must be bash, zsh or fish";
}

}  // namespace

std::string VersionText() {
  return fmt::format("weft {}, file format {}", WEFT_VERSION, kFormatVersion);
}

void AddVersion(CommandLine& line, Exit* exit) {
  Command& command =
      line.AddCommand("version", "Print the versions of weft and of its file format");
  auto json = std::make_shared<bool>(false);
  command.AddFlag("--json", *json, "Print JSON");
  command.OnCall([json, exit] {
    *exit = Exit::kDone;
    if (*json) {
      Print({{"version", WEFT_VERSION}, {"file_format", kFormatVersion}});
    } else {
      Answer("{}", VersionText());
    }
  });
}

void AddCompletion(CommandLine& line, Exit* exit) {
  Command& completion = line.AddCommand("completion", "Print a shell completion script");
  auto shell = std::make_shared<std::string>();
  completion.Add("SHELL", *shell, "Shell that reads the script")
      .Value("bash|zsh|fish", CheckShell)
      .Required();
  completion.Footer(
      "An installation of weft includes these scripts.\n\nExamples:\n"
      "  source <(weft completion bash)\n"
      "  weft completion fish > ~/.config/fish/completions/weft.fish");
  completion.OnCall([&line, shell, exit] {
    *exit = Exit::kDone;
    AnswerText(FindShell(*shell)->text(line));
  });
  Command& man = line.AddCommand("man", "Print the manual page");
  man.Footer("Example:\n  weft man | man -l -");
  man.OnCall([&line, exit] {
    *exit = Exit::kDone;
    AnswerText(ManualPage(line, VersionText()));
  });
}

}  // namespace weft::cli
