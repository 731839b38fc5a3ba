// SPDX-License-Identifier: Apache-2.0
// Output of `weft` on a terminal, and the width of its help texts.
#include <pty.h>
#include <unistd.h>

#include "converter/base/visible.h"
#include "converter/cli/help.h"
#include "converter/cli/table.h"
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class Terminal : public CommandTest {
 protected:
  // Output of the command on a terminal, without carriage returns.
  std::string WeftAtTerminal(const std::string& arguments, const std::string& settings = "") const {
    int terminal = -1;
    const std::string command = "cd '" + Path("") + "' && unset NO_COLOR && TERM=xterm " +
                                settings + " '" WEFT_COMMAND "' " + arguments;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    std::string text;
    char part[4096];
    for (ssize_t count = 0; (count = read(terminal, part, sizeof part)) > 0;) {
      text.append(part, static_cast<size_t>(count));
    }
    close(terminal);
    int status = 0;
    waitpid(child, &status, 0);
    std::erase(text, '\r');
    return text;
  }
};

TEST_F(Terminal, GroupsNumbersOnlyThere) {
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml --self-test 99").code, 0);
  const std::string shown = WeftAtTerminal("inspect model.weft");
  const auto bytes = std::filesystem::file_size(Path("model.weft"));
  ASSERT_TRUE(bytes >= 1000 && bytes < 1'000'000) << bytes;
  const std::string plain = std::to_string(bytes);
  std::string grouped = plain;
  grouped.insert(grouped.size() - 3, ",");
  EXPECT_NE(shown.find("model.weft: " + grouped + " bytes"), std::string::npos) << shown;
  EXPECT_NE(Weft("inspect model.weft").out.find("model.weft: " + plain + " bytes"),
            std::string::npos);
}

TEST_F(Terminal, ColoursOnlyThere) {
  const std::string red = "\x1b[1;31mabsent.weft\x1b[0m: cannot be read";
  EXPECT_NE(WeftAtTerminal("inspect absent.weft").find(red), std::string::npos);
  const std::string plain = Weft("inspect absent.weft").err;
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_EQ(WeftAtTerminal("inspect absent.weft", "NO_COLOR=1"), plain);
  EXPECT_EQ(WeftAtTerminal("inspect absent.weft", "TERM=dumb"), plain);
  EXPECT_NE(WeftAtTerminal("inspect absent.weft", "NO_COLOR=").find(red), std::string::npos);
}

TEST_F(Terminal, HelpsFitEightyColumns) {
  for (const char* command : {"", "convert", "run", "compare", "bench", "inspect", "verify", "ops",
                              "explain", "help", "version", "completion", "man"}) {
    std::istringstream help(Weft(std::string("help ") + command).out);
    for (std::string line; std::getline(help, line);) {
      EXPECT_LE(CharacterCount(line), 80u) << command << ": " << line;
    }
  }
}

TEST(Wrap, BreaksParagraphsAndHangsTables) {
  EXPECT_EQ(Wrapped("one two\nthree four\n\nfive", 13), "one two three\nfour\n\nfive\n");
  EXPECT_EQ(Wrapped("  name  a text of words", 14), "  name  a text\n        of\n        words\n");
  EXPECT_EQ(Wrapped("  keeps\n  lines", 20), "  keeps\n  lines\n");
  EXPECT_EQ(Wrapped("unbreakable_word next", 5), "unbreakable_word\nnext\n");
}

TEST(TableText, FormatsMembersOfRows) {
  const Json rows = {{{"name", "a, b"}, {"bytes", 1536}, {"mean", 2.5}, {"share", 0.125}},
                     {{"name", "c"}, {"bytes", 7}, {"mean", 3}, {"share", nullptr}}};
  EXPECT_EQ(TableText(rows,
                      "layer=name | >bytes | >per run=mean mean | >exact=mean .2f | "
                      ">share=share % | none"),
            "layer  bytes  per run  exact   share  none\n"
            "a, b    1536      2.5   2.50  12.5 %  -\n"
            "c          7        3   3.00       -  -\n");
  EXPECT_EQ(CsvText(rows, "layer=name | bytes | share=share .3f | none"),
            "layer,bytes,share,none\n\"a, b\",1536,0.125,\nc,7,,\n");
  EXPECT_EQ(TableText(Json::array(), "layer=name | >bytes"), "layer  bytes\n");
}

}  // namespace
}  // namespace weft::cli
