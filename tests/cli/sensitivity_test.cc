// SPDX-License-Identifier: Apache-2.0
// weft convert --sensitivity and --max-error.
#include <fmt/format.h>

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

}  // namespace
}  // namespace weft::cli
