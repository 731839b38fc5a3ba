// SPDX-License-Identifier: Apache-2.0
// The time axis of `weft convert --streaming`: given by --time-axis, or a dynamic dimension.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

// A running sum over axis 0 of x, with the given shape.
std::string SumOver(std::string_view shape, std::string_view dims) {
  constexpr std::string_view kXml = R"(<net name="sum" version="11">
<layers>
<layer id="0" name="x_layer" type="Parameter" version="opset1"><data shape="{0}" element_type="f32"/>
<output><port id="0" precision="FP32" names="x">{1}</port></output></layer>
<layer id="1" name="zero" type="Const" version="opset1"><data element_type="i64" shape="" offset="12" size="8"/>
<output><port id="0" precision="I64"/></output></layer>
<layer id="2" name="sum" type="CumSum" version="opset3"><data exclusive="false" reverse="false"/>
<input><port id="0">{1}</port><port id="1"/></input>
<output><port id="2" precision="FP32" names="y">{1}</port></output></layer>
<layer id="3" name="y_layer" type="Result" version="opset1"><input><port id="0">{1}</port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges>
</net>
)";
  return fmt::format(kXml, shape, dims);
}

constexpr std::string_view kOpen = "<dim>-1</dim><dim>2</dim>";

// A running sum along axis 1 of x, after a reshape to [1,4]: only a batch of 1 is valid.
constexpr std::string_view kSumOfOneRow = R"(<net name="sum" version="11">
<layers>
<layer id="0" name="x_layer" type="Parameter" version="opset1"><data shape="?,4" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>-1</dim><dim>4</dim></port></output></layer>
<layer id="1" name="row" type="Const" version="opset1"><data element_type="i64" shape="2" offset="0" size="16"/>
<output><port id="0" precision="I64"><dim>2</dim></port></output></layer>
<layer id="2" name="reshape" type="Reshape" version="opset1"><data special_zero="false"/>
<input><port id="0"><dim>-1</dim><dim>4</dim></port><port id="1"><dim>2</dim></port></input>
<output><port id="2" precision="FP32"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="3" name="axis" type="Const" version="opset1"><data element_type="i64" shape="" offset="0" size="8"/>
<output><port id="0" precision="I64"/></output></layer>
<layer id="4" name="sum" type="CumSum" version="opset3"><data exclusive="false" reverse="false"/>
<input><port id="0"><dim>1</dim><dim>4</dim></port><port id="1"/></input>
<output><port id="2" precision="FP32" names="y"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="5" name="y_layer" type="Result" version="opset1"><input><port id="0"><dim>1</dim><dim>4</dim></port></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="4" to-port="0"/>
<edge from-layer="3" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>
</edges>
</net>
)";

// Returns the passes that --verbose lists, in order.
std::vector<std::string> PassesIn(const std::string& verbose) {
  std::vector<std::string> passes;
  std::istringstream lines(verbose);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with(" ms")) passes.push_back(line.substr(0, line.find(' ')));
  }
  return passes;
}

class TimeAxis : public CommandTest {
 protected:
  void ExpectRefusal(const std::string& options, int code, const std::string& text) {
    const Outcome outcome = Weft("convert model.xml -o cut.weft " + options);
    EXPECT_EQ(outcome.code, code) << options;
    EXPECT_EQ(outcome.err, text) << options;
  }
};

TEST_F(TimeAxis, IsTheOneThatIsNamed) {
  WriteModel(SumOver("6,2", "<dim>6</dim><dim>2</dim>"));
  for (const char* name : {"x=1", "x=-1", "alias_of_none=1 --time-axis x=1", "0=1", "y=1"}) {
    const Outcome outcome =
        Weft(std::string("convert model.xml -o cut.weft --streaming --time-axis ") + name);
    const bool is_known = std::string_view(name).find("none") == std::string_view::npos;
    EXPECT_EQ(outcome.code, is_known ? 0 : 2) << name;
    if (!is_known) continue;
    EXPECT_EQ(WithoutSummary(outcome.out),
              "streaming: 1 of 2 time steps per run\n"
              "  input  \"x\" f32[6,1]: time axis 1, 1 of 2 positions per run\n"
              "  output \"y\" f32[6,1]: time axis 1, 1 of 2 positions per run\n"
              "  each output depends on its own time step only\n"
              "  states: 0 bytes, in memory each rounded up to a multiple of 16; lower bound 0 "
              "bytes\n");
  }
}

TEST_F(TimeAxis, IsRefusedWhereItIsNoAxisOfAPort) {
  WriteModel(SumOver("6,2", "<dim>6</dim><dim>2</dim>"));
  ExpectRefusal("--streaming --time-axis z=0", 2,
                "--time-axis: port \"z\": is not in the model; must be one of \"x\" f32[6,2], "
                "\"y\" f32[6,2]\n");
  for (const char* axis : {"2", "-3"}) {
    ExpectRefusal(std::string("--streaming --time-axis x=") + axis, 2,
                  std::string("--time-axis: port \"x\": axis ") + axis +
                      " does not exist in f32[6,2]; must be from -2 to 1\n");
  }
  ExpectRefusal("--streaming --time-axis x=0 --time-axis x_layer=1", 2,
                "--time-axis: port \"x_layer\": has axes 0 and 1; must have one\n");
  EXPECT_EQ(Weft("convert model.xml -o cut.weft --streaming --time-axis x=0 --time-axis 0=-2").code,
            0);
}

TEST_F(TimeAxis, IsRefusedInACallThatIsNone) {
  WriteModel(SumOver("6,2", "<dim>6</dim><dim>2</dim>"));
  ExpectRefusal("--time-axis x=0", 2,
                "weft convert: --time-axis: is given without --streaming; must be given with it\n");
  for (const std::string wrong : {"x", "=1", "x=", "x=one", "x=1.0"}) {
    ExpectRefusal("--streaming --time-axis " + wrong, 2,
                  "weft convert: --time-axis: is \"" + wrong +
                      "\"; must be NAME=AXIS, such as x=1 or x=-1\n");
  }
}

TEST_F(TimeAxis, MayBeADynamicDimension) {
  WriteModel(SumOver("?,2", kOpen));
  for (const auto& [option, steps] : {std::pair<std::string, int>{"--streaming", 1},
                                      {"--streaming=64", 64},
                                      {"--streaming=3 --time-axis x=0", 3},
                                      {"--streaming=2 --shape x=?,2", 2}}) {
    const Outcome outcome = Weft("convert model.xml -o cut.weft " + option);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(WithoutSummary(outcome.out),
              fmt::format("streaming: {0} time step{1} per run\n"
                          "  input  \"x\" f32[{0},2]: time axis 0, {0} position{1} "
                          "per run\n"
                          "  output \"y\" f32[{0},2]: time axis 0, {0} position{1} "
                          "per run\n"
                          "  state  \"sum/sum\" 8 bytes: the sum so far of layer 2 "
                          "\"sum\"\n"
                          "  each output depends on all time steps so far\n"
                          "  states: 8 bytes, in memory each rounded up to a multiple "
                          "of 16; lower bound 8 bytes\n",
                          steps, steps == 1 ? "" : "s"));
  }
  const auto json =
      nlohmann::json::parse(Weft("convert model.xml -o cut.weft --streaming --json").out);
  EXPECT_FALSE(json["streamed"].contains("of"));
  EXPECT_EQ(
      json["streamed"]["inputs"],
      nlohmann::json::parse(R"([{"name": "x", "type": "f32[1,2]", "axis": 0, "positions": 1}])"));
}

TEST_F(TimeAxis, OfADynamicDimensionKeepsToItsBounds) {
  WriteModel(SumOver("3..50,2", kOpen));
  EXPECT_EQ(Weft("convert model.xml -o cut.weft --streaming=50").code, 0);
  ExpectRefusal("--streaming=51", 2,
                "--streaming: has 51 steps per run and model.xml has 50; must be from 1 to 50\n");
}

TEST_F(TimeAxis, IsNoneOfTwoDynamicDimensions) {
  WriteModel(SumOver("?,?", "<dim>-1</dim><dim>-1</dim>"));
  const Outcome outcome = Weft("convert model.xml -o cut.weft --streaming --time-axis x=0");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(
      outcome.err,
      "model.xml:3: layer 0 \"x_layer\" (Parameter): dimension 1 of f32[T,?] is dynamic; weft "
      "plans memory ahead, so every dimension must be fixed (--shape x=?,N with a number for "
      "each N)\n");
  EXPECT_EQ(Weft("convert model.xml -o cut.weft --streaming --shape x=?,2").code, 0);
}

// A model that has other numbers of steps, or combines them, is refused for this reason, and
// neither for the dimension nor along another axis.
TEST_F(TimeAxis, OfADynamicDimensionIsTheReasonOfARefusal) {
  constexpr std::string_view kNet = R"(<net name="m" version="11">
<layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,?,4" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>-1</dim><dim>4</dim></port></output></layer>
<layer id="1" name="given" type="Const" version="opset1"><data element_type="{}" shape="{}" offset="0" size="{}"/>
<output><port id="0"/></output></layer>
<layer id="2" name="last" type="{}" version="opset1"><data keep_dims="true" special_zero="false"/>
<input><port id="0"/><port id="1"/></input><output><port id="2" precision="FP32"/></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers>
<edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
</edges>
</net>
)";
  const int64_t numbers[] = {1, 24, 4, 0};
  WriteText("model.bin", {reinterpret_cast<const char*>(numbers), sizeof numbers});
  WriteText("model.xml", fmt::format(kNet, "f32", "1,2,4", 32, "Add"));
  ExpectRefusal("--streaming", 1,
                "model.xml:7: layer 2 \"last\" (Add): shapes [1,T,4] and [1,2,4] do not broadcast: "
                "axis 1 is T and 2; must be equal or 1\n");
  WriteText("model.xml", fmt::format(kNet, "i64", "3", 24, "Reshape"));
  ExpectRefusal("--streaming --shape x=1,?,4", 1,
                "model.xml:7: layer 2 \"last\" (Reshape): f32[1,T,4] has 4*T elements and pattern "
                "[1,24,4] gives [1,24,4]; both must be equal\n");
  WriteText("model.xml", fmt::format(kNet, "i64", "1", 8, "ReduceSum"));
  ExpectRefusal(
      "--streaming", 1,
      "model.xml:7: layer 2 \"last\" (ReduceSum): needs the full sequence (it reduces over "
      "time); --streaming must be able to run it step by step\n");
}

// If only the first axis is dynamic, it is time if the model can be streamed along it, else the
// batch.
TEST_F(TimeAxis, OfADynamicDimensionAloneMayBeTheBatch) {
  WriteModel(SumOver("?,2", kOpen));
  const Outcome time = Weft("convert model.xml -o cut.weft --streaming");
  EXPECT_EQ(time.code, 0);
  EXPECT_EQ(time.err.find("batch"), std::string::npos) << time.err;
  const std::string line =
      "model.xml: input \"x\" f32[?,2]: its batch is dynamic; assumed to be 1 (--shape x=N,2 sets "
      "it)\n";
  for (const char* options : {"", " --shape x=?,2", " --streaming --time-axis x=1"}) {
    const Outcome batch = Weft("convert model.xml -o whole.weft" + std::string(options));
    EXPECT_EQ(batch.code, 0) << options << batch.err;
    EXPECT_NE(batch.err.find(line), std::string::npos) << options << batch.err;
  }
  const Outcome given = Weft("convert model.xml -o whole.weft --shape x=3,2");
  EXPECT_EQ(given.code, 0);
  EXPECT_EQ(given.err, "");
}

TEST_F(TimeAxis, OfADynamicDimensionIsTheBatchIfOnlyOneRowIsValid) {
  WriteText("model.xml", kSumOfOneRow);
  const int64_t numbers[] = {1, 4};
  WriteText("model.bin", {reinterpret_cast<const char*>(numbers), sizeof numbers});
  const Outcome outcome = Weft("convert model.xml -o cut.weft --streaming=2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  input  \"x\" f32[1,2]: time axis 1, 2 of 4 positions per run\n"),
            std::string::npos)
      << outcome.err;
  WriteFloats("x.npy", {1, 4}, {1, 10, 100, 1000});
  ASSERT_EQ(Weft("run cut.weft --input x=x.npy --output-dir out").code, 0);
  EXPECT_EQ(ReadElements<float>("out/y.npy", "f32[1,4]"), (std::vector<float>{1, 11, 111, 1111}));
}

// The batch is found by inference, or by the streaming pass.
TEST_F(TimeAxis, IsFoundByOneRunOfEachPass) {
  for (const bool is_row : {true, false}) {
    WriteModel(is_row ? std::string(kSumOfOneRow) : SumOver("?,2", kOpen));
    const int64_t numbers[] = {1, 4, 0};
    if (is_row) WriteText("model.bin", {reinterpret_cast<const char*>(numbers), sizeof numbers});
    const Outcome outcome = Weft("convert model.xml -o cut.weft --streaming --verbose" +
                                 std::string(is_row ? "" : " --time-axis x=1"));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("its batch is dynamic; assumed to be 1"), std::string::npos);
    std::vector<std::string> passes = PassesIn(outcome.err);
    EXPECT_EQ(std::ranges::count(passes, "infer"), 1);
    std::ranges::sort(passes);
    EXPECT_EQ(std::ranges::adjacent_find(passes), passes.end()) << outcome.err;
  }
}

// Axis 1 is dynamic and cannot be time.
TEST_F(TimeAxis, IsNoOtherDynamicDimension) {
  WriteModel(SumOver("6,?", "<dim>6</dim><dim>-1</dim>"));
  const Outcome outcome = Weft("convert model.xml -o cut.weft --streaming");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("dimension 1 of f32[6,?] is dynamic"), std::string::npos)
      << outcome.err;
}

TEST_F(TimeAxis, OfAFileMayBeLonger) {
  WriteModel(SumOver("?,2", kOpen));
  ASSERT_EQ(Weft("convert model.xml -o cut.weft --streaming=2").code, 0);
  WriteFloats("x.npy", {6, 2}, {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60});
  const std::vector<float> sums = {1, 10, 3, 30, 6, 60, 10, 100, 15, 150, 21, 210};
  ASSERT_EQ(Weft("run cut.weft --input x=x.npy --output-dir out").code, 0);
  EXPECT_EQ(ReadElements<float>("out/y.npy", "f32[6,2]"), sums);
  WriteFloats("y.npy", {6, 2}, sums);
  EXPECT_EQ(Weft("compare cut.weft --input x=x.npy --expect y=y.npy").code, 0);
  EXPECT_EQ(Weft("bench cut.weft --input x=x.npy --iterations 5").code, 0);
  // If inputs have a leading axis of calls, outputs have it as well.
  WriteFloats("calls.npy", {3, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60});
  ASSERT_EQ(Weft("run cut.weft --input x=calls.npy --output-dir calls").code, 0);
  EXPECT_EQ(ReadElements<float>("calls/y.npy", "f32[3,2,2]"), sums);
}

TEST_F(TimeAxis, OfAFileMayBeAnInnerOne) {
  WriteModel(SumOver("3,2", "<dim>3</dim><dim>2</dim>"));
  ASSERT_EQ(Weft("convert model.xml -o cut.weft --streaming --time-axis x=1").code, 0);
  WriteFloats("x.npy", {3, 4}, {1, 2, 3, 4, 10, 20, 30, 40, 100, 200, 300, 400});
  ASSERT_EQ(Weft("run cut.weft --input x=x.npy --output-dir out").code, 0);
  EXPECT_EQ(ReadElements<float>("out/y.npy", "f32[3,4]"),
            (std::vector<float>{1, 2, 3, 4, 11, 22, 33, 44, 111, 222, 333, 444}));
}

TEST_F(TimeAxis, OfARecordingIsJoinedToo) {
  WriteModel(SumOver("?,1", "<dim>-1</dim><dim>1</dim>"));
  ASSERT_EQ(Weft("convert model.xml -o cut.weft --streaming=2").code, 0);
  WriteText("x.wav", std::string("RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0"
                                 "\x80\x3e\0\0\2\0\x10\0data\x0a\0\0\0"
                                 "\0\x10\0\x20\0\x10\0\x40\0\x40",
                                 54));
  EXPECT_EQ(Weft("run cut.weft --input x=x.wav").out,
            "y f32[4,1]\n[[0.125],\n [0.375],\n [0.5],\n [1]]\n");
}

// 5 samples of f32: 1, 2, 3, 4, 5.
std::string FiveSamples() {
  std::string text(
      "RIFF\x38\0\0\0WAVEfmt \x10\0\0\0\3\0\1\0\x40\x1f\0\0"
      "\0\x7d\0\0\4\0\x20\0data\x14\0\0\0",
      44);
  const float samples[] = {1, 2, 3, 4, 5};
  return text.append(reinterpret_cast<const char*>(samples), sizeof samples);
}

// Samples are not dealt to streams, channels or features.
TEST_F(TimeAxis, OfARecordingIsTheOnlyOrderOfItsSamples) {
  WriteText("x.wav", FiveSamples());
  const auto fault_of = [&](const std::string& shape, const std::string& dims,
                            const std::string& options) {
    WriteModel(SumOver(shape, dims));
    const Outcome made = Weft("convert model.xml -o m.weft " + options);
    EXPECT_EQ(made.code, 0) << made.err;
    const Outcome outcome = Weft("run m.weft --input x=x.wav");
    EXPECT_EQ(outcome.code, outcome.err.empty() ? 0 : 1);
    return outcome.err;
  };
  const std::string open = "<dim>-1</dim><dim>1</dim>", pairs = "<dim>6</dim><dim>2</dim>";
  const std::string must = " axes with several elements; must have 1, or a .npy file\n";
  EXPECT_EQ(fault_of("?,1", open, "--streaming=2"), "");
  EXPECT_EQ(fault_of("6,2", pairs, "--streaming=2 --time-axis x=0"), "");
  EXPECT_EQ(fault_of("6,2", pairs, "--streaming=2 --time-axis x=1"),
            "x.wav: is a recording; input \"x\" f32[6,2] has 2" + must);
  EXPECT_EQ(fault_of("2,2", "<dim>2</dim><dim>2</dim>", ""),
            "x.wav: is a recording; input \"x\" f32[2,2] has 2" + must);
  ASSERT_EQ(Weft("convert '" WEFT_FIXTURES_DIR "/zoo/models/lstm_amp.dynamo/model.xml' -o m.weft "
                 "--streaming --streams 4")
                .code,
            0);
  EXPECT_EQ(Weft("run m.weft --input wave=x.wav").err,
            "x.wav: is a recording of one stream; input \"wave\" f32[4,1,1] has 4 streams; must be "
            "a .npy file\n");
}

TEST_F(TimeAxis, OfAFileHasWholeRuns) {
  WriteModel(SumOver("?,2", kOpen));
  ASSERT_EQ(Weft("convert model.xml -o cut.weft --streaming=2").code, 0);
  for (const Dims& dims : {Dims{5, 2}, Dims{1, 2}, Dims{0, 2}, Dims{4, 3}}) {
    const auto count = static_cast<size_t>(dims[0] * dims[1]);
    WriteFloats("x.npy", dims, std::vector<float>(count));
    const Outcome outcome = Weft("run cut.weft --input x=x.npy");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.err, "x.npy: is f32" + ToString(dims) +
                               "; input \"x\" must be f32[2,2], or f32[K,2,2] or f32[2*K,2] to "
                               "feed K successive calls\n");
  }
}

// A convolution with a past, whose output [time, 1, channels] has no first axis of the streams.
constexpr std::string_view kTimeFirst = R"(<net name="time_first" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,4,6" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>1</dim><dim>4</dim><dim>6</dim></port></output></layer>
<layer id="1" name="w" type="Const" version="opset1"><data element_type="f32" shape="5,4,3" offset="0" size="240"/>
<output><port id="0" precision="FP32"><dim>5</dim><dim>4</dim><dim>3</dim></port></output></layer>
<layer id="2" name="conv" type="Convolution" version="opset1">
<data strides="1" dilations="1" pads_begin="2" pads_end="0" auto_pad="explicit"/>
<input><port id="0"><dim>1</dim><dim>4</dim><dim>6</dim></port><port id="1"><dim>5</dim><dim>4</dim><dim>3</dim></port></input>
<output><port id="2" precision="FP32"><dim>1</dim><dim>5</dim><dim>6</dim></port></output></layer>
<layer id="3" name="order" type="Const" version="opset1"><data element_type="i64" shape="3" offset="240" size="24"/>
<output><port id="0" precision="I64"><dim>3</dim></port></output></layer>
<layer id="4" name="turned" type="Transpose" version="opset1">
<input><port id="0"><dim>1</dim><dim>5</dim><dim>6</dim></port><port id="1"><dim>3</dim></port></input>
<output><port id="2" precision="FP32"><dim>6</dim><dim>1</dim><dim>5</dim></port></output></layer>
<layer id="5" name="y" type="Result" version="opset1"><input><port id="0"><dim>6</dim><dim>1</dim><dim>5</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="4" to-port="0"/>
<edge from-layer="3" from-port="0" to-layer="4" to-port="1"/>
<edge from-layer="4" from-port="2" to-layer="5" to-port="0"/>
</edges></net>)";

TEST_F(TimeAxis, RefusesOutputsWithoutAFirstAxisOfTheStreams) {
  WriteText("model.xml", kTimeFirst);
  std::string bytes(240, '\0');
  for (const int64_t axis : {2, 0, 1})
    bytes.append(reinterpret_cast<const char*>(&axis), sizeof axis);
  WriteText("model.bin", bytes);
  const Outcome outcome =
      Weft("convert model.xml -o m.weft --streaming --streams 2 --time-axis x=2");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("output \"y\" is f32[1,2,5], and f32[1,1,5] for one stream; must have "
                             "the streams as its first axis"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace weft::cli
