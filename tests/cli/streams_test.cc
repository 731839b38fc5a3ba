// SPDX-License-Identifier: Apache-2.0
// Behaviour of the command if standard output or error is closed, full or a pipe without a reader,
// and escaping of untrusted text.
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class Streams : public CommandTest {
 protected:
  // Runs the command with shell redirections. Returns its exit code, or -1 after a signal.
  int Code(const std::string& words) {
    const std::string command = "cd '" + Path("") + "' && exec '" WEFT_COMMAND "' " + words;
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

TEST_F(Streams, TalkNeedsNoReader) {
  WriteText("nores.xml", "<net version='11'><layers/></net>");
  WriteModel(kSum);
  for (const std::string closed :
       {"2>&-", "2>/dev/full", "2>&- >&-", ">&- 2>/dev/full", "<&- >&- 2>&-"}) {
    EXPECT_EQ(Code("convert nores.xml -o m.weft " + closed), 1) << closed;
    EXPECT_EQ(Code("convert " + closed), 2) << closed;
    EXPECT_EQ(Code("run nowhere.weft --output-dir out " + closed), 1) << closed;
  }
  for (const std::string closed : {"2>&-", "2>/dev/full"}) {
    EXPECT_EQ(Code("convert model.xml -o m.weft >out " + closed), 0) << closed;
    EXPECT_EQ(Code("verify m.weft >out " + closed), 0) << closed;
  }
}

TEST_F(Streams, ResultsThatCannotBeWrittenAreAFailure) {
  Convert(kSum);
  for (const std::string command :
       {"ops", "ops --json", "--help", "--version", "inspect model.weft", "verify model.weft",
        "bench model.weft --iterations 1", "convert model.xml -o m.weft",
        "convert model.xml -o m.weft --dump-after lower"}) {
    for (const auto& [full, reason] :
         {std::pair<std::string, std::string>{">&-", "Bad file descriptor"},
          {">/dev/full", "No space left on device"}}) {
      EXPECT_EQ(Code(command + " 2>err " + full), 1) << command << full;
      EXPECT_EQ(Text("err"), "weft: standard output cannot be written: " + reason + "\n")
          << command << full;
      EXPECT_EQ(Code(command + " 2>&- " + full), 1) << command << full;
    }
  }
}

TEST_F(Streams, APipeWithoutAReaderIsAFailure) {
  WriteText("pipe.sh",
            "mkfifo pipe; (exec 3<pipe; sleep 0.2) & exec 4>pipe; wait\n"
            "\"$@\" >&4 2>err; echo $? >code\n");
  const std::string command = "cd '" + Path("") + "' && sh pipe.sh '" WEFT_COMMAND "' ops";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(Text("code"), "1\n");
  EXPECT_EQ(Text("err"), "weft: standard output cannot be written: Broken pipe\n");
}

TEST_F(Streams, NoFileTakesTheNumberOfAClosedStream) {
  WriteModel(kSum);
  ASSERT_EQ(Code("convert model.xml -o good.weft --c-source good.c >out"), 0);
  for (const std::string closed : {"2>&-", ">&-", "<&-", "<&- >&-", "<&- >&- 2>&-"}) {
    const int code = Code("convert model.xml -o m.weft --c-source good.c 2>err " + closed);
    EXPECT_EQ(code, closed.find(">&-") == 0 || closed.find(" >&-") != std::string::npos ? 1 : 0)
        << closed;
    EXPECT_EQ(Text("m.weft"), Text("good.weft")) << closed;
  }
}

TEST_F(Streams, EscapesNamesInMessagesAndTables) {
  // A bell, a terminal title, the one-byte form of ESC [ and a right-to-left override.
  const std::string evil =
      "\x1b]0;x\x07\xc2\x9b"
      "2J\xe2\x80\xae&#10;z\xc3\xa9";
  const std::string shown = "\\x1b]0;x\\x07\\u009b2J\\u202e\\nz\xc3\xa9";
  std::string xml(kSum);
  xml.replace(xml.find("names=\"y\""), 9, "names=\"" + evil + "\"");
  WriteModel(xml);
  ASSERT_EQ(Weft("convert model.xml -o model.weft").code, 0);
  const Outcome table = Weft("inspect model.weft");
  EXPECT_NE(table.out.find(shown), std::string::npos) << table.out;
  const Outcome json = Weft("inspect model.weft --json");
  EXPECT_EQ(nlohmann::json::parse(json.out)["outputs"][0]["name"],
            "\x1b]0;x\x07\xc2\x9b"
            "2J\xe2\x80\xae\nz\xc3\xa9");
  const Outcome fault = Weft("compare model.weft --input x=x.npy --expect absent=y.npy");
  EXPECT_NE(fault.err.find(shown), std::string::npos) << fault.err;
  for (const std::string& text : {table.out, json.out, fault.err}) {
    for (const char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
  }
}

TEST_F(Streams, EscapesFileNamesAndArguments) {
  const Outcome file = Weft("inspect \"$(printf 'no\\033[2Jsuch\\nfile')\"");
  EXPECT_EQ(file.code, 1);
  EXPECT_EQ(file.err, "no\\x1b[2Jsuch\\nfile: cannot be read: No such file or directory\n");
  for (const std::string arguments :
       {"convert model.xml -o m \"$(printf '\\033x')\"", "\"$(printf 'frob\\033[1m')\"",
        "inspect m.weft \"--$(printf '\\033[1m')\""}) {
    const Outcome outcome = Weft(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err, "") << arguments;
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << outcome.err;
  }
}

TEST_F(Streams, KeepsFaultLinesShort) {
  std::string xml(kSum), dims, shape;
  for (int i = 0; i < 100'000; ++i) dims += "<dim>1</dim>", shape += i == 0 ? "1" : ",1";
  xml.replace(xml.find("<dim>2</dim><dim>3</dim>"), 24, dims);
  xml.replace(xml.find("shape=\"2,3\""), 11, "shape=\"" + shape + "\"");
  xml.replace(xml.find("name=\"sum\" type"), 10, "name=\"" + std::string(100'000, 'n') + "\"");
  WriteModel(xml);
  const Outcome outcome = Weft("convert model.xml -o m.weft");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("[1,1,1,1,1,1,1,1,... (100000 dims)]"), std::string::npos)
      << outcome.err.substr(0, 2000);
  EXPECT_LT(outcome.err.size(), 5000u);
}

}  // namespace
}  // namespace weft::cli
