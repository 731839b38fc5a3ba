// SPDX-License-Identifier: Apache-2.0
// Error messages for invalid calls of `weft`: the error itself, not one of its consequences.
#include <fmt/format.h>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class CallFault : public CommandTest {
 protected:
  // Expects exit code 2 and these lines on stderr.
  void ExpectLines(const std::string& arguments, const std::string& lines) {
    const Outcome outcome = Weft(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(outcome.err, lines) << arguments;
  }
};

TEST_F(CallFault, NamesTheUnknownCommand) {
  ExpectLines(
      "convrt m.xml -o m.weft",
      "weft: unknown command \"convrt\"; did you mean \"convert\"? (\"weft help\" lists the "
      "commands)\n");
  ExpectLines(
      "INSPECT m.weft",
      "weft: unknown command \"INSPECT\"; did you mean \"inspect\"? (\"weft help\" lists the "
      "commands)\n");
  ExpectLines(
      "cnovert --help",
      "weft: unknown command \"cnovert\"; did you mean \"convert\"? (\"weft help\" lists the "
      "commands)\n");
  ExpectLines("frobnicate",
              "weft: unknown command \"frobnicate\"; \"weft help\" lists the commands\n");
  ExpectLines("''", "weft: unknown command \"\"; \"weft help\" lists the commands\n");
  ExpectLines("help rnu",
              "weft help: unknown command \"rnu\"; did you mean \"run\"? (\"weft help\" lists the "
              "commands)\n");
}

TEST_F(CallFault, NamesTheUnknownOption) {
  ExpectLines("convert m.xml --streamng -o m.weft",
              "weft convert: unknown option \"--streamng\"; did you mean \"--streaming\"?\n");
  ExpectLines("convert m.xml --ouput m.weft",
              "weft convert: unknown option \"--ouput\"; did you mean \"--output\"?\n");
  ExpectLines(
      "convert m.xml -o m.weft --shap=x=1 --arena_budget 3",
      "weft convert: unknown option \"--shap\"; did you mean \"--shape\"?\n"
      "weft convert: unknown option \"--arena_budget\"; did you mean \"--arena-budget\"?\n");
  ExpectLines("run m.weft --output-dir d --profile",
              "weft run: unknown option \"--profile\"; \"weft bench\" has one of that name\n");
  ExpectLines(
      "inspect m.weft --frobnicate",
      "weft inspect: unknown option \"--frobnicate\"; \"weft help inspect\" lists its options\n");
  ExpectLines("--budget inspect m.weft",
              "weft: unknown option \"--budget\"; options of \"inspect\" must follow it\n");
  ExpectLines("--vresion", "weft: unknown option \"--vresion\"; did you mean \"--version\"?\n");
}

TEST_F(CallFault, NamesTheWordTooMany) {
  ExpectLines("verify a.weft b.weft",
              "weft verify: unexpected \"b.weft\"; must be \"weft verify MODEL\" and options\n");
  ExpectLines("explain 1 2",
              "weft explain: unexpected \"2\"; must be \"weft explain CODE\" and options\n");
  ExpectLines("convert m.xml --shape a=1,2 -o m.weft b=3,4",
              "weft convert: unexpected \"b=3,4\"; must be \"weft convert MODEL\" and options\n");
  ExpectLines("convert m.xml -- --quiet",
              "weft convert: unexpected \"--quiet\"; must be \"weft convert MODEL\" and options\n");
}

TEST_F(CallFault, HelpsWhereNoCommandIsGiven) {
  const Outcome outcome = Weft("");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            Weft("help").out +
                "\nweft: no command is given; must be one of convert, link, run, compare, "
                "bench, inspect, verify, diff, plan, ops, explain, help, version, completion, "
                "man "
                "(\"weft help\" explains them)\n");
}

TEST_F(CallFault, SuggestsTheNearestName) {
  ExpectLines(
      "ops GRUSequenze",
      "weft ops: \"GRUSequenze\" is not a known operation of OpenVINO or TensorFlow Lite, nor "
      "a step; did you mean "
      "\"GRUSequence\"? must be one that \"weft ops\" lists\n");
  Convert(kPair);
  ExpectLines("run model.weft --input a=a.npy --input b=a.npy nett/sum:0=c.npy",
              "--input: input \"nett/sum:0\": is not in the model; must be one of \"a\" i64[2], "
              "\"b\" i64[2]\n"
              "a.npy: cannot be read: No such file or directory\n");
  WriteArray<int64_t>("a.npy", ElementType::i64, {2}, {1, 2});
  ExpectLines(
      "compare model.weft --input a=a.npy b=a.npy --expect net/sun:0=a.npy",
      "--expect: output \"net/sun:0\": is not in the model; did you mean \"net/sum:0\"? the "
      "only output is \"net/sum:0\" i64[2]\n");
  const Outcome pass = Weft("convert model.xml --dump-after infr");
  EXPECT_EQ(pass.code, 2);
  EXPECT_EQ(pass.err,
            "weft convert: --dump-after: is \"infr\"; did you mean \"infer\"? must be a pass of "
            "--dump-after list\n");
  WriteModel(kSum);
  const Outcome shape = Weft("convert model.xml --shape alais=2,3");
  EXPECT_EQ(shape.code, 2);
  EXPECT_EQ(shape.err,
            "--shape: input \"alais\": is not in the model; did you mean \"alias\"? the "
            "only input is \"x\" f32[2,3]\n");
  const std::string longest(10'000, 'x');
  EXPECT_EQ(Weft("run model.weft --input " + longest + "=x.npy").code, 2);
  EXPECT_EQ(Weft(longest).code, 2);
}

TEST_F(CallFault, ListsAllThatIsMissing) {
  ExpectLines("convert", "weft convert: MODEL is missing; must be given\n");
  ExpectLines("compare m.weft",
              "weft compare: --expect: is missing; must be given, unless there is a second model "
              "(OTHER) or --layers FOLDER with an IR or a .tflite file\n");
  ExpectLines("compare m.weft --expect y=y.npy --shape x=1",
              "weft compare: --shape: is given without --layers; must be given with it\n");
  ExpectLines("compare m.weft --expect y=y.npy --layers d",
              "weft compare: --expect: is given with --layers; must be given without it\n");
  ExpectLines("compare m.weft n.weft --expect y=y.npy",
              "weft compare: --expect: is given with OTHER; must be given without it\n");
}

TEST_F(CallFault, TellsOptionsThatStandWrongly) {
  for (const char* option : {"--shape", "--state", "--region", "--value", "--time-axis"}) {
    ExpectLines(fmt::format("convert m.xml {}", option),
                fmt::format("weft convert: {}: has no value; must be followed by one\n", option));
  }
  ExpectLines("convert m.xml -o",
              "weft convert: --output: has no value; must be followed by one\n");
  // A forgotten value; a file may have the name of an option.
  for (const char* option : {"--quiet", "-h", "-o", "--shape=x=1,2"}) {
    ExpectLines(
        fmt::format("convert m.xml -o {}", option),
        fmt::format(
            "weft convert: --output: is followed by the option \"{0}\"; must be followed by "
            "its value, or be --output={0}\n",
            option));
  }
  EXPECT_EQ(Weft("convert m.xml -o --json").err,
            "weft convert: --output: is followed by the option \"--json\"; must be followed by its "
            "value, or be --output=--json\n");
  ExpectLines("run m.weft --input --cast",
              "weft run: --input: is followed by the option \"--cast\"; must be followed by its "
              "value, or be --input=--cast\n");
  ExpectLines("convert m.xml -o a -o b",
              "weft convert: --output: is given 2 times; must be given once\n");
  ExpectLines("convert m.xml -o a --streaming=2 --streaming=4",
              "weft convert: --streaming: is given 2 times; must be given once\n");
  ExpectLines("bench m.weft --profile=no",
              "weft bench: --profile: is a flag; must have no value\n");
  ExpectLines("convert m.xml -o ''", "weft convert: --output: is empty; must be a name\n");
  ExpectLines("convert m.xml -o m.weft --weights ''",
              "weft convert: --weights: is empty; must be a name\n");
  ExpectLines("inspect ''", "weft inspect: MODEL: is empty; must be a name\n");
}

TEST_F(CallFault, HoldsEveryNumberToItsBounds) {
  const std::vector<std::string> wrong = {
      "-1", "nan", "inf", "1e999", "''", "3x", "0x10", "' 3'", "99999999999999999999"};
  for (const std::string& text : wrong) {
    const std::string shown = text[0] == '\'' ? text.substr(1, text.size() - 2) : text;
    const auto expect = [&](const std::string& call, const std::string& option,
                            const std::string& must) {
      ExpectLines(call + " " + option + " " + text,
                  fmt::format("weft {}: {}: is \"{}\"; must be {}\n",
                              call.substr(0, call.find(' ')), option, shown, must));
    };
    if (text != "99999999999999999999") {
      for (const char* option : {"--rtol", "--atol"}) {
        expect("compare m --expect y=y", option, "a finite number from 0, such as 1e-4");
      }
    }
    expect("compare m --expect y=y", "--repeat", "an integer from 1");
    expect("run m --output-dir d", "--repeat", "an integer from 1");
    expect("bench m", "--iterations", "an integer from 1 to 100000000");
    expect("bench m", "--warm-up", "an integer from 0 to 100000000");
    expect("convert m -o o", "--max-iterations", "an integer from 1 to 4294967294");
    expect("convert m -o o", "--self-test", "an integer from 1 to 1000");
    expect("convert m -o o", "--arena-budget",
           "a number of bytes, such as 65536 or 64K, min or fastest");
  }
  ExpectLines(
      "convert m -o o --arena-budget 16E",
      "weft convert: --arena-budget: is \"16E\"; must be a number of bytes, such as 65536 or "
      "64K, min or fastest\n");
  ExpectLines("convert m -o o --streaming=0",
              "weft convert: --streaming: is \"0\"; must be an integer from 1 to 2147483647\n");
}

TEST_F(CallFault, TakesLeadingZerosAsDecimal) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.xml -o m.weft --self-test 010 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(Weft("inspect m.weft --json").out)["self_test"]["runs"], 10);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --arena-budget 032").code, 0);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --arena-budget 031").code, 1);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --arena-budget 1KiB").code, 0);
}

TEST_F(CallFault, IsJsonWhereJsonIsAskedFor) {
  const auto expect = [&](const std::string& arguments, int code, size_t lines) {
    const Outcome outcome = Weft(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << arguments << "\n" << outcome.out;
    ASSERT_EQ(json.size(), 1u) << outcome.out;
    std::string text;
    for (const auto& line : json["error"]) text += line.get<std::string>() + "\n";
    EXPECT_EQ(text, outcome.err) << "stderr stays plain text";
    EXPECT_EQ(json["error"].size(), lines) << outcome.out;
  };
  expect("convert --json", 2, 1);
  expect("convrt --json", 2, 1);
  expect("inspect absent.weft --json", 1, 1);
  expect("bench absent.weft --json --iterations x", 2, 1);
  expect("verify absent.weft --json", 1, 1);
  Convert(kPair);
  expect("run model.weft --output-dir out --input c=c.npy --json", 2, 2);
  expect("compare model.weft --expect z=c.npy --json", 2, 2);
  expect("convert model.xml -o nowhere/m.weft --json", 1, 1);
  // A result that contains the errors is the only JSON value.
  WriteArray<int64_t>("a.npy", ElementType::i64, {2}, {1, 2});
  const Outcome differs =
      Weft("compare model.weft --input a=a.npy --input b=a.npy --expect 0=a.npy --json");
  EXPECT_EQ(differs.code, 1);
  EXPECT_EQ(nlohmann::json::parse(differs.out)["equal"], false);
}

TEST_F(CallFault, HelpSaysWhatOptionsTake) {
  const auto expect = [&](const std::string& command, const std::vector<std::string>& texts) {
    const std::string help = Weft(command + " --help").out;
    for (const std::string& text : texts) {
      EXPECT_NE(help.find(text), std::string::npos) << text << "\n" << help;
    }
    EXPECT_EQ(help.find("..."), help.find("...", help.find("DIM,...") + 4)) << help;
    EXPECT_EQ(help.find(" in ["), std::string::npos) << help;
  };
  expect("convert", {"--shape NAME=DIM,DIM,...", "x=1,25,512", "--streaming [=N]", "--streaming=8",
                     "--region NAME=BYTES", "dtcm=16K", "--arena-budget BYTES"});
  for (const char* command : {"run", "compare"}) {
    expect(command, {"--input NAME=FILE.npy", "x=x.npy", "0=x.npy"});
  }
  expect("compare", {"--expect NAME=FILE.npy", "y=y.npy"});
}

}  // namespace
}  // namespace weft::cli
