// SPDX-License-Identifier: Apache-2.0
// inspect, verify and bench, and the errors of all commands for a modified file.
#include <fmt/format.h>

#include <tuple>

#include "runtime/weft.h"
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class InspectCommand : public CommandTest {};

TEST_F(InspectCommand, PrintsPortsNeedsAndSteps) {
  Convert(kCounter);
  const Outcome outcome = Weft("inspect model.weft --json --listing");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["inputs"][0]["names"], (Names{"x", "x_layer"}));
  EXPECT_EQ(json["inputs"][0]["type"], "f32");
  EXPECT_EQ(json["outputs"][0]["name"], "total");
  EXPECT_EQ(json["outputs"][0]["shape"], (std::vector<int>{2}));
  EXPECT_GE(json["needs"]["state_bytes"], 8);
  ASSERT_EQ(json["variables"].size(), 1u);
  EXPECT_EQ(json["variables"][0]["type"], "f32[2]");
  EXPECT_EQ(json["steps"]["binary"], 1);
  size_t steps = 0;
  for (const auto& [kind, count] : json["steps"].items()) steps += count.get<size_t>();
  EXPECT_EQ(json["listing"].size(), steps);
}

TEST_F(InspectCommand, PrintsTablesForPeople) {
  Convert(kSum);
  const Outcome outcome = Weft("inspect model.weft --listing");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* words :
       {"input 0", "x, alias", "f32[2,3]", "bytes copied or filled per run: 0\n", "op=add"}) {
    EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
  }
}

TEST_F(InspectCommand, TellsTheBudget) {
  const std::string model =
      "'" WEFT_FIXTURES_DIR "/cases/document/lstm_document_i16_h17_t7/model.xml'";
  ASSERT_EQ(Weft("convert " + model + " -o model.weft --self-test 1 --arena-budget fastest").code,
            0);
  const Outcome outcome = Weft("inspect model.weft --budget --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& budget = json["budget"];
  EXPECT_EQ(budget["flash_bytes"], std::filesystem::file_size(Path("model.weft")));
  size_t flash = 0;
  for (const auto& part : budget["flash"]) flash += part["bytes"].get<size_t>();
  EXPECT_EQ(flash, budget["flash_bytes"]);
  EXPECT_EQ(budget["state_bytes"], json["needs"]["state_bytes"]);
  EXPECT_EQ(budget["scratch"][0]["bytes"], json["needs"]["scratch_bytes"]);
  EXPECT_LE(budget["scratch"][0]["peak"]["bytes"], budget["scratch"][0]["bytes"]);
  EXPECT_GT(budget["stack_bytes"], 0);
  // 16 inputs, 17 hidden, 7 steps; the weights of the input and of the state.
  EXPECT_EQ(budget["work"]["multiply_adds"], (16 + 17) * 4 * 17 * 7);
  EXPECT_EQ(budget["work"]["exact"], true);
  // One step computes both products of an iteration.
  EXPECT_EQ(budget["largest_steps"][0]["multiply_adds"], (16 + 17) * 4 * 17 * 7);
  EXPECT_EQ(budget["largest_weights"][0]["bytes"], (16 + 17) * 80 * 4);
  EXPECT_FALSE(nlohmann::json::parse(Weft("inspect model.weft --json").out).contains("budget"));
  const Outcome text = Weft("inspect model.weft --budget");
  ASSERT_EQ(text.code, 0);
  for (const char* words :
       {"self test", "total", "work per run: 7 steps, 15708 multiply-adds", "largest weights"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
}

// The bound of a run is the sum of its parts; no number is printed if a part has none.
TEST_F(InspectCommand, SumsTheBoundsOfInstructions) {
  for (const char* name : {"mlp", "lstm", "dscnn"}) {
    SCOPED_TRACE(name);
    const std::string model = std::string("'" WEFT_SOURCE_DIR "/tests/size/models/") + name;
    ASSERT_EQ(Weft("convert " + model + ".xml' -o model.weft").code, 0);
    for (const std::string core : {"cortex-m4f", "cortex-m55"}) {
      const auto facts =
          nlohmann::json::parse(Weft("inspect model.weft --json --target " + core).out);
      const auto& bound = facts["instructions"];
      double sum = bound["engine"], without = 0;
      for (const auto& step : bound["steps"]) {
        EXPECT_EQ(step["max"].is_null(), step["depends_on_data"].is_null());
        EXPECT_EQ(step["max"].is_null(), step["excess"].is_null());
        if (step["max"].is_null()) {
          ++without;
        } else {
          sum += step["max_per_run"].get<double>();
        }
      }
      EXPECT_EQ(bound["steps_without_bound"], without);
      EXPECT_EQ(bound["max"].is_null(), without != 0);
      const std::string text = Weft("inspect model.weft --target " + core).out;
      EXPECT_NE(text.find("instructions per run on " + core), std::string::npos) << text;
      EXPECT_EQ(text.find("no bound") != std::string::npos, without != 0) << text;
      if (without != 0) continue;
      EXPECT_NEAR(bound["max"].get<double>(), sum,
                  1.0 + static_cast<double>(bound["steps"].size()));
    }
  }
  EXPECT_FALSE(
      nlohmann::json::parse(Weft("inspect model.weft --json").out).contains("instructions"));
}

TEST_F(InspectCommand, RejectsACoreWithoutBounds) {
  const Outcome outcome = Weft("inspect model.weft --target cortex-m5");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--target: is \"cortex-m5\"; must be one of cortex-m"),
            std::string::npos)
      << outcome.err;
}

// A GRU over 12 steps between causal convolutions.
TEST_F(InspectCommand, TellsThePlanInOneLineAndInAPicture) {
  const std::string model =
      "'" WEFT_FIXTURES_DIR "/cases/document/lstm_document_i16_h17_t7/model.xml'";
  const auto converted =
      nlohmann::json::parse(Weft("convert " + model + " -o model.weft --json").out);
  const auto json = nlohmann::json::parse(Weft("inspect model.weft --plan --json").out);
  const auto& plan = json["plan"];
  EXPECT_EQ(plan["arena_bytes"][0], converted["scratch_bytes"]);
  EXPECT_EQ(plan["bound_bytes"], converted["scratch_bound_bytes"]);
  EXPECT_EQ(plan["proof"], converted["scratch_proof"]);
  for (const auto& buffer : plan["buffers"]) {
    EXPECT_LE(buffer["offset"].get<int64_t>() + buffer["bytes"].get<int64_t>(),
              plan["arena_bytes"][0]);
    EXPECT_LE(buffer["first_step"], buffer["last_step"]);
    EXPECT_EQ(buffer["live"].front()[0], buffer["first_step"]);
    EXPECT_EQ(buffer["live"].back()[1], buffer["last_step"]);
    EXPECT_NE(buffer["name"], "");
  }
  // At most the size of the input.
  EXPECT_LE(plan["ports_shared_bytes"], 7 * 16 * 4);
  const std::string text = Weft("inspect model.weft --plan").out;
  const std::string line = plan["line"];
  EXPECT_TRUE(text.starts_with(line + "\n")) << text;
  EXPECT_EQ(
      line,
      fmt::format("scratch {0} bytes, proven minimum for this order of steps (bound {0}) | state "
                  "0 bytes | copied per run 0 bytes | weights {1} bytes",
                  plan["arena_bytes"][0].get<int64_t>(), plan["weights_bytes"].get<int64_t>()));
  EXPECT_NE(text.find(fmt::format("\noutputs overlap inputs by {} bytes; ",
                                  plan["ports_shared_bytes"].get<int64_t>())),
            std::string::npos)
      << text;
  size_t begin = text.find('\n') + 1;
  for (size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    EXPECT_LE(end - begin, 80u) << text.substr(begin, end - begin);
  }
}

// The model has a copy but no loop.
TEST_F(InspectCommand, PrintsTheBytesThatARunCopies) {
  ASSERT_EQ(Weft("convert '" WEFT_SOURCE_DIR "/examples/dtmf/model/dtmf.xml' -o m.weft").code, 0);
  const std::string text = Weft("inspect m.weft --plan").out;
  EXPECT_NE(text.find(" | copied per run 96 bytes | weights "), std::string::npos) << text;
}

// A sequence that overlaps the input that its loop reads last: the listing does not contain the
// bound.
TEST_F(InspectCommand, TellsTheBoundOfAPlanWhoseBuffersOverlap) {
  const std::string model =
      "'" WEFT_FIXTURES_DIR "/cases/document/lstm_document_i16_h17_t7/model.xml' -o model.weft";
  const auto converted =
      nlohmann::json::parse(Weft("convert " + model + " --arena-budget min --json").out);
  const auto plan = nlohmann::json::parse(Weft("inspect model.weft --plan --json").out)["plan"];
  EXPECT_EQ(plan["bound_bytes"], converted["scratch_bound_bytes"]);
  EXPECT_EQ(plan["proof"], "proven minimum for this order of steps");
}

TEST_F(InspectCommand, TellsOfAStreamedModel) {
  const std::string model =
      "'" WEFT_FIXTURES_DIR "/cases/streaming/convolutions_then_gru/model.xml' -o model.weft ";
  ASSERT_EQ(Weft("convert " + model + "--streaming=4").code, 0);
  const auto json = nlohmann::json::parse(Weft("inspect model.weft --json --budget").out);
  const auto& streamed = json["streamed"];
  EXPECT_EQ(streamed["steps"], 4);
  EXPECT_EQ(streamed["of"], 12);
  EXPECT_TRUE(streamed["receptive_steps"].is_null());
  EXPECT_EQ(streamed["state_bytes"], 432);
  EXPECT_EQ(streamed["min_state_bytes"], 424);
  EXPECT_EQ(streamed["inputs"],
            nlohmann::json::parse(R"([{"name": "x0", "axis": 1, "positions": 4, "of": 12}])"));
  EXPECT_EQ(streamed["outputs"][0]["latency"], 0);
  EXPECT_EQ(streamed["multiply_adds"].get<double>() * 4,
            json["budget"]["work"]["multiply_adds"].get<double>());
  const Outcome text = Weft("inspect model.weft");
  for (const char* words :
       {"streaming: 4 of 12 time steps per run\n", "  time axis 1, 4 of 12 positions per run\n",
        "\neach output depends on all time steps so far\n",
        "states: 432 bytes, in memory each rounded up to a multiple of 16; lower bound 424 bytes; "
        "layout "}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
  ASSERT_EQ(Weft("convert " + model + "--streaming=5").code, 0);
  const auto other = nlohmann::json::parse(Weft("inspect model.weft --json").out);
  EXPECT_EQ(other["state_layout"], json["state_layout"]);
  ASSERT_EQ(Weft("convert " + model).code, 0);
  const auto whole = nlohmann::json::parse(Weft("inspect model.weft --json --budget").out);
  EXPECT_TRUE(whole["streamed"].is_null());
  EXPECT_EQ(whole["state_layout"], "");
  EXPECT_EQ(streamed["full_multiply_adds"].get<double>() * 12,
            whole["budget"]["work"]["multiply_adds"].get<double>());
}

TEST_F(InspectCommand, ShowsTheStreamsOfOneRun) {
  const std::string model =
      "convert '" WEFT_SOURCE_DIR "/examples/dtmf/model/dtmf.xml' -o model.weft ";
  const Outcome converted = Weft(model + "--streams 5");
  ASSERT_EQ(converted.code, 0) << converted.err;
  const std::string line = "streams: 5 per run, each with 96 bytes of state\n";  // 24 floats
  EXPECT_NE((converted.out + converted.err).find(line), std::string::npos) << converted.err;
  EXPECT_NE(Weft("inspect model.weft").out.find(line), std::string::npos);
  const auto json = nlohmann::json::parse(Weft("inspect model.weft --json").out);
  EXPECT_EQ(json["streams"], nlohmann::json::parse(R"({"count": 5, "state_bytes": 96})"));
  const auto of_convert = nlohmann::json::parse(Weft(model + "--streams 5 --json").out);
  EXPECT_EQ(of_convert["streams"], json["streams"]);
  ASSERT_EQ(Weft(model).code, 0);
  EXPECT_TRUE(nlohmann::json::parse(Weft("inspect model.weft --json").out)["streams"].is_null());
}

TEST_F(InspectCommand, TellsWhatFillsEachMemory) {
  const std::string model = "'" WEFT_FIXTURES_DIR "/cases/convolution/2d_k3_pad/model.xml'";
  const Outcome outcome =
      Weft("convert " + model + " -o model.weft --region fast=1K --region slow=64K --self-test 1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto budget =
      nlohmann::json::parse(Weft("inspect model.weft --budget --json").out)["budget"];
  ASSERT_EQ(budget["scratch"].size(), 2u);
  size_t buffers = 0;
  for (const auto& region : budget["scratch"]) {
    EXPECT_GT(region["peak"]["bytes"], 0);
    EXPECT_LE(region["peak"]["bytes"], region["bytes"]);
    buffers += region["peak"]["buffers"].get<size_t>();
  }
  EXPECT_LE(budget["scratch"][0]["bytes"], 1024);
  EXPECT_EQ(buffers, 2u) << "the input and the output of one convolution";
}

class VerifyCommand : public CommandTest {};

TEST_F(VerifyCommand, AcceptsWhatTheConverterWrote) {
  for (const std::string_view model : {kSum, kCounter, kPair}) {
    Convert(model);
    const Outcome outcome = Weft("verify model.weft");
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "model.weft: valid\n");
  }
  const auto json = nlohmann::json::parse(Weft("verify model.weft --json").out);
  EXPECT_EQ(json["violations"].size(), 0u);
  EXPECT_EQ(json["plan_validated"], true);
}

TEST_F(VerifyCommand, AndAllOthersRefuseEveryChangedByte) {
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  const std::string good = Text("model.weft");
  for (size_t at = 0; at < good.size(); at += good.size() / 60 + 1) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    WriteText("bad.weft", bad);
    const Outcome outcome = Weft("verify bad.weft");
    EXPECT_EQ(outcome.code, 1) << at;
    EXPECT_TRUE(outcome.err.starts_with("bad.weft: ")) << at << outcome.err;
  }
  std::string bad = good;
  bad.back() = static_cast<char>(bad.back() ^ 1);
  WriteText("bad.weft", bad);
  for (const std::string& arguments :
       Names{"run bad.weft --input x=x.npy --output-dir out",
             "compare bad.weft --input x=x.npy --expect y=x.npy", "bench bad.weft",
             "inspect bad.weft", "verify bad.weft"}) {
    const Outcome outcome = Weft(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_TRUE(outcome.err.starts_with("bad.weft: bytes changed since conversion: "))
        << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
}

TEST_F(VerifyCommand, RefusesEveryPrefix) {
  Convert(kSum);
  const std::string good = Text("model.weft");
  for (size_t size = 0; size < good.size(); size += good.size() / 40 + 1) {
    WriteText("bad.weft", std::string_view(good).substr(0, size));
    EXPECT_EQ(Weft("verify bad.weft").code, 1) << size;
  }
}

// versions/ has a file of every earlier version, written by the converter of that version.
TEST_F(VerifyCommand, AsksForAnotherConversionOfEveryEarlierVersion) {
  for (uint32_t version = 1; version < kFormatVersion; ++version) {
    const std::string number = std::to_string(version);
    const std::string file = WEFT_SOURCE_DIR "/tests/cli/versions/version_" + number + ".weft";
    for (const char* command : {"verify", "inspect", "bench", "run --output-dir out"}) {
      const Outcome outcome = Weft(std::string(command) + " '" + file + "'");
      EXPECT_EQ(outcome.code, 1) << command;
      EXPECT_EQ(outcome.err, file + ": model: has format version " + number +
                                 "; this runtime reads " + std::to_string(kFormatVersion) +
                                 " only, so convert again\n")
          << command;
    }
  }
}

class BenchCommand : public CommandTest {};

TEST_F(BenchCommand, MeasuresRunsAndSteps) {
  Convert(kSum);
  const Outcome outcome = Weft("bench model.weft --iterations 50 --profile --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["iterations"], 50);
  const auto& us = json["microseconds"];
  EXPECT_LE(us["min"], us["median"]);
  EXPECT_LE(us["median"], us["p99"]);
  EXPECT_LE(us["p99"], us["max"]);
  double share = 0;
  for (const auto& step : json["steps"]) {
    share += step["share"].get<double>();
    EXPECT_EQ(step["calls_per_run"], 1.0);
  }
  EXPECT_NEAR(share, 1.0, 1e-9);
  const Outcome text = Weft("bench model.weft --iterations 5 --profile");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("median"), std::string::npos);
  EXPECT_NE(text.out.find("binary"), std::string::npos);
}

// y = tanh x if any x is above 0, else x: the executed steps depend on x.
constexpr std::string_view kAnyAbove = R"(<net name="any" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="8" element_type="TYPE"/>
<output><port id="0" precision="PORT" names="x"><dim>8</dim></port></output></layer>
<layer id="1" name="zero" type="Const" version="opset1"><data element_type="f32" shape="1" offset="12" size="4"/>
<output><port id="0" precision="FP32"><dim>1</dim></port></output></layer>
<layer id="2" name="wide" type="Convert" version="opset1"><data destination_type="f32"/>
<input><port id="0"><dim>8</dim></port></input>
<output><port id="1" precision="FP32"><dim>8</dim></port></output></layer>
<layer id="3" name="above" type="Greater" version="opset1"><data auto_broadcast="numpy"/>
<input><port id="0"><dim>8</dim></port><port id="1"><dim>1</dim></port></input>
<output><port id="2" precision="BOOL"><dim>8</dim></port></output></layer>
<layer id="4" name="axis" type="Const" version="opset1"><data element_type="i32" shape="1" offset="12" size="4"/>
<output><port id="0" precision="I32"><dim>1</dim></port></output></layer>
<layer id="5" name="any" type="ReduceLogicalOr" version="opset1"><data keep_dims="false"/>
<input><port id="0"><dim>8</dim></port><port id="1"><dim>1</dim></port></input>
<output><port id="2" precision="BOOL"/></output></layer>
<layer id="6" name="if" type="If" version="opset8">
<input><port id="0"/><port id="1"><dim>8</dim></port></input>
<output><port id="2" precision="FP32" names="y"><dim>8</dim></port></output>
<then_port_map><input external_port_id="1" internal_layer_id="0"/>
<output external_port_id="0" internal_layer_id="2"/></then_port_map>
<else_port_map><input external_port_id="1" internal_layer_id="0"/>
<output external_port_id="0" internal_layer_id="2"/></else_port_map>
<then_body><layers>
<layer id="0" name="t" type="Parameter" version="opset1"><data shape="8" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>8</dim></port></output></layer>
<layer id="1" name="tanh" type="Tanh" version="opset1"><input><port id="0"><dim>8</dim></port></input>
<output><port id="1" precision="FP32"><dim>8</dim></port></output></layer>
<layer id="2" name="r" type="Result" version="opset1"><input><port id="0"><dim>8</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></then_body>
<else_body><layers>
<layer id="0" name="e" type="Parameter" version="opset1"><data shape="8" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>8</dim></port></output></layer>
<layer id="1" name="neg" type="Negative" version="opset1"><input><port id="0"><dim>8</dim></port></input>
<output><port id="1" precision="FP32"><dim>8</dim></port></output></layer>
<layer id="2" name="r" type="Result" version="opset1"><input><port id="0"><dim>8</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></else_body>
</layer>
<layer id="7" name="out" type="Result" version="opset1"><input><port id="0"><dim>8</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="3" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="3" to-port="1"/>
<edge from-layer="3" from-port="2" to-layer="5" to-port="0"/>
<edge from-layer="4" from-port="0" to-layer="5" to-port="1"/>
<edge from-layer="5" from-port="2" to-layer="6" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="6" to-port="1"/>
<edge from-layer="6" from-port="2" to-layer="7" to-port="0"/>
</edges>
</net>
)";

TEST_F(BenchCommand, FeedsCallsInTurn) {
  std::string xml(kAnyAbove);
  xml.replace(xml.find("TYPE"), 4, "f32");
  xml.replace(xml.find("PORT"), 4, "FP32");
  WriteModel(xml);
  ASSERT_EQ(Weft("convert model.xml").code, 0);
  std::vector<float> calls(4 * 8, -1);
  calls[9] = 1;  // of the second call only
  WriteFloats("x.npy", {4, 8}, calls);
  const Outcome outcome =
      Weft("bench model.weft --warm-up 0 --iterations 40 --profile --json --input x=x.npy");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  for (const auto& step : json["steps"]) {
    if (step["layer"] != "tanh" && step["layer"] != "neg") continue;
    EXPECT_EQ(step["calls_per_run"], step["layer"] == "tanh" ? 0.25 : 0.75);
  }
  EXPECT_NE(outcome.out.find("\"tanh\""), std::string::npos);
}

TEST_F(BenchCommand, FeedsRandomNumbersOfEveryFloatingType) {
  for (const auto& [type, port, random] :
       {std::tuple<std::string, std::string, bool>{"f32", "FP32", true},
        {"f16", "FP16", true},
        {"bf16", "BF16", true},
        {"f64", "FP64", true},
        {"i32", "I32", false},
        {"boolean", "BOOL", false}}) {
    std::string xml(kAnyAbove);
    xml.replace(xml.find("TYPE"), 4, type);
    xml.replace(xml.find("PORT"), 4, port);
    WriteModel(xml);
    const Outcome converted = Weft("convert model.xml -o model.weft");
    ASSERT_EQ(converted.code, 0) << type << converted.err;
    const Outcome outcome = Weft("bench model.weft --iterations 2 --profile --json");
    ASSERT_EQ(outcome.code, 0) << type << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    const auto ran = [&](const std::string& layer) {
      return std::any_of(json["steps"].begin(), json["steps"].end(), [&](const auto& step) {
        return step["layer"].template get<std::string>() == layer;
      });
    };
    EXPECT_EQ(ran("tanh"), random) << type << outcome.out;
    EXPECT_EQ(ran("neg"), !random) << type << outcome.out;
  }
}

}  // namespace
}  // namespace weft::cli
