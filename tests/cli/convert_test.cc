// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class ConvertCommand : public CommandTest {};

// sum += x[t] * gain over the 5 rows of x.
constexpr std::string_view kLoop = R"(<net name="loop" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="5,2" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>5</dim><dim>2</dim></port></output></layer>
<layer id="1" name="gain" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32" names="gain"><dim>2</dim></port></output></layer>
<layer id="2" name="start" type="Parameter" version="opset1"><data shape="1,2" element_type="f32"/>
<output><port id="0" precision="FP32" names="start"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="3" name="loop" type="TensorIterator" version="opset1">
<port_map>
<input external_port_id="0" internal_layer_id="0" axis="0"/>
<input external_port_id="1" internal_layer_id="1"/>
<input external_port_id="2" internal_layer_id="2"/>
<output external_port_id="3" internal_layer_id="5" axis="0"/>
<output external_port_id="4" internal_layer_id="5"/>
</port_map>
<back_edges><edge from-layer="5" to-layer="2"/></back_edges>
<input><port id="0"><dim>5</dim><dim>2</dim></port><port id="1"><dim>2</dim></port>
<port id="2"><dim>1</dim><dim>2</dim></port></input>
<output><port id="3" precision="FP32" names="sums"><dim>5</dim><dim>2</dim></port>
<port id="4" precision="FP32" names="total"><dim>1</dim><dim>2</dim></port></output>
<body>
<layers>
<layer id="0" name="row" type="Parameter" version="opset1"><data shape="1,2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="1" name="g" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="sum" type="Parameter" version="opset1"><data shape="1,2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="3" name="louder" type="Multiply" version="opset1">
<input><port id="0"><dim>1</dim><dim>2</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="4" name="more" type="Add" version="opset1">
<input><port id="0"><dim>1</dim><dim>2</dim></port><port id="1"><dim>1</dim><dim>2</dim></port></input>
<output><port id="2" precision="FP32"><dim>1</dim><dim>2</dim></port></output></layer>
<layer id="5" name="next" type="Result" version="opset1">
<input><port id="0"><dim>1</dim><dim>2</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="2" from-port="0" to-layer="4" to-port="0"/>
<edge from-layer="3" from-port="2" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>
</edges>
</body></layer>
<layer id="4" name="a" type="Result" version="opset1">
<input><port id="0"><dim>5</dim><dim>2</dim></port></input></layer>
<layer id="5" name="b" type="Result" version="opset1">
<input><port id="0"><dim>1</dim><dim>2</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="3" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="2" from-port="0" to-layer="3" to-port="2"/>
<edge from-layer="3" from-port="3" to-layer="4" to-port="0"/>
<edge from-layer="3" from-port="4" to-layer="5" to-port="0"/>
</edges>
</net>
)";

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
  EXPECT_EQ(Weft("convert model.xml -o n.weft --shape absent=5,4").code, 2);
  EXPECT_FALSE(std::filesystem::exists(Path("n.weft")));
}

TEST_F(ConvertCommand, MakesAnInputAConstant) {
  WriteModel(kPair);
  WriteArray<int64_t>("b=.npy", ElementType::i64, {2}, {40, 50});
  ASSERT_EQ(Weft("convert model.xml -o m.weft --value b=b=.npy").code, 0);
  const auto json = nlohmann::json::parse(Weft("inspect m.weft --json").out);
  ASSERT_EQ(json["inputs"].size(), 1u);
  EXPECT_EQ(json["inputs"][0]["name"], "a");
  WriteArray<int64_t>("a.npy", ElementType::i64, {2}, {1, 2});
  ASSERT_EQ(Weft("run m.weft --input a=a.npy --output-dir out").code, 0);
  EXPECT_EQ(ReadElements<int64_t>("out/net_sum_0.npy", "i64[2]"), (std::vector<int64_t>{41, 52}));
}

TEST_F(ConvertCommand, RefusesValuesThatAreNone) {
  WriteModel(kPair);
  WriteFloats("b.npy", {2}, {4, 5});
  EXPECT_EQ(Weft("convert model.xml -o m.weft --value b=b.npy").err,
            "--value: input \"b\": is f32[2]; must be i64[2]\n");
  EXPECT_EQ(Weft("convert model.xml -o m.weft --value b=absent.npy").code, 1);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --value b").code, 2);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --value =b.npy").code, 2);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --value b=b.npy --value b=b.npy").code, 2);
  EXPECT_EQ(Weft("convert model.xml -o b.npy --value b=b.npy").code, 2);
  EXPECT_FALSE(std::filesystem::exists(Path("m.weft")));
}

TEST_F(ConvertCommand, KeepsToTheArenaBudget) {
  WriteModel(kSum);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --arena-budget 64K").code, 0);
  const Outcome outcome = Weft("convert model.xml -o n.weft --arena-budget 1");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.starts_with("plan: ")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(Path("n.weft")));
}

TEST_F(ConvertCommand, ClaimsNoBoundThatABudgetGoesBelow) {
  const std::string model =
      "'" WEFT_FIXTURES_DIR "/cases/sequence/gru_blocks_forward_t7_i9_h64/model.xml'";
  const std::string convert = "convert " + model + " -o m.weft";
  const auto free = nlohmann::json::parse(Weft(convert + " --json --arena-budget fastest").out);
  const int64_t bound = free["scratch_bound_bytes"];
  const Outcome less = Weft(convert + " --json --arena-budget " + std::to_string(bound - 1));
  ASSERT_EQ(less.code, 0) << less.err;
  EXPECT_LT(nlohmann::json::parse(less.out)["scratch_bytes"], bound);
  const Outcome outcome = Weft(convert);
  EXPECT_EQ(outcome.out.find("no plan"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("for this order of steps"), std::string::npos) << outcome.out;
}

TEST_F(ConvertCommand, TellsWhatBecameOfWeights) {
  const std::string convert =
      "convert '" WEFT_FIXTURES_DIR "/cases/half_weights/beside_floats/model.xml' -o m.weft";
  const auto text = [&](const std::string& options) {
    const Outcome outcome = Weft(convert + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const size_t first = outcome.out.find("weights: ");
    return outcome.out.substr(first, outcome.out.find('\n', first) - first);
  };
  EXPECT_EQ(text(""), "weights: 3552 bytes as f16 (exact), 14400 as f32");
  EXPECT_EQ(text(" --precision auto"), "weights: 3552 bytes as f16 (exact), 14400 as f32");
  EXPECT_EQ(text(" --precision f32"), "weights: 21504 bytes as f32");
  EXPECT_EQ(text(" --precision f16"), "weights: 7200 bytes as f16 (rounded), 3552 as f16 (exact)");
  EXPECT_EQ(text(" --precision bf16 --precision MatMul_1=f32"),
            "weights: 7200 bytes as bf16 (rounded), 7104 as f32");
  EXPECT_EQ(text(" --precision i8"), "weights: 6272 bytes as i8 (rounded)");
  EXPECT_EQ(text(" --precision i8x8"), "weights: 6272 bytes as i8x8 (rounded)");
  const auto of_bytes = nlohmann::json::parse(Weft(convert + " --json --precision i8x8").out);
  for (const auto& layer : of_bytes["weights_by_layer"]) EXPECT_EQ(layer["type"], "i8x8");
  EXPECT_NE(Weft("inspect m.weft --listing").out.find("precision=i8x8"), std::string::npos);
  EXPECT_NE(Weft("inspect m.weft --budget").out.find("i8x8["), std::string::npos);
  const auto integers = nlohmann::json::parse(Weft(convert + " --json --precision i8").out);
  EXPECT_NE(Weft("inspect m.weft --listing").out.find("precision=i8"), std::string::npos);
  EXPECT_EQ(Weft("inspect m.weft --listing --budget").out.find("i8x8"), std::string::npos);
  for (const auto& layer : integers["weights_by_layer"]) {
    EXPECT_EQ(layer["type"], "i8");
    EXPECT_LT(layer["bytes"], layer["bytes_before"]);
    EXPECT_GT(layer["signal_to_noise_db"], 40);
  }
  const auto json = nlohmann::json::parse(Weft(convert + " --json").out);
  EXPECT_EQ(json["weights"][0],
            nlohmann::json({{"type", "f16"}, {"exact", true}, {"bytes", 3552}}));
  const Outcome unknown = Weft(convert + " --precision decoder=f32");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("names layer \"decoder\""), std::string::npos) << unknown.err;
}

TEST_F(ConvertCommand, KeepsIntegersThatDataOfIntegersIsMultipliedBy) {
  const std::string convert =
      "convert '" WEFT_FIXTURES_DIR
      "/cases/quantised/add_relu/model.xml' -o m.weft --precision MatMul_21=";
  for (const char* type : {"f16", "bf16", "i4:32"}) {
    const Outcome outcome = Weft(convert + type);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("they stay integers, unless --precision names it"),
              std::string::npos)
        << outcome.err;
  }
  for (const char* type : {"f32", "i8", "i8x8", "auto"}) {
    const Outcome outcome = Weft(convert + type);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err.find("they stay integers"), std::string::npos) << outcome.err;
  }
}

TEST_F(ConvertCommand, WarnsWhereATargetCannotConvertItsWeights) {
  const std::string convert =
      "convert '" WEFT_FIXTURES_DIR "/cases/half_weights/beside_floats/model.xml' -o m.weft";
  const auto warnings = [&](const std::string& options) {
    const Outcome outcome = Weft(convert + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const size_t first = outcome.err.find("warning: ");
    return first == std::string::npos ? "" : outcome.err.substr(first);
  };
  EXPECT_EQ(
      warnings(" --target riscv64-linux"),
      "warning: riscv64-linux has no instruction that converts f16: layers with f16 weights need 7 "
      "times the instructions of f32; use --precision f32\n");
  EXPECT_EQ(warnings(""), "");
  EXPECT_EQ(warnings(" --target cortex-m4f"), "");
  for (const std::string type : {"f32", "bf16"}) {
    EXPECT_EQ(warnings(" --target riscv64-linux --precision " + type), "") << type;
  }
  for (const std::string type : {"i8", "i8x8", "i8x32", "i4:32"}) {
    EXPECT_EQ(warnings(" --target riscv64-linux --precision " + type),
              "warning: riscv64-linux has no integer dot-product instruction: integer weights "
              "reduce size but run slower than f32\n")
        << type;
    EXPECT_EQ(warnings(" --target cortex-m4f --precision " + type), "") << type;
  }
  // The start of a name is not accepted: cortex-m5 is another processor than cortex-m55. The preset
  // of the sanitizers is not a processor.
  for (const std::string name :
       {"cortex-m5", "cortex-m4", "x86", "armv7", "riscv64", "cortex-m0", "cortex-m", "asan"}) {
    const Outcome unknown = Weft(convert + " --target " + name);
    EXPECT_EQ(unknown.code, 2) << name;
    EXPECT_NE(unknown.err.find("--target: is \"" + name + "\"; "), std::string::npos)
        << unknown.err;
    EXPECT_NE(unknown.err.find("must be one of x86-64, aarch64-linux"), std::string::npos)
        << unknown.err;
  }
  EXPECT_EQ(Weft(convert + " --target ''").code, 2);
  EXPECT_NE(Weft(convert + " --target cortex-m4").err.find("did you mean \"cortex-m4f\"? "),
            std::string::npos);
}

TEST_F(ConvertCommand, ShowsTheCurveAndFollowsIt) {
  const std::string model =
      "'" WEFT_FIXTURES_DIR "/cases/sequence/gru_blocks_forward_t7_i9_h64/model.xml'";
  const std::string convert = "convert " + model + " -o m.weft";
  const auto scratch = [&](const std::string& more) {
    return nlohmann::json::parse(Weft(convert + " --json" + more).out)["scratch_bytes"]
        .get<int64_t>();
  };
  const auto curve = nlohmann::json::parse(Weft(convert + " --json").out)["curve"];
  ASSERT_GE(curve.size(), 2u);
  int64_t last = INT64_MAX, chosen = 0;
  for (const auto& point : curve) {
    const int64_t bytes = point["scratch_bytes"];
    EXPECT_LT(bytes, last);
    EXPECT_EQ(scratch(" --arena-budget " + std::to_string(bytes)), bytes);
    if (chosen == 0 && bytes <= 2 * curve.back()["scratch_bytes"].get<int64_t>()) chosen = bytes;
    EXPECT_EQ(point["chosen"], bytes == chosen);
    last = bytes;
  }
  EXPECT_EQ(scratch(""), chosen);
  EXPECT_EQ(scratch(" --arena-budget min"), curve.back()["scratch_bytes"]);
  EXPECT_EQ(scratch(" --arena-budget fastest"), curve.front()["scratch_bytes"]);
  const std::string text = Weft(convert).out;
  for (const char* word : {"\nplan ", "\nsmallest ", "\nchosen ", "\nfastest ", " estimated time ",
                           " weights read per run "}) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
}

TEST_F(ConvertCommand, PutsDumpsIntoItsJson) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.xml -o m.weft --dump-after lower --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.out;
  EXPECT_EQ(json["dump"], Weft("convert model.xml -o m.weft --dump-after lower")
                              .out.substr(0, json["dump"].get<std::string>().size()));
}

TEST_F(ConvertCommand, ListsItsPasses) {
  const Outcome outcome = Weft("convert --dump-after list");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* words :
       {"\ngraph    read ", "\nprogram  lower ", "\nplan     plan ", "\nfile     verify ",
        "\ngraph      formulas.norm ", "\nplan       plan.hoist "}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
  const std::string names = outcome.out;
  for (const char* call :
       {"convert --dump-after list --json", "convert --json --dump-after list"}) {
    const Outcome rows = Weft(call);
    EXPECT_EQ(rows.code, 0) << rows.err;
    const auto passes = nlohmann::json::parse(rows.out);
    EXPECT_EQ(passes[0], nlohmann::json::parse(R"({"stage": "graph", "pass": "read",
        "is_part": false, "description": "reads the model file into a graph"})"));
    EXPECT_EQ(std::ssize(passes), std::count(names.begin(), names.end(), '\n') - 1);
  }
}

// The name is checked before the model is read.
TEST_F(ConvertCommand, RefusesAPassThatIsNotThere) {
  const Outcome outcome = Weft("convert absent.xml -o m.weft --dump-after frob");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err,
            "weft convert: --dump-after: is \"frob\"; must be a pass of --dump-after list\n");
  const Outcome part = Weft("convert absent.xml -o m.weft --dump-after plan.hoistt");
  EXPECT_NE(part.err.find("did you mean \"plan.hoist\"?"), std::string::npos) << part.err;
  for (const std::string options : {"--dump-after all", "--dump-to passes"}) {
    EXPECT_EQ(Weft("convert absent.xml -o m.weft " + options).code, 2) << options;
  }
  EXPECT_TRUE(Entries().empty());
}

TEST_F(ConvertCommand, DumpsEveryPassIntoAFolder) {
  WriteModel(kSum);
  const Outcome outcome = Weft("convert model.xml -o m.weft --dump-after all --dump-to a/passes");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, Weft("convert model.xml -o m.weft").out);
  const auto text = [&](const std::string& pass) {
    const Outcome dumped = Weft("convert model.xml -o m.weft --dump-after " + pass + " --json");
    return nlohmann::json::parse(dumped.out)["dump"].get<std::string>();
  };
  EXPECT_EQ(Text("a/passes/01-read.txt"), text("read"));
  EXPECT_EQ(Text("a/passes/06-infer.txt"), text("infer"));
  EXPECT_EQ(Text("a/passes/27-plan.txt"), text("plan"));
  EXPECT_EQ(Text("a/passes/27-plan.02-hoist.txt"), text("plan.hoist"));
  EXPECT_EQ(Text("a/passes/29-verify.txt"), text("verify"));
  ASSERT_EQ(Weft("convert model.xml -o m.weft --dump-after lower --dump-to one").code, 0);
  EXPECT_EQ(Text("one/19-lower.txt"), text("lower"));
}

TEST_F(ConvertCommand, KeepsTheDumpsBeforeAFault) {
  std::string model(kSum);
  model.replace(model.find("\"Add\""), 5, "\"Odd\"");
  WriteModel(model);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --dump-after all --dump-to passes").code, 1);
  EXPECT_NE(Text("passes/03-resolve.txt"), "");
  EXPECT_EQ(Text("passes/06-infer.txt"), "");
}

TEST_F(ConvertCommand, RefusesAFolderForDumpsThatCannotBe) {
  WriteModel(kSum);
  const Outcome outcome =
      Weft("convert model.xml -o m.weft --dump-after all --dump-to model.xml/passes");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("model.xml/passes: cannot be created: "), std::string::npos)
      << outcome.err;
  EXPECT_EQ(Weft("convert model.xml -o passes/01-read.txt --dump-after all --dump-to passes").code,
            2);
}

TEST_F(ConvertCommand, TakesAFoldBudgetInBytesOrUnits) {
  WriteModel(kSum);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --fold-budget 4G").code, 0);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --fold-budget 1073741824").code, 0);
  EXPECT_EQ(Weft("convert model.xml -o m.weft --fold-budget some").code, 2);
}

TEST_F(ConvertCommand, CutsTimeIntoTheStepsAskedFor) {
  const std::string cases = WEFT_FIXTURES_DIR "/cases/";
  const std::string model = "convert '" + cases + "streaming/convolutions_then_gru/model.xml'";
  for (const auto& [option, steps] : {std::pair<std::string, int>{"--streaming", 1},
                                      {"--streaming=4", 4},
                                      {"--streaming 4", 4}}) {
    const Outcome outcome = Weft(model + " -o cut.weft " + option);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(Weft("inspect cut.weft --json").out);
    EXPECT_EQ(json["inputs"][0]["shape"], (nlohmann::json{2, steps, 6}));
    EXPECT_EQ(json["variables"].size(), 5u);
  }
  std::filesystem::remove(Path("cut.weft"));
  EXPECT_EQ(Weft(model + " -o cut.weft --streaming=13").code, 2);
  const Outcome outcome =
      Weft("convert '" + cases + "onnx/lstm_bidirectional/model.xml' -o cut.weft --streaming");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("needs the full sequence (its direction is bidirectional); "
                             "--streaming must be able to run it step by step\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(Entries(), Names());
}

// A GRU over 12 steps between causal convolutions, with an output of its last state.
TEST_F(ConvertCommand, TellsWhatItCut) {
  const std::string cases = WEFT_FIXTURES_DIR "/cases/";
  const std::string call =
      "convert '" + cases + "streaming/convolutions_then_gru/model.xml' -o cut.weft --streaming=4";
  const Outcome outcome = Weft(call);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(
      WithoutSummary(outcome.out),
      "streaming: 4 of 12 time steps per run\n"
      "  input  \"x0\" f32[2,4,6]: time axis 1, 4 of 12 positions per run\n"
      "  output \"y0\" f32[2,4,5]: time axis 1, 4 of 12 positions per run\n"
      "  state  \"Convolution_3/past\" 96 bytes: the last 2 positions of the input of layer 4 "
      "\"Convolution_3\"\n"
      "  state  \"Convolution_3/start\" 4 bytes: the index of the oldest position in the past of "
      "layer 4 \"Convolution_3\"\n"
      "  state  \"Convolution_6/past\" 256 bytes: the last 4 positions of the input of layer 7 "
      "\"Convolution_6\"\n"
      "  state  \"Convolution_6/start\" 4 bytes: the index of the oldest position in the past of "
      "layer 7 \"Convolution_6\"\n"
      "  state  \"GRUSequence_15/hidden\" 72 bytes: hidden state of layer 16 "
      "\"GRUSequence_15\"\n"
      "  each output depends on all time steps so far\n"
      "  states: 432 bytes, in memory each rounded up to a multiple of 16; lower bound 424 "
      "bytes\n");
  const Outcome as_json = Weft(call + " --json");
  ASSERT_EQ(as_json.code, 0) << as_json.err;
  EXPECT_EQ(as_json.err, "");
  const auto json = nlohmann::json::parse(as_json.out)["streamed"];
  EXPECT_EQ(json["steps"], 4);
  EXPECT_EQ(json["of"], 12);
  EXPECT_EQ(json["inputs"],
            nlohmann::json::parse(
                R"([{"name": "x0", "type": "f32[2,4,6]", "axis": 1, "positions": 4, "of": 12}])"));
  EXPECT_EQ(json["states"][4]["bytes"], 72);
  EXPECT_EQ(json["state_bytes"], 432);
  EXPECT_EQ(json["min_state_bytes"], 424);
  EXPECT_TRUE(json["receptive_steps"].is_null());
  EXPECT_EQ(json["outputs"][0]["latency"], 0);
  EXPECT_EQ(json["whole"], nlohmann::json::array());
}

// Convolutions with strides: a step is several positions.
TEST_F(ConvertCommand, TellsThePlacesOfAStep) {
  const Outcome outcome =
      Weft("convert '" WEFT_FIXTURES_DIR
           "/cases/convolution/2d_stride2/model.xml' -o cut.weft --streaming=2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* words : {"of 16 positions per run (2 per time step)\n",
                            "  each output depends on 2 time steps, including its own\n"}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
}

TEST_F(ConvertCommand, TellsWhatStaysWholeAndWhatIsToldSoFar) {
  WriteModel(kLoop);
  const Outcome outcome = Weft("convert model.xml -o cut.weft --streaming");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(WithoutSummary(outcome.out),
            "streaming: 1 of 5 time steps per run\n"
            "  input  \"x\" f32[1,2]: time axis 0, 1 of 5 positions per run\n"
            "  fixed  \"gain\" f32[2]: read in every run\n"
            "  fixed  \"start\" f32[1,2]: initial state, read only in the first run after a reset\n"
            "  output \"sums\" f32[1,2]: time axis 0, 1 of 5 positions per run\n"
            "  output \"total\" f32[1,2]: result of all time steps so far\n"
            "  state  \"loop/sum\" 8 bytes: carried value \"sum\" of layer 3 \"loop\"; "
            "initialised by layer 2 \"start\" in the first run after a reset\n"
            "  state  \"loop/sum is set\" 1 bytes: whether state \"loop/sum\" has its initial "
            "value\n"
            "  each output depends on all time steps so far\n"
            "  states: 9 bytes, in memory each rounded up to a multiple of 16; lower bound 8 "
            "bytes\n");
  const auto json =
      nlohmann::json::parse(Weft("convert model.xml -o cut.weft --streaming --json").out);
  EXPECT_EQ(json["streamed"]["whole"][1]["name"], "start");
  EXPECT_EQ(json["streamed"]["outputs"][1]["so_far"], true);
}

TEST_F(ConvertCommand, RefusesToCutALoopThatUsesItsCounter) {
  const Outcome outcome = Weft("convert '" WEFT_FIXTURES_DIR
                               "/cases/flat/every_other_row/model.xml' -o cut.weft --streaming");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(
      outcome.err.find(
          "layer 8 \"Gather_12\" (Gather): needs the full sequence (input 1 is computed from the "
          "iteration counter \"Parameter_3\" of layer 5 \"Loop_2\"); --streaming must be able "
          "to run it step by step\n"),
      std::string::npos)
      << outcome.err;
  EXPECT_EQ(Entries(), Names());
}

TEST_F(ConvertCommand, RefusesBinaryFilesAsModels) {
  WriteModel(kSum);
  std::filesystem::rename(Path("model.bin"), Path("model.data"));
  const Outcome outcome = Weft("convert model.data -o m.weft");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "model.data: has no XML element; must be the XML of an OpenVINO IR\n");
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

TEST_F(ConvertCommand, SplitsScratchOverFourMemories) {
  const std::string model = "convert " WEFT_SOURCE_DIR "/tests/size/models/gru.xml ";
  const Outcome outcome =
      Weft(model +
           "-o four.weft --region a=256 --region b=512 --region c=16K --region d=64K "
           "--self-test 2 --c-source four.c --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& regions = json["scratch_bytes_by_region"];
  ASSERT_EQ(regions.size(), 4u);
  const std::string names = "abcd";
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(regions[i]["region"], names.substr(i, 1));
    EXPECT_GT(regions[i]["bytes"], 0) << i;
    EXPECT_NE(Text("four.c").find("section(\".bss." + names.substr(i, 1) + "\")"),
              std::string::npos);
  }
  EXPECT_LE(regions[0]["bytes"], 256);
  EXPECT_LE(regions[1]["bytes"], 512);
  EXPECT_LE(regions[2]["bytes"], 16384);
  EXPECT_NE(Text("four.h").find("{four_more_scratch3"), std::string::npos) << Text("four.h");
  EXPECT_EQ(Weft("verify four.weft").code, 0);
  ASSERT_EQ(Weft(model + "-o one.weft").code, 0);
  std::vector<float> x;
  for (int i = 0; i < 100 * 32; ++i) x.push_back(0.01f * static_cast<float>(i * 37 % 199 - 99));
  WriteFloats("x.npy", {1, 100, 32}, x);
  EXPECT_EQ(Weft("compare four.weft one.weft --input 0=x.npy --atol 0 --rtol 0").code, 0);
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
  const Outcome many = Weft(
      "convert model.xml -o m.weft --region a=1 --region b=2 --region c=3 --region d=4 --region "
      "e=5");
  EXPECT_EQ(many.code, 2);
  EXPECT_NE(many.err.find("is given 5 times; must be given at most 4"), std::string::npos)
      << many.err;
  const Outcome small = Weft("convert model.xml -o m.weft --region a=16 --region b=0");
  EXPECT_EQ(small.code, 1);
  EXPECT_NE(small.err.find("in region \"b\" in addition to 0 in \"a\" and --region b is 0"),
            std::string::npos)
      << small.err;
  EXPECT_EQ(Entries(), (Names{"model.bin", "model.xml"}));
}

}  // namespace
}  // namespace weft::cli
