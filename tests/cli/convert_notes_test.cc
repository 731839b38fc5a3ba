// SPDX-License-Identifier: Apache-2.0
// Notes and warnings of `weft convert`, which it prints in addition to its summary.
#include "tests/cli/command_fixture.h"
#include "tests/converter/tflite/model_writer.h"

namespace weft::cli {
namespace {

class ConvertNotes : public CommandTest {};

TEST_F(ConvertNotes, NamesStreamingWhereTheWholeSequenceDoesNotFit) {
  const std::string model = WEFT_FIXTURES_DIR "/cases/streaming/residual_blocks/model.xml";
  const Outcome outcome = Weft("convert '" + model + "' -o m.weft --arena-budget 64");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("and --arena-budget is 64"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(model + ": with --streaming a run processes one time step and needs "),
            std::string::npos)
      << outcome.err;
  // No suggestion if the model cannot be streamed or is converted with --streaming.
  WriteModel(kSum);
  for (const std::string& call :
       {std::string("convert model.xml -o m.weft --arena-budget 1"),
        "convert '" + model + "' -o m.weft --streaming --arena-budget 1"}) {
    EXPECT_EQ(Weft(call).err.find("with --streaming"), std::string::npos) << call;
  }
  EXPECT_FALSE(std::filesystem::exists(Path("m.weft")));
}

TEST_F(ConvertNotes, PrintsNothingIfItIsQuiet) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.xml -o m.weft --quiet");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_TRUE(std::filesystem::exists(Path("m.weft")));
  const Outcome json = Weft("convert model.xml -o m.weft --quiet --json");
  EXPECT_EQ(json.out, Weft("convert model.xml -o m.weft --json").out);
  EXPECT_TRUE(json.out.starts_with("{")) << json.out;
  EXPECT_EQ(json.err, "");
}

// y = a / b of the given element type, with and without rounding down.
std::string Quotient(const std::string& type, const std::string& precision,
                     const std::string& rounds_down) {
  const std::string dims = "<dim>2</dim></port>";
  std::string layers;
  for (const std::string id : {"0", "1"}) {
    layers += "<layer id=\"" + id + "\" name=\"x" + id +
              "\" type=\"Parameter\" version=\"opset1\"><data shape=\"2\" element_type=\"" + type +
              "\"/><output><port id=\"0\" precision=\"" + precision + "\">" + dims +
              "</output></layer>";
  }
  return "<net name=\"quotient\" version=\"11\"><layers>" + layers +
         "<layer id=\"2\" name=\"y\" type=\"Divide\" version=\"opset1\"><data m_pythondiv=\"" +
         rounds_down + "\"/><input><port id=\"0\">" + dims + "<port id=\"1\">" + dims +
         "</input><output><port id=\"2\" precision=\"" + precision + "\">" + dims +
         "</output></layer><layer id=\"3\" name=\"r\" type=\"Result\" version=\"opset1\">"
         "<input><port id=\"0\">" +
         dims +
         "</input></layer></layers><edges>"
         "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>"
         "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\"/>"
         "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" to-port=\"0\"/></edges></net>";
}

TEST_F(ConvertNotes, WarnOfQuotientsThatRoundDown) {
  const std::string words = "m_pythondiv is true and an operand may be negative";
  WriteModel(Quotient("i32", "I32", "true"));
  EXPECT_NE(Weft("convert model.xml -o m.weft").err.find(words), std::string::npos);
  WriteModel(Quotient("i32", "I32", "false"));
  EXPECT_EQ(Weft("convert model.xml -o m.weft").err.find(words), std::string::npos);
  for (const auto& [type, precision] : {std::pair("u8", "U8"), std::pair("f32", "FP32")}) {
    WriteModel(Quotient(type, precision, "true"));
    const Outcome outcome = Weft("convert model.xml -o m.weft");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find(words), std::string::npos) << type;
  }
}

TEST_F(ConvertNotes, WarnOfPortsThatAreF64) {
  const std::string words =
      "f64 is computed as f32, with fewer digits and a smaller range: "
      "input \"x0\", input \"x1\", output \"r\"";
  WriteModel(Quotient("f64", "FP64", "true"));
  const Outcome outcome = Weft("convert model.xml -o m.weft");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  WriteModel(Quotient("f32", "FP32", "true"));
  EXPECT_EQ(Weft("convert model.xml -o m.weft").err.find("f64"), std::string::npos);
}

// If two plans have the same cost, only the smaller one is listed.
TEST_F(ConvertNotes, ShowsNoPlanThatCostsAsMuchAsASmallerOne) {
  const auto curve_of = [&](const std::string& name) {
    const std::string model = "'" WEFT_FIXTURES_DIR "/cases/" + name + "/model.xml'";
    return nlohmann::json::parse(Weft("convert " + model + " -o m.weft --json").out)["curve"];
  };
  for (const char* name : {"exports/keras_lstm_hard_sigmoid", "exports/onnx_loop_gru"}) {
    const auto curve = curve_of(name);
    ASSERT_GE(curve.size(), 2u);
    for (size_t i = 1; i < curve.size(); ++i) {
      EXPECT_GT(curve[i]["cost"], curve[i - 1]["cost"]);
      EXPECT_LT(curve[i]["scratch_bytes"], curve[i - 1]["scratch_bytes"]);
    }
  }
  // Fused loops need less scratch and cost no more than separate ones.
  for (const char* name : {"ti/stacked_lstm_rnn", "exports/keras_stacked_gru_lstm"}) {
    EXPECT_TRUE(curve_of(name).back()["fuses_loops"]) << name;
  }
}

// Memory is plentiful on a desktop. A budget overrides the target.
TEST_F(ConvertNotes, ChoosesTheFastestPlanForADesktop) {
  const std::string convert =
      "convert '" WEFT_FIXTURES_DIR
      "/cases/sequence/gru_blocks_forward_t7_i9_h64/model.xml' -o m.weft --json";
  const auto scratch = [&](const std::string& more) {
    return nlohmann::json::parse(Weft(convert + more).out)["scratch_bytes"].get<int64_t>();
  };
  const int64_t fastest = scratch(" --arena-budget fastest"), balanced = scratch("");
  ASSERT_GT(fastest, balanced);
  EXPECT_EQ(scratch(" --target x86-64"), fastest);
  EXPECT_EQ(scratch(" --target cortex-m4f"), balanced);
  EXPECT_EQ(scratch(" --target x86-64 --arena-budget min"), scratch(" --arena-budget min"));
}

TEST_F(ConvertNotes, NameTheShapeThatAFileLeavesOpen) {
  tflite::ModelWriter model = tflite::DenseModel();
  model.tensors[0].dims = {1, 1};
  model.tensors[0].signature = {-1, -1};
  const auto write = [&] {
    const std::vector<std::byte> bytes = model.Bytes();
    WriteText("m.tflite", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  };
  write();
  const std::string advice =
      "m.tflite: input \"audio\" has unknown dims, and the file stores f32[1,1] for them; must "
      "have a shape: --shape audio=1,N\n";
  EXPECT_TRUE(Weft("convert m.tflite").err.ends_with(advice)) << Weft("convert m.tflite").err;
  EXPECT_EQ(Weft("convert m.tflite --shape audio=1,3").code, 0);
  EXPECT_EQ(Weft("convert m.tflite --shape audio=1,4").err.find("unknown dims"), std::string::npos);
  model.tensors[0].signature = {-1, 1};  // only the batch is unknown
  write();
  EXPECT_EQ(Weft("convert m.tflite").err.find("unknown dims"), std::string::npos);
}

TEST_F(ConvertNotes, SayNothingOnFloorDiv) {
  const Outcome outcome =
      Weft("convert '" WEFT_FIXTURES_DIR
           "/tflite/elementwise/integers_floor_div_i32/model.tflite' -o m.weft");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace weft::cli
