// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class ConvertCommand : public CommandTest {};

TEST_F(ConvertCommand, WritesAModelAndNothingElse) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.xml -o sum.weft --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["file"], "sum.weft");
  EXPECT_EQ(json["file_bytes"], std::filesystem::file_size(Path("sum.weft")));
  EXPECT_EQ(json["state_bytes"], 0);
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml", "sum.weft"}));
}

TEST_F(ConvertCommand, GivesTheSameBytesTwice) {
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml -o a.weft").code, 0);
  ASSERT_EQ(Weft("convert model.xml -o b.weft").code, 0);
  EXPECT_EQ(Text("a.weft"), Text("b.weft"));
}

TEST_F(ConvertCommand, TakesWeightsFromElsewhere) {
  WriteModel(kSum);
  std::filesystem::rename(Path("model.bin"), Path("other.bin"));
  EXPECT_EQ(Weft("convert model.xml -o m.weft").code, 1);
  EXPECT_EQ(Weft("convert model.xml --weights other.bin -o m.weft").code, 0);
}

TEST_F(ConvertCommand, TellsEveryFaultAndLeavesNothing) {
  std::string xml(kSum);
  xml.replace(xml.find("to-port=\"1\""), 11, "to-port=\"7\"");
  xml.replace(xml.find("size=\"12\""), 9, "size=\"11\"");
  WriteModel(xml);
  const Outcome outcome = Weft("convert model.xml -o m.weft");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(
      outcome.err,
      "model.xml:5: layer 1 \"w\" (Const): size is 11 bytes but f32[3] needs 12\n"
      "model.xml:15: edge 1:0 -> 2:7: layer 2 \"sum\" (Add) has no input port 7; it has 0 1\n"
      "model.xml:7: layer 2 \"sum\" (Add): input port 1 is not connected; must have one edge\n");
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml"}));
}

TEST_F(ConvertCommand, NeverDamagesAnExistingFile) {
  WriteModel("<net name=\"m\" version=\"12\"/>");
  WriteText("m.weft", "precious");
  EXPECT_EQ(Weft("convert model.xml -o m.weft").code, 1);
  EXPECT_EQ(Text("m.weft"), "precious");
  WriteModel(kSum);
  EXPECT_EQ(Weft("convert model.xml -o nowhere/m.weft").code, 1);
  EXPECT_EQ(Entries(), (Names{"m.weft", "model.bin", "model.xml"}));
}

TEST_F(ConvertCommand, RefusesToReplaceItsInput) {
  WriteModel(kSum);
  EXPECT_EQ(Weft("convert model.xml -o model.xml").code, 2);
  EXPECT_EQ(Weft("convert model.xml -o ./model.bin").code, 2);
  EXPECT_EQ(Text("model.xml"), kSum);
}

TEST_F(ConvertCommand, InfersAgainFromAnotherShape) {
  WriteModel(kSum);
  ASSERT_EQ(Weft("convert model.xml -o m.weft --shape x=5,3").code, 0);
  const auto json = nlohmann::json::parse(Weft("inspect m.weft --json").out);
  EXPECT_EQ(json["outputs"][0]["shape"], (std::vector<int>{5, 3}));
  EXPECT_EQ(Weft("convert model.xml -o n.weft --shape x=5,4").code, 1);
  EXPECT_EQ(Weft("convert model.xml -o n.weft --shape nobody=5,4").code, 1);
  EXPECT_FALSE(std::filesystem::exists(Path("n.weft")));
}

TEST_F(ConvertCommand, KeepsToTheArenaBudget) {
  WriteModel(kSum);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --arena-budget 64K").code, 0);
  const Outcome outcome = Weft("convert model.xml -o n.weft --arena-budget 1");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.starts_with("plan: ")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(Path("n.weft")));
}

TEST_F(ConvertCommand, CutsTimeIntoTheStepsAskedFor) {
  const std::string cases = WEFT_SOURCE_DIR "/tests/conformance/cases/";
  const std::string model = "convert '" + cases + "streaming/convolutions_then_gru/model.xml'";
  for (const auto& [option, steps] :
       {std::pair<std::string, int>{"--streaming", 1}, {"--streaming=4", 4}}) {
    const Outcome outcome = Weft(model + " -o cut.weft " + option);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(Weft("inspect cut.weft --json").out);
    EXPECT_EQ(json["inputs"][0]["shape"], (nlohmann::json{2, steps, 6}));
    EXPECT_EQ(json["variables"].size(), 3u);
  }
  std::filesystem::remove(Path("cut.weft"));
  EXPECT_EQ(Weft(model + " -o cut.weft --streaming=13").code, 1);
  const Outcome outcome =
      Weft("convert '" + cases + "onnx/lstm_bidirectional/model.xml' -o cut.weft --streaming");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("needs the whole sequence (its direction is bidirectional); "
                             "--streaming must be able to cut time\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(Entries(), Names());
}

TEST_F(ConvertCommand, RefusesBinaryFilesAsModels) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.bin -o m.weft");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.starts_with("model.bin:1: broken XML: ")) << outcome.err;
}

TEST_F(ConvertCommand, SplitsScratchOverTwoMemories) {
  const Outcome outcome = Weft("convert " WEFT_SOURCE_DIR
                               "/tests/size/models/mlp.xml -o two.weft --region dtcm=256 "
                               "--region sram=1K --c-source two.c --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["scratch_bytes"], 256);
  EXPECT_EQ(json["more_scratch_bytes"], 256);
  EXPECT_EQ(Weft("verify two.weft").code, 0);
  const auto needs = nlohmann::json::parse(Weft("inspect two.weft --json").out)["needs"];
  EXPECT_EQ(needs["scratch_bytes"], 256);
  EXPECT_EQ(needs["more_scratch_bytes"][0], json["more_scratch_bytes"]);
  EXPECT_NE(Text("two.c").find("section(\".bss.dtcm\")"), std::string::npos);
  EXPECT_NE(Text("two.c").find("section(\".bss.sram\")"), std::string::npos);
}

TEST_F(ConvertCommand, RefusesRegionsThatAreNoneOrTooSmall) {
  WriteModel(kSum);
  for (const char* wrong :
       {"dtcm", "=16", "dtcm=", "dtcm=16Q", "dtcm=x", "d-t=16", "dtcm=1.5", "dtcm=-5"}) {
    const Outcome outcome = Weft(std::string("convert model.xml -o m.weft --region ") + wrong);
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_NE(outcome.err.find("must be NAME=BYTES"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(Weft("convert model.xml -o m.weft --region a=1 --region a=2").code, 2);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --region a=1 --region b=2 --region c=3").code, 2);
  const Outcome small = Weft("convert model.xml -o m.weft --region a=16 --region b=0");
  EXPECT_EQ(small.code, 1);
  EXPECT_NE(small.err.find("in region \"b\" beside 0 in \"a\" and --region b is 0"),
            std::string::npos)
      << small.err;
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml"}));
}

}  // namespace
}  // namespace weft::cli
