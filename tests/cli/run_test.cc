// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

using Floats = std::vector<float>;

class RunCommand : public CommandTest {
 protected:
  // Expects an error and no output files.
  void ExpectRefusal(const std::string& arguments, int code, std::string_view words) {
    const Outcome outcome = Weft("run model.weft --output-dir out " + arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(Path("out"))) << arguments;
  }

  // 0.npy, 1.npy and so on: the arrays of a conformance case, inputs before outputs.
  void WriteArraysOf(const std::string& folder) const {
    const std::string file = Text(folder + "/arrays.npy");
    for (size_t index = 0, from = 0, used = 0; from < file.size(); ++index, from += used) {
      std::string reason;
      const auto rest = std::as_bytes(std::span(file)).subspan(from);
      ASSERT_TRUE(ParseFirstNpy(rest, &used, &reason).has_value()) << reason;
      WriteText(std::to_string(index) + ".npy", std::string_view(file).substr(from, used));
    }
  }
};

TEST_F(RunCommand, WritesOneArrayPerOutput) {
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  for (const std::string& name : Names{"x", "alias", "x_layer", "0"}) {
    const Outcome outcome =
        Weft("run model.weft --input " + name + "=x.npy --output-dir out/deep --json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["outputs"][0]["file"], "out/deep/y.npy");
    EXPECT_EQ(ReadElements<float>("out/deep/y.npy", "f32[2,3]"), (Floats{11, 22, 33, 14, 25, 36}));
    std::filesystem::remove_all(Path("out"));
  }
}

TEST_F(RunCommand, PrintsValuesWithoutAFolder) {
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  const Outcome outcome = Weft("run model.weft --input x=x.npy");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "y f32[2,3]\n[[11, 22, 33],\n [14, 25, 36]]\n");
  const auto json = nlohmann::json::parse(Weft("run model.weft --input x=x.npy --json").out);
  EXPECT_EQ(json["outputs"][0]["values"], (nlohmann::json{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(json["outputs"][0]["shape"], (nlohmann::json{2, 3}));
  WriteFloats("x.npy", {2, 3}, {1, NAN, 3, INFINITY, 5, -INFINITY});
  const auto special = nlohmann::json::parse(Weft("run model.weft --input x=x.npy --json").out);
  EXPECT_EQ(special["outputs"][0]["values"], (nlohmann::json{11, "nan", 33, "inf", 25, "-inf"}));
}

TEST_F(RunCommand, PrintsTheEndsOfLongArrays) {
  Convert(kCounter);
  std::vector<float> steps(2 * 1200, 1.0f);
  WriteFloats("x.npy", {1200, 2}, steps);
  const Outcome outcome = Weft("run model.weft --input x=x.npy");
  EXPECT_EQ(outcome.out,
            "total f32[1200,2]\n[[1, 1],\n [2, 2],\n [3, 3],\n ...,\n [1198, 1198],\n"
            " [1199, 1199],\n [1200, 1200]]\n");
}

TEST_F(RunCommand, CastsWhereItIsAskedTo) {
  Convert(kSum);
  WriteArray<double>("x.npy", ElementType::f64, {2, 3}, {1, 2, 3, 4, 5, 6.1});
  ExpectRefusal("--input x=x.npy", 1, "calls (--cast converts element types)");
  const Outcome outcome = Weft("run model.weft --input x=x.npy --cast");
  EXPECT_EQ(outcome.out, "y f32[2,3]\n[[11, 22, 33],\n [14, 25, 36.1]]\n");
  Convert(kPair);
  WriteArray<double>("whole.npy", ElementType::f64, {2}, {3, -4});
  WriteArray<double>("half.npy", ElementType::f64, {2}, {3, 0.5});
  EXPECT_EQ(Weft("run model.weft --input a=whole.npy b=whole.npy --cast").out,
            "net/sum:0 i64[2]\n[6, -8]\n");
  const Outcome half = Weft("run model.weft --input a=whole.npy b=half.npy --cast");
  EXPECT_EQ(half.code, 1);
  EXPECT_EQ(half.err, "half.npy: element 1 is 0.5; must be a value of i64 for --cast\n");
}

TEST_F(RunCommand, FeedsSuccessiveCallsFromALeadingAxis) {
  Convert(kCounter);
  WriteFloats("x.npy", {3, 2}, {1, 10, 2, 20, 3, 30});
  ASSERT_EQ(Weft("run model.weft --input x=x.npy --output-dir out").code, 0);
  EXPECT_EQ(ReadElements<float>("out/total.npy", "f32[3,2]"), (Floats{1, 10, 3, 30, 6, 60}));
}

TEST_F(RunCommand, KeepsStateBetweenRepeats) {
  Convert(kCounter);
  WriteFloats("x.npy", {2}, {1, 10});
  ASSERT_EQ(Weft("run model.weft --input x=x.npy --output-dir out --repeat 4").code, 0);
  EXPECT_EQ(ReadElements<float>("out/total.npy", "f32[2]"), (Floats{4, 40}));
  WriteFloats("xs.npy", {2, 2}, {1, 10, 2, 20});
  ASSERT_EQ(Weft("run model.weft --input x=xs.npy --output-dir out --repeat 2").code, 0);
  EXPECT_EQ(ReadElements<float>("out/total.npy", "f32[2,2]"), (Floats{4, 40, 6, 60}));
}

// Each element is a number first, then NaN or infinity. A model whose output is the old value of
// its variable has the infinity only in the variable.
TEST_F(RunCommand, ChecksThatValuesAreFinite) {
  std::string variable_only(kCounter);
  const std::string to_output = "\" to-layer=\"5\"", from = "3\" from-port=\"2";
  const size_t edge = variable_only.find(from + to_output);
  ASSERT_NE(edge, std::string::npos);
  variable_only.replace(edge, from.size(), "2\" from-port=\"1");
  struct Row {
    std::string_view model;
    Floats x;
    const char* line;
  };
  const Row rows[] = {
      {kCounter, {1, 2, 3, 4}, nullptr},
      {kCounter, {NAN, 2, 3, 4}, "run 0: output 0 \"total\": element 0 is nan"},
      {kCounter, {1, 2, 3, -INFINITY}, "run 1: output 0 \"total\": element 1 is -inf"},
      {kCounter, {3e38f, 2, 3e38f, 4}, "run 1: output 0 \"total\": element 0 is inf"},
      {variable_only, {1, 2, 3, 3.4e38f}, nullptr},
      {variable_only, {1, INFINITY, 3, 4}, "run 0: variable 0 \"total\": element 1 is inf"},
  };
  for (const Row& row : rows) {
    Convert(row.model);
    WriteFloats("x.npy", {2, 2}, row.x);
    const std::string run = "run model.weft --output-dir out --input x=x.npy";
    EXPECT_EQ(Weft(run).code, 0);
    std::filesystem::remove_all(Path("out"));
    const Outcome outcome = Weft(run + " --check-finite");
    EXPECT_EQ(outcome.code, row.line == nullptr ? 0 : 1) << outcome.err;
    if (row.line != nullptr) {
      EXPECT_EQ(outcome.err, "model.weft: " + std::string(row.line) + "; must be finite\n");
      EXPECT_FALSE(std::filesystem::exists(Path("out")));
    }
    std::filesystem::remove_all(Path("out"));
  }
  WriteFloats("x.npy", {2, 2}, {1e38f, 2, 1e38f, 4});
  EXPECT_EQ(Weft("run model.weft --input x=x.npy --check-finite --repeat 2").code, 1);
}

TEST_F(RunCommand, NamesTheTimeStepsOfValuesThatAreNotFinite) {
  WriteModel(kSum);
  ASSERT_EQ(
      Weft("convert model.xml -o model.weft --shape x=8,3 --streaming=2 --time-axis x=0").code, 0);
  Floats x(8 * 3, 1.0f);
  x[5 * 3 + 1] = NAN;
  WriteFloats("x.npy", {8, 3}, x);
  EXPECT_EQ(Weft("run model.weft --input x=x.npy --check-finite").err,
            "model.weft: run 2 (time steps 4 to 5): output 0 \"y\": element 4 is nan; must be "
            "finite\n");
}

TEST_F(RunCommand, NamesTheLoopThatReachesItsMaximum) {
  const std::string loop = WEFT_FIXTURES_DIR "/cases/loop_run/do_while";
  ASSERT_EQ(Weft("convert " + loop + "/model.xml -o model.weft --max-iterations 3").code, 0);
  WriteArraysOf(loop);
  const Outcome outcome = Weft("run model.weft --input 0=0.npy --input 1=1.npy --output-dir out");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("model.weft: layer \"Loop_"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("did 3 iterations, its maximum"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(Path("out")));
}

TEST_F(RunCommand, WritesOpenLengthsAsLongAsTheyAre) {
  const std::string loop = WEFT_FIXTURES_DIR "/cases/loop_run/do_while";
  ASSERT_EQ(Weft("convert " + loop + "/model.xml -o model.weft --max-iterations 9").code, 0);
  WriteArraysOf(loop);
  const Outcome outcome = Weft("run model.weft --input 0=0.npy --input 1=1.npy --output-dir out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(ReadElements<float>("out/y1.npy", "f32[5,3]"),
            (Floats{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

TEST_F(RunCommand, HoldsInputsWithoutTheAxisForEveryCall) {
  Convert(kPair);
  WriteArray<int64_t>("a.npy", ElementType::i64, {2, 2}, {1, 2, 3, int64_t{1} << 40});
  WriteArray<int64_t>("b.npy", ElementType::i64, {2}, {100, 200});
  ASSERT_EQ(Weft("run model.weft --input a=a.npy --input b=b.npy --output-dir out").code, 0);
  EXPECT_EQ(ReadElements<int64_t>("out/net_sum_0.npy", "i64[2,2]"),
            (std::vector<int64_t>{101, 202, 103, 200 + (int64_t{1} << 40)}));
}

TEST_F(RunCommand, ListsAllMissingInputsAtOnce) {
  Convert(kPair);
  ExpectRefusal("", 2,
                "inputs without a value: a i64[2], b i64[2]; each needs --input NAME=FILE.npy\n");
}

TEST_F(RunCommand, RefusesCallsThatNameNoPort) {
  Convert(kPair);
  WriteArray<int64_t>("a.npy", ElementType::i64, {2}, {1, 2});
  ExpectRefusal("--input a=a.npy --input c=a.npy", 2,
                "--input: input \"c\": is not in the model; must be one of \"a\" i64[2], \"b\" "
                "i64[2]\n");
  ExpectRefusal("--input a=a.npy --input 2=a.npy", 2,
                "--input: input \"2\": is not in the model; ");
  ExpectRefusal("--input a=a.npy --input 0=a.npy", 2,
                "--input: input \"a\": is given twice; must be given once\n");
  ExpectRefusal("--input a.npy", 2, "--input: is \"a.npy\"; must be NAME=FILE\n");
  ExpectRefusal("--input \"$(printf 'a\\nb')=a.npy\"", 2,
                "--input: input \"a\\nb\": is not in the model; ");
}

TEST_F(RunCommand, RefusesArraysThatDoNotFit) {
  Convert(kPair);
  WriteArray<int64_t>("good.npy", ElementType::i64, {2}, {1, 2});
  WriteFloats("type.npy", {2}, {1, 2});
  WriteArray<int64_t>("shape.npy", ElementType::i64, {3}, {1, 2, 3});
  WriteArray<int64_t>("two.npy", ElementType::i64, {2, 2}, {1, 2, 3, 4});
  WriteArray<int64_t>("three.npy", ElementType::i64, {3, 2}, {1, 2, 3, 4, 5, 6});
  WriteArray<int64_t>("none.npy", ElementType::i64, {0, 2}, {});
  WriteText("text.npy", "hello");
  ExpectRefusal(
      "--input a=type.npy --input b=shape.npy", 1,
      "type.npy: is f32[2]; input \"a\" must be i64[2], or i64[K,2] to feed K successive "
      "calls (--cast converts element types)\nshape.npy: is i64[3]; input \"b\" must be i64[2]");
  ExpectRefusal("--input a=two.npy --input b=three.npy", 1,
                "three.npy: feeds 3 calls but two.npy feeds 2; must be equal\n");
  ExpectRefusal("--input a=none.npy --input b=good.npy", 1,
                "none.npy: is i64[0,2]; must have at least 1 call\n");
  ExpectRefusal("--input a=text.npy --input b=absent.npy", 1,
                "text.npy: is not a .npy file; must be an array that numpy.save wrote\n"
                "absent.npy: cannot be read: No such file or directory\n");
  WriteText("empty.wav", "");
  WriteText("big.wav", "RIFX1234WAVEfmt ");
  ExpectRefusal("--input a=empty.wav --input b=big.wav", 1,
                "empty.wav: is empty; must be a .npy or .wav file\n"
                "big.wav: is a .wav file that begins with RIFX; must begin with RIFF\n");
  WriteText("short.wav", "RIFF");
  WriteText("other.avi", "RIFF1234AVI LIST");
  ExpectRefusal("--input a=short.wav --input b=other.avi", 1,
                "short.wav: has no format; must hold samples\n"
                "other.avi: is not a .npy file; must be an array that numpy.save wrote\n");
  for (const auto& [file, bytes, is] : std::vector<std::array<std::string, 3>>{
           {"a.wav", "fLaC", "is a FLAC file; must be a .wav file (RIFF with WAVE)"},
           {"a.WAV", "ID3\x04", "is an MP3 file; must be a .wav file (RIFF with WAVE)"},
           {"b.wav", "\xff\xfb\x90", "is an MP3 file; must be a .wav file (RIFF with WAVE)"},
           {"c.wav", "RIFF1234AVI LIST", "is not a .wav file; must be RIFF with WAVE"},
           {"d.wav", "FORM1234AIFC", "is an AIFF file; must be a .wav file (RIFF with WAVE)"},
           {"e.wav", "hello", "is not a .wav file; must be RIFF with WAVE"},
           {"a.ogg", "OggS", "is an Ogg file; must be a .npy or .wav file"}}) {
    WriteText(file, bytes);
    ExpectRefusal("--input a=" + file + " --input b=good.npy", 1, file + ": " + is + "\n");
  }
}

TEST_F(RunCommand, RefusesMoreCallsThanAnEmptyArrayMayClaim) {
  WriteModel(R"(<net name="empty" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="1,0" element_type="f32"/>
<output><port id="0" precision="FP32" names="x"><dim>1</dim><dim>0</dim></port></output></layer>
<layer id="1" name="r" type="ReLU" version="opset1"><input><port id="0"><dim>1</dim><dim>0</dim></port></input>
<output><port id="1" precision="FP32" names="y"><dim>1</dim><dim>0</dim></port></output></layer>
<layer id="2" name="o" type="Result" version="opset1"><input><port id="0"><dim>1</dim><dim>0</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>)");
  const Outcome converted = Weft("convert model.xml -o model.weft");
  ASSERT_EQ(converted.code, 0) << converted.err;
  WriteFloats("x.npy", {INT64_MAX, 1, 0}, {});
  ExpectRefusal("--input x=x.npy", 1,
                "x.npy: is f32[9223372036854775807,1,0] and has calls without bytes; must have "
                "at most 1000000 of them\n");
  WriteFloats("x.npy", {3, 1, 0}, {});
  ASSERT_EQ(Weft("run model.weft --input x=x.npy --output-dir out").code, 0);
  EXPECT_EQ(ReadElements<float>("out/y.npy", "f32[3,1,0]"), Floats());
}

TEST_F(RunCommand, LeavesNothingWhenItCannotWrite) {
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  WriteText("file", "in the way");
  EXPECT_EQ(Weft("run model.weft --input x=x.npy --output-dir file").code, 1);
  std::filesystem::create_directories(Path("out/y.npy"));
  EXPECT_EQ(Weft("run model.weft --input x=x.npy --output-dir out").code, 1);
  EXPECT_EQ(Entries(), (Names{"file", "model.bin", "model.weft", "model.xml", "out", "x.npy"}));
  EXPECT_EQ(Text("file"), "in the way");
}

TEST_F(RunCommand, RefusesWhatIsNoModel) {
  WriteText("model.weft", "");
  ExpectRefusal("", 1, "model.weft: ");
  std::filesystem::remove(Path("model.weft"));
  ExpectRefusal("", 1, "model.weft: cannot be read: No such file or directory\n");
  WriteText("model.weft", std::string(4096, 'x'));
  ExpectRefusal("", 1, "model.weft: ");
}

class CompareCommand : public CommandTest {};

TEST_F(CompareCommand, AgreesWithinTolerance) {
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  WriteFloats("y.npy", {2, 3}, {11, 22, 33, 14, 25, 36.0003f});
  const Outcome outcome = Weft("compare model.weft --input x=x.npy --expect y=y.npy");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("y: equal, 6 elements, largest difference 0.0003"))
      << outcome.out;
  const Outcome exact =
      Weft("compare model.weft --input x=x.npy --expect y=y.npy --rtol 0 --atol 0 --json");
  EXPECT_EQ(exact.code, 1);
  const auto json = nlohmann::json::parse(exact.out);
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["outputs"][0]["mismatches"], 1);
  EXPECT_EQ(json["outputs"][0]["first"]["index"], (std::vector<int>{1, 2}));
}

TEST_F(CompareCommand, SaysWhereOutputsDiffer) {
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  WriteFloats("y.npy", {2, 3}, {11, 22, 33.5f, 14, 20, 36});
  const Outcome outcome = Weft("compare model.weft --input x=x.npy --expect 0=y.npy");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out,
            "y: 2 of 6 elements differ; first at [0,2]: is 33, must be 33.5; largest difference 5 "
            "at [1,1]\n");
}

TEST_F(CompareCommand, HoldsOneModelAgainstAnother) {
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  const Outcome same = Weft("compare model.weft model.weft --input x=x.npy");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.out, "y: equal, 6 elements, largest difference 0\n");

  const float weights[] = {10, 20, 31};
  WriteText("model.bin", {reinterpret_cast<const char*>(weights), sizeof weights});
  ASSERT_EQ(Weft("convert model.xml -o other.weft").code, 0);
  WriteFloats("x.npy", {2, 3}, {0, 0, 0, 0, 0, 0});
  const Outcome other = Weft("compare model.weft other.weft --input x=x.npy");
  EXPECT_EQ(other.code, 1);
  EXPECT_EQ(other.out,
            "y: 2 of 6 elements differ; first at [0,2]: is 30, must be 31; largest difference 1 at "
            "[0,2]; signal to noise 31.6 dB\n");
  const auto json = nlohmann::json::parse(
      Weft("compare model.weft other.weft --input x=x.npy --atol 1 --json").out);
  EXPECT_EQ(json["equal"], true);
  EXPECT_NEAR(json["outputs"][0]["signal_to_noise_db"], 31.65, 0.01);

  ASSERT_EQ(Weft("convert model.xml -o model.weft").code, 0);
  WriteModel(kPair);
  ASSERT_EQ(Weft("convert model.xml -o pair.weft").code, 0);
  EXPECT_EQ(Weft("compare model.weft pair.weft --input x=x.npy").code, 2) << "other inputs";
  EXPECT_EQ(Weft("compare model.weft absent.weft --input x=x.npy").code, 1);
}

TEST_F(CompareCommand, RefusesExpectationsOfAnotherTypeOrShape) {
  Convert(kSum);
  WriteFloats("x.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  WriteFloats("flat.npy", {6}, {11, 22, 33, 14, 25, 36});
  const Outcome shape = Weft("compare model.weft --input x=x.npy --expect y=flat.npy");
  EXPECT_EQ(shape.code, 1);
  EXPECT_EQ(shape.out, "y: is f32[2,3]; flat.npy expects f32[6]\n");
  WriteArray<int32_t>("int.npy", ElementType::i32, {2, 3}, {11, 22, 33, 14, 25, 36});
  const Outcome type = Weft("compare model.weft --input x=x.npy --expect y=int.npy");
  EXPECT_EQ(type.code, 1);
  EXPECT_EQ(type.err,
            "int.npy: is i32[2,3]; output \"y\" is f32[2,3] (--cast converts element "
            "types)\n");
  EXPECT_EQ(Weft("compare model.weft --input x=x.npy --expect z=flat.npy").code, 2);
}

TEST_F(CompareCommand, ComparesEveryCall) {
  Convert(kCounter);
  WriteFloats("x.npy", {3, 2}, {1, 10, 2, 20, 3, 30});
  WriteFloats("y.npy", {3, 2}, {1, 10, 3, 30, 6, 60});
  EXPECT_EQ(Weft("compare model.weft --input x=x.npy --expect total=y.npy").code, 0);
  WriteFloats("y.npy", {3, 2}, {1, 10, 3, 30, 6, 61});
  const Outcome outcome = Weft("compare model.weft --input x=x.npy --expect total=y.npy");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("first at [2,1]: is 60, must be 61"), std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace weft::cli
