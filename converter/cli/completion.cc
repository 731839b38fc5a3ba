// SPDX-License-Identifier: Apache-2.0
// weft completion and weft man: completion scripts and the manual page.
#include <algorithm>
#include <memory>

#include "converter/cli/commands.h"
#include "converter/cli/manual.h"
#include "converter/cli/streams.h"
#include "converter/cli/version.h"

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
