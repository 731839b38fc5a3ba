// SPDX-License-Identifier: Apache-2.0
// Calls of `weft`: help, exit codes, invalid calls.
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

const std::vector<std::string> kCommands = {"convert", "run",    "compare", "bench",
                                            "inspect", "verify", "ops"};

class Call : public CommandTest {};

TEST_F(Call, HelpsOnStdout) {
  const Outcome outcome = Weft("--help");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const std::string& command : kCommands) {
    EXPECT_NE(outcome.out.find("\n  " + command), std::string::npos) << command;
    const Outcome help = Weft(command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_EQ(help.err, "") << command;
    EXPECT_NE(help.out.find("--json"), std::string::npos) << command;
    if (command == "ops") continue;
    EXPECT_NE(help.out.find("  weft " + command), std::string::npos) << command;
  }
}

TEST_F(Call, TellsItsVersion) {
  const Outcome outcome = Weft("--version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "weft 0.2.0, file format 4\n");
  const Outcome command = Weft("version");
  EXPECT_EQ(command.code, 0);
  EXPECT_EQ(command.out, outcome.out);
  const auto json = nlohmann::json::parse(Weft("version --json").out);
  EXPECT_EQ(json["version"], "0.2.0");
  EXPECT_EQ(json["file_format"], 4);
}

TEST_F(Call, HelpIsACommandToo) {
  EXPECT_EQ(Weft("help").out, Weft("--help").out);
  for (const std::string& command : kCommands) {
    const Outcome outcome = Weft("help " + command);
    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_EQ(outcome.out, Weft(command + " -h").out) << command;
    EXPECT_NE(outcome.out.find("Usage: weft " + command), std::string::npos) << outcome.out;
  }
}

TEST_F(Call, IsRefusedWithTwoWhenItMakesNoSense) {
  for (const std::string arguments : {"frobnicate",
                                      "convert",
                                      "convert a.xml -o b --frob",
                                      "run",
                                      "run m.weft --output-dir d --repeat 0",
                                      "run m.weft --output-dir d --repeat x",
                                      "compare m.weft",
                                      "compare m.weft --expect y=y.npy --rtol -1",
                                      "bench",
                                      "bench m.weft --iterations 0",
                                      "inspect",
                                      "verify",
                                      "ops more",
                                      "convert a.xml -o b --arena-budget much",
                                      "convert a.xml -o b --max-iterations 0",
                                      "convert a.xml -o b --streaming=0",
                                      "convert a.xml -o b --streaming=-1",
                                      "convert a.xml -o b --streaming=two",
                                      "convert a.xml -o b --streaming 0",
                                      "convert a.xml -o b --dump-after frob",
                                      "convert a.xml -o b --shape x",
                                      "convert a.xml -o b --shape x=1,,2",
                                      "convert a.xml -o b --shape x=1,-2",
                                      "convert a.xml -o b --shape x=1 --shape x=2"}) {
    const Outcome outcome = Weft(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err, "") << arguments;
  }
  EXPECT_TRUE(Entries().empty());
}

TEST_F(Call, RefusesValuesOfConvert) {
  WriteModel(kSum);
  for (const auto& [option, words] : std::vector<std::pair<std::string, std::string>>{
           {"--report ''", "--report: is empty; must be a name"},
           {"--max-error -1", "--max-error: is \"-1\"; must be a finite number from 0"},
           {"--max-error 1 --precision i8", "--max-error: is given with a type for all"},
           {"--max-error 1 --sensitivity --precision w=i8", "--max-error: is given with --sens"},
           {"--sensitivity",
            "--sensitivity: is given without --precision TYPE; must be given with a type"},
           {"--sensitivity --precision auto", "--sensitivity: is given without --precision TYPE"},
           {"--sensitivity --precision f32", "--sensitivity: is given with --precision f32"},
           {"--input x=x.npy", "--input: is given without --sensitivity, --max-error, --min-snr"},
           {"--min-snr 30", "--min-snr: is given without --precision TYPE; must be given with"},
           {"--min-snr 30 --precision f32", "--min-snr: is given without --precision TYPE"},
           {"--min-snr 30 --precision i8 --sensitivity", "--min-snr: is given with --sens"},
           {"--min-snr 30 --max-error 1", "--min-snr: is given with --sensitivity or --max"},
           {"--min-snr -1 --precision i8", "--min-snr: is \"-1\"; must be a finite number"},
           {"--c-source .c", "--c-source: is \".c\"; must have a name before .c"},
           {"--c-source m.cc", "--c-source: is \"m.cc\"; must end in .c"},
           {"--incbin", "--incbin requires --c-source"},
           {"--precision i4",
            "--precision: is \"i4\"; must be one of auto, f32, f16, bf16, i8, i8x8, i8x32, i4:32, "
            "i4:64, "
            "i4:128, "
            "or such a type of one layer, as decoder=f32"},
           {"--precision fc=i4", "--precision: is \"fc=i4\"; must be one of auto"},
           {"--precision =f16", "--precision: is \"=f16\"; must be one of auto"},
           {"--precision fc=", "--precision: is \"fc=\"; must be one of auto"},
           {"--precision f16 --precision f32", "--precision: is given twice for all layers"},
           {"--precision a=b=f16 --precision a=b=f32", "--precision: names \"a=b\" twice"},
           {"--c-source ''", "--c-source: is empty; must be a name"},
           {"--arena-budget max", "--arena-budget: is \"max\"; must be a number of bytes"},
           {"--precision f31", "--precision: is \"f31\"; must be one of auto"}}) {
    const Outcome outcome = Weft("convert model.xml -o model.weft " + option);
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml"}));
}

TEST_F(Call, FailsWhenStdoutCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const std::string command = "'" WEFT_COMMAND "' ops >/dev/full 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
}

TEST_F(Call, ExplainsTheNumberOfAFault) {
  const Outcome outcome = Weft("explain 34");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string first =
      "fault 34 (OperandSlot): step INDEX (KIND): operand OPERAND names slot IS; "
      "must be below MUST\n";
  EXPECT_EQ(outcome.out.substr(0, first.size()), first);
  for (const char* words : {"which step, counted from 0", "1 dense, 2 matmul", "inputs first"}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
  const auto json = nlohmann::json::parse(Weft("explain 34 --json").out);
  EXPECT_EQ(json["name"], "OperandSlot");
  EXPECT_EQ(json["numbers"].size(), 5u);
  EXPECT_EQ(Weft("explain 0").out, "fault 0 (None): no fault\n");
}

TEST_F(Call, RefusesToExplainWhatIsNoFault) {
  const Outcome unknown = Weft("explain 60000");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_EQ(unknown.out, "");
  EXPECT_EQ(
      unknown.err,
      "explain: code 60000 is not an error code of weft 0.2.0; must be a number that its runtime "
      "prints\n");
  for (const char* arguments : {"explain", "explain -1", "explain 65536", "explain x"}) {
    EXPECT_EQ(Weft(arguments).code, 2) << arguments;
  }
}

TEST_F(Call, ListsOperationsAndSteps) {
  const Outcome outcome = Weft("ops --json");
  ASSERT_EQ(outcome.code, 0);
  const auto json = nlohmann::json::parse(outcome.out);
  const auto has = [](const nlohmann::json& list, const std::string& name) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& row) { return row["name"] == name; });
  };
  for (const char* name : {"Add", "TensorIterator", "BatchToSpace", "LSTMSequence"}) {
    EXPECT_TRUE(has(json["operations"], name)) << name;
  }
  for (const char* name : {"dense", "copy", "lstm_gates"})
    EXPECT_TRUE(has(json["steps"], name)) << name;
  const Outcome text = Weft("ops");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("BatchToSpace"), std::string::npos);
}

TEST_F(Call, ListsTheOperationsThatAreNamed) {
  const Outcome outcome = Weft("ops TopK Add");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.find("GRUSequence"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("TopK"), std::string::npos) << outcome.out;
  const auto json = nlohmann::json::parse(Weft("ops Add --json").out);
  EXPECT_EQ(json["operations"].size(), 1u);
  EXPECT_TRUE(json["steps"].empty());
}

TEST_F(Call, WritesBesideTheModelUnlessToldElsewhere) {
  WriteModel(kSum);
  EXPECT_EQ(Weft("convert model.xml").code, 0);
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.weft", "model.xml"}));
}

TEST_F(Call, TakesSeveralValuesBehindOneOption) {
  WriteModel(kPair);
  const auto type_of = [&](const char* model) {
    return nlohmann::json::parse(Weft(std::string("inspect --json ") + model).out)["inputs"];
  };
  for (const char* call : {"convert --shape a=3 b=3 model.xml", "convert model.xml --shape=a=3 b=3",
                           "convert model.xml --shape a=3 --shape b=3"}) {
    const Outcome outcome = Weft(call);
    ASSERT_EQ(outcome.code, 0) << call << "\n" << outcome.err;
    for (const auto& input : type_of("model.weft")) EXPECT_EQ(input["shape"][0], 3) << call;
  }
  // The name of a model may contain "=".
  std::filesystem::rename(Path("model.xml"), Path("m=1.xml"));
  std::filesystem::rename(Path("model.bin"), Path("m=1.bin"));
  EXPECT_EQ(Weft("convert --shape a=3 b=3 m=1.xml").code, 0);
  EXPECT_EQ(type_of("m=1.weft")[0]["shape"][0], 3);
}

TEST_F(Call, TellsTheTimeOfEachPass) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.xml --verbose");
  EXPECT_EQ(outcome.code, 0);
  for (const char* pass : {"read ", "infer ", "plan ", "verify ", "all "}) {
    const size_t at = outcome.err.find(std::string("\n") + pass);
    ASSERT_NE(at, std::string::npos) << pass << outcome.err;
    const std::string line = outcome.err.substr(at + 1, outcome.err.find('\n', at + 1) - at - 1);
    EXPECT_TRUE(line.ends_with(" ms")) << line;
  }
}

}  // namespace
}  // namespace weft::cli
