// SPDX-License-Identifier: Apache-2.0
// The manual page and the completion scripts contain all commands and options of the help texts.
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class ManualText : public CommandTest {
 protected:
  // Words of the help that start with "--".
  static std::vector<std::string> OptionsOf(const std::string& help) {
    std::vector<std::string> options;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      const size_t at = line.find("--");
      if (!line.starts_with("  -") || at == std::string::npos) continue;
      options.push_back(line.substr(at, line.find(' ', at) - at));
    }
    return options;
  }
  bool Has(const char* program) const {
    return std::system((std::string("command -v ") + program + " >/dev/null").c_str()) == 0;
  }
};

TEST_F(ManualText, NamesEveryCommandAndOption) {
  const std::string page = Weft("man").out, bash = Weft("completion bash").out,
                    zsh = Weft("completion zsh").out, fish = Weft("completion fish").out;
  size_t count = 0;
  for (const std::string command : {"convert", "run", "compare", "bench", "inspect", "verify",
                                    "ops", "explain", "help", "version", "completion", "man"}) {
    EXPECT_NE(page.find(".SS weft " + command + "\n"), std::string::npos) << command;
    EXPECT_NE(bash.find("    " + command + ") options='"), std::string::npos) << command;
    EXPECT_NE(zsh.find("    " + command + ")\n"), std::string::npos) << command;
    EXPECT_NE(fish.find(" -a " + command + " "), std::string::npos) << command;
    for (const std::string& option : OptionsOf(Weft("help " + command).out)) {
      ++count;
      std::string roff;
      for (const char c : option) roff += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_NE(page.find("\\fB" + roff + "\\fR"), std::string::npos) << option;
      EXPECT_NE(bash.find(option), std::string::npos) << option;
      EXPECT_NE(zsh.find("'*" + option + "["), std::string::npos) << option;
      EXPECT_NE(fish.find(" -l " + option.substr(2) + " "), std::string::npos) << option;
    }
  }
  EXPECT_GT(count, 40u);
}

TEST_F(ManualText, IsRefusedForOtherShells) {
  const Outcome outcome = Weft("completion tcsh");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "weft completion: SHELL: is \"tcsh\"; must be bash, zsh or fish\n");
}

TEST_F(ManualText, CompletesInBash) {
  if (!Has("bash")) GTEST_SKIP() << "no bash";
  WriteText("weft.bash", Weft("completion bash").out);
  const auto complete = [&](const std::string& words, int last) {
    WriteText("call", "set -eu\ncd '" + Path("") + "'\n. ./weft.bash\nCOMP_WORDS=(weft " + words +
                          ")\nCOMP_CWORD=" + std::to_string(last) +
                          "\n_weft || true\necho \"${COMPREPLY[*]}\"\n");
    const std::string call = "bash '" + Path("call") + "' >'" + Path("reply") + "'";
    EXPECT_EQ(std::system(call.c_str()), 0) << words;
    return Text("reply");
  };
  EXPECT_EQ(complete("con", 1), "convert\n");
  EXPECT_EQ(complete("convert m.xml --str", 3), "--streaming --streams\n");
  EXPECT_EQ(complete("help insp", 2), "inspect\n");
  EXPECT_EQ(complete("completion z", 2), "zsh\n");
  EXPECT_EQ(complete("convert mod", 2), "\n");  // files, by the shell itself
}

TEST_F(ManualText, IsParsedByItsReaders) {
  WriteText("weft.1", Weft("man").out);
  WriteText("_weft", Weft("completion zsh").out);
  WriteText("weft.fish", Weft("completion fish").out);
  const auto expect_quiet = [&](const std::string& command) {
    const std::string call = "cd '" + Path("") + "' && " + command + " >said 2>&1";
    EXPECT_EQ(std::system(call.c_str()), 0) << command << "\n" << Text("said");
    EXPECT_EQ(Text("said"), "") << command;
  };
  if (Has("groff")) expect_quiet("groff -man -ww -z -Tutf8 weft.1");
  if (Has("zsh")) expect_quiet("zsh -n _weft");
  if (Has("fish")) expect_quiet("fish --no-execute weft.fish");
}

}  // namespace
}  // namespace weft::cli
