// SPDX-License-Identifier: Apache-2.0
// weft convert --sensitivity and --max-error.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

constexpr const char* kKeypad = "'" WEFT_SOURCE_DIR "/examples/dtmf/model/dtmf.xml'";
constexpr const char* kRecording = WEFT_SOURCE_DIR "/examples/dtmf/model/test.wav";

class SensitivityCommand : public CommandTest {
 protected:
  nlohmann::json Json(const std::string& arguments) const {
    const Outcome outcome = Weft(std::string("convert ") + kKeypad + " -o m.weft " + arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
};

TEST_F(SensitivityCommand, RanksLayersByWhatTheOutputsShow) {
  const auto json = Json("--precision i8 --sensitivity --json")["sensitivity"];
  EXPECT_EQ(json["runs"], 16);
  EXPECT_NE(json["inputs"].get<std::string>().find("random"), std::string::npos);
  ASSERT_EQ(json["layers"].size(), 3u);
  double before = 0;
  for (const auto& row : json["layers"]) {
    EXPECT_EQ(row["type"], "i8");
    EXPECT_GT(row["bytes_saved"], 0);
    EXPECT_GT(row["largest_difference"], 0);
    EXPECT_GE(row["signal_to_noise_db"], before);
    before = row["signal_to_noise_db"];
  }
  EXPECT_GT(json["all"]["bytes_saved"], json["layers"][0]["bytes_saved"]);
}

// The numbers equal those of `weft compare` for the two files.
TEST_F(SensitivityCommand, MeasuresWhatCompareMeasures) {
  const std::string input = std::string(" --input 'audio=") + kRecording + "'";
  const auto found = Json("--precision f32 --precision p=i8 --sensitivity --json" + input);
  ASSERT_EQ(found["sensitivity"]["layers"].size(), 1u);
  const auto& row = found["sensitivity"]["layers"][0];
  EXPECT_EQ(row["layer"], "p");
  EXPECT_EQ(Weft(std::string("convert ") + kKeypad + " -o f.weft --precision f32").code, 0);
  const auto compared =
      nlohmann::json::parse(Weft("compare m.weft f.weft --json" + input).out)["outputs"][0];
  EXPECT_EQ(row["largest_difference"], compared["largest_difference"]);
  EXPECT_NEAR(row["signal_to_noise_db"].get<double>(), compared["signal_to_noise_db"].get<double>(),
              1e-6);
  EXPECT_EQ(row["bytes_saved"], static_cast<int64_t>(std::filesystem::file_size(Path("f.weft"))) -
                                    found["file_bytes"].get<int64_t>());
}

TEST_F(SensitivityCommand, PrintsLinesOfEightyColumns) {
  const Outcome outcome =
      Weft(std::string("convert ") + kKeypad + " -o m.weft --precision i8 --sensitivity");
  const size_t begin = outcome.out.find("output error if only one layer");
  ASSERT_NE(begin, std::string::npos) << outcome.out;
  std::istringstream lines(outcome.out.substr(begin));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(SensitivityCommand, ChoosesTypesThatHoldTheError) {
  const std::string input = std::string(" --input 'audio=") + kRecording + "'";
  int64_t before = 0;
  for (const double max : {1e-1, 1e-2, 1e-3, 0.0}) {
    const auto json = Json(fmt::format("--max-error {} --json", max) + input);
    const auto& choice = json["chosen_for_error"];
    EXPECT_EQ(choice["runs"], 255);
    EXPECT_LE(choice["largest_difference"], max);
    // The printed options reproduce the file.
    const std::string chosen = Text("m.weft");
    std::string words;
    for (const auto& word : choice["precision"]) words += " --precision " + word.get<std::string>();
    EXPECT_EQ(Weft(std::string("convert ") + kKeypad + " -o again.weft" + words).code, 0);
    EXPECT_EQ(Text("again.weft"), chosen);
    EXPECT_GE(json["file_bytes"], before);
    before = json["file_bytes"];
  }
}

// With the recording, i8 in all layers has about 40 dB.
TEST_F(SensitivityCommand, KeepsLayersUntilTheRatioIsReached) {
  const std::string input = std::string(" --input 'audio=") + kRecording + "'";
  Json("--precision i8 --min-snr 0 --json");
  const std::string requested = Text("m.weft");
  EXPECT_FALSE(Json("--precision i8 --min-snr 0 --json").contains("output_snr"));
  double before = Json("--precision i8 --json" + input)["output_snr"]["requested"]["db"];
  EXPECT_GT(before, 35);
  EXPECT_EQ(Text("m.weft"), requested) << "the default limit is reached";
  size_t kept = 0;
  for (const double more : {0.5, 3.0, 10.0}) {
    const double limit = before + more;
    const auto snr =
        Json(fmt::format("--precision i8 --min-snr {} --json", limit) + input)["output_snr"];
    EXPECT_EQ(snr["runs"], 255);
    EXPECT_TRUE(snr["is_reached"]);
    EXPECT_GE(snr["result"]["db"], limit);
    EXPECT_GE(snr["kept"].size(), kept);
    EXPECT_GT(snr["kept"].size(), 0u);
    kept = snr["kept"].size();
    const std::string chosen = Text("m.weft");
    EXPECT_GT(chosen.size(), requested.size());
    // `weft compare` measures the same ratio, and the printed options reproduce the file.
    EXPECT_EQ(Weft(std::string("convert ") + kKeypad + " -o f.weft --precision f32").code, 0);
    const auto compared = nlohmann::json::parse(Weft("compare m.weft f.weft --json" + input).out);
    double lowest = 1000;
    for (const auto& output : compared["outputs"]) {
      lowest = std::min(lowest, output["signal_to_noise_db"].get<double>());
    }
    EXPECT_NEAR(lowest, snr["result"]["db"].get<double>(), 1e-6);
    std::string words;
    for (const auto& word : snr["precision"]) words += " --precision " + word.get<std::string>();
    EXPECT_EQ(Weft(std::string("convert ") + kKeypad + " -o again.weft --min-snr 0" + words).code,
              0);
    EXPECT_EQ(Text("again.weft"), chosen);
  }
}

TEST_F(SensitivityCommand, KeepsTheRequestIfNoWeightsReachTheRatio) {
  Json("--precision i8 --min-snr 0 --json");
  const std::string requested = Text("m.weft");
  const auto snr = Json("--precision i8 --min-snr 200 --json")["output_snr"];
  EXPECT_FALSE(snr["is_reached"]);
  EXPECT_TRUE(snr["kept"].empty());
  EXPECT_EQ(Text("m.weft"), requested);
}

TEST_F(SensitivityCommand, KeepsWeightsThatTheTargetReadsFast) {
  const auto type = [&](const std::string& target) {
    const auto snr = Json("--precision i8 --min-snr 50 --json --target " + target)["output_snr"];
    EXPECT_TRUE(snr["is_reached"]) << target;
    EXPECT_NE(snr["precision"].back().get<std::string>().find("=" + snr["type"].get<std::string>()),
              std::string::npos);
    return snr["type"].get<std::string>();
  };
  EXPECT_EQ(type("cortex-m4f"), "f16");
  EXPECT_EQ(type("riscv64-linux"), "f32");
}

TEST_F(SensitivityCommand, TakesAFolderOfInputs) {
  std::filesystem::create_directory(Path("samples"));
  std::filesystem::copy(kRecording, Path("samples/audio.wav"));
  const auto json = Json("--max-error 0.01 --precision p=f32 --input samples --json");
  EXPECT_EQ(json["chosen_for_error"]["runs"], 255);
  EXPECT_EQ(json["chosen_for_error"]["precision"][1], "p=f32");
}

TEST_F(SensitivityCommand, WritesNothingWhereInputsAreMissing) {
  std::filesystem::create_directory(Path("empty"));
  for (const char* input : {"empty", "audio=none.npy", "none"}) {
    const Outcome outcome = Weft(std::string("convert ") + kKeypad +
                                 " -o m.weft --precision i8 --sensitivity --input " + input);
    EXPECT_NE(outcome.code, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err, "");
  }
  EXPECT_EQ(Entries(), (Names{"empty"}));
}

TEST_F(SensitivityCommand, DoesNotOverwriteItsInput) {
  std::filesystem::copy(kRecording, Path("a.wav"));
  const Outcome outcome =
      Weft(std::string("convert ") + kKeypad + " -o a.wav --max-error 1 --input audio=a.wav");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("an --input"), std::string::npos) << outcome.err;
}

TEST_F(SensitivityCommand, WorksWithClosedStderrAndSaysWhatItCannotWrite) {
  EXPECT_EQ(
      Weft(std::string("convert ") + kKeypad + " -o m.weft --precision i8 --sensitivity 2>&-").code,
      0);
  const Outcome full =
      Weft(std::string("convert ") + kKeypad + " -o none/m.weft --precision i8 --sensitivity");
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.out, "");
  EXPECT_EQ(Entries(), (Names{"m.weft"}));
}

// NaN in one run of the f32 model hides all differences of this run and, by the state, of all later
// runs.
TEST_F(SensitivityCommand, RefusesInputsWithoutFiniteOutputs) {
  constexpr size_t kRuns = 8, kSamples = 80, kBadRun = 3;
  std::vector<float> audio(kRuns * kSamples, 0.25f);
  for (const float value : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    audio[kBadRun * kSamples] = value;
    WriteFloats("audio.npy", {kRuns, 1, kSamples}, audio);
    for (const char* options : {"--precision auto --max-error 0.01", "--precision i8",
                                "--precision i8 --min-snr 30", "--precision i8 --sensitivity"}) {
      const Outcome outcome = Weft(std::string("convert ") + kKeypad + " -o m.weft " + options +
                                   " --input audio=audio.npy");
      EXPECT_EQ(outcome.code, 1) << options;
      EXPECT_EQ(outcome.out, "");
      EXPECT_EQ(outcome.err, WEFT_SOURCE_DIR
                "/examples/dtmf/model/dtmf.xml with f32 weights: run 3: output 0 \"keys\": element "
                "0 is nan; must be finite\n");
      EXPECT_EQ(Entries(), (Names{"audio.npy"}));
    }
  }
}

// y = functions(x w), with x and y of 32 elements.
std::string DenseThen(const std::vector<std::string>& functions) {
  const std::string row = "<dim>1</dim><dim>32</dim></port>";
  std::string layers =
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"1,32\" "
      "element_type=\"f32\"/><output><port id=\"0\" precision=\"FP32\" names=\"x\">" +
      row +
      "</output></layer><layer id=\"1\" name=\"w\" type=\"Const\" version=\"opset1\"><data "
      "element_type=\"f32\" shape=\"32,32\" offset=\"0\" size=\"4096\"/><output><port id=\"0\" "
      "precision=\"FP32\"><dim>32</dim>" +
      "<dim>32</dim></port></output></layer><layer id=\"2\" name=\"p\" type=\"MatMul\" "
      "version=\"opset1\"><data transpose_a=\"false\" transpose_b=\"true\"/><input><port "
      "id=\"0\">" +
      row +
      "<port id=\"1\"><dim>32</dim><dim>32</dim></port></input><output><port id=\"2\" "
      "precision=\"FP32\" names=\"p\">" +
      row + "</output></layer>";
  std::string edges = R"(<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>)"
                      R"(<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>)";
  size_t id = 3;
  const auto append = [&](const std::string& type, const std::string& output) {
    layers += fmt::format(
        R"(<layer id="{}" name="f{}" type="{}" version="opset1"><input><port id="0">{}</input>)"
        "{}</layer>",
        id, id, type, row, output);
    edges += fmt::format(R"(<edge from-layer="{}" from-port="2" to-layer="{}" to-port="0"/>)",
                         id - 1, id);
    ++id;
  };
  for (const std::string& type : functions) {
    append(type, R"(<output><port id="2" precision="FP32" names="y">)" + row + "</output>");
  }
  append("Result", "");
  return "<net name=\"dense\" version=\"11\"><layers>" + layers + "</layers><edges>" + edges +
         "</edges></net>";
}

class RandomInputs : public CommandTest {
 protected:
  void WriteDense(const std::vector<std::string>& functions) const {
    WriteText("m.xml", DenseThen(functions));
    std::vector<float> weights;
    for (int i = 0; i < 32 * 32; ++i) weights.push_back(std::sin(static_cast<float>(i * i)));
    WriteText("m.bin", {reinterpret_cast<const char*>(weights.data()), weights.size() * 4});
  }
};

TEST_F(RandomInputs, NameTheElementsThatAreLeftOut) {
  WriteDense({"Log"});
  const auto json =
      nlohmann::json::parse(Weft("convert m.xml -o m.weft --precision i8 --json").out);
  const auto& snr = json["output_snr"];
  const int64_t left_out = snr["elements_left_out"];
  EXPECT_GT(left_out, 200) << "half of the logarithms";
  EXPECT_LT(left_out, 312);
  const std::string words =
      fmt::format(", without {} of 512 output elements, which are not finite)", left_out);
  for (const char* options :
       {"--precision i8", "--precision i8 --sensitivity", "--max-error 0.1"}) {
    const Outcome outcome = Weft(std::string("convert m.xml -o m.weft ") + options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(words), std::string::npos) << options << "\n" << outcome.out;
  }
  WriteDense({"Abs"});
  EXPECT_EQ(nlohmann::json::parse(Weft("convert m.xml -o m.weft --precision i8 --json")
                                      .out)["output_snr"]["elements_left_out"],
            0);
}

TEST_F(RandomInputs, MeasureNothingWithoutAFiniteOutput) {
  WriteDense({"Abs", "Negative", "Log"});
  const std::string line =
      "m.xml: no output element is finite with f32 weights and 16 runs of random inputs in [-1, 1);"
      " the output error needs finite outputs, so give such inputs with --input\n";
  for (const char* options :
       {"--precision i8 --sensitivity", "--precision i8 --min-snr 30", "--max-error 0.1"}) {
    const Outcome outcome = Weft(std::string("convert m.xml -o m.weft ") + options);
    EXPECT_EQ(outcome.code, 1) << options;
    EXPECT_EQ(outcome.err, line) << options;
    EXPECT_EQ(Entries(), (Names{"m.bin", "m.xml"}));
  }
  // Without a request for a measurement, the model is converted.
  const Outcome outcome = Weft("convert m.xml -o m.weft --precision i8");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(line), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out.find("output SNR"), std::string::npos) << outcome.out;
  // A model without weights has no error to measure.
  const std::string weightless = "'" WEFT_FIXTURES_DIR "/cases/unary/acosh_33/model.xml'";
  EXPECT_EQ(Weft("convert " + weightless + " -o m.weft --precision i8").err, "");
}

}  // namespace
}  // namespace weft::cli
