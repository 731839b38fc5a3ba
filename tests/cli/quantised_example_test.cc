// SPDX-License-Identifier: Apache-2.0
// The model of examples/quantise, calibrated by NNCF: its conversion and its results.
#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

constexpr const char* kCalibrated = "'" WEFT_SOURCE_DIR "/examples/quantise/model/keypad_int8.xml'";
constexpr const char* kFloats = "'" WEFT_SOURCE_DIR "/examples/dtmf/model/dtmf.xml'";
constexpr const char* kSound = "--input 'audio=" WEFT_SOURCE_DIR "/examples/dtmf/model/test.wav'";

class QuantisedExample : public CommandTest {
 protected:
  int64_t Converted(const std::string& arguments) const {
    const Outcome outcome = Weft("convert " + arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return static_cast<int64_t>(std::filesystem::file_size(Path("m.weft")));
  }

  // Number of the 255 frames of the recording with the same most likely class as in OpenVINO's f32.
  int AnswersInCommon() const {
    const Outcome outcome = Weft(std::string("run m.weft --output-dir . ") + kSound);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::filesystem::copy_file(WEFT_SOURCE_DIR "/examples/dtmf/model/expected.npy",
                               Path("floats.npy"), std::filesystem::copy_options::update_existing);
    const std::vector<int64_t> heard = Likeliest("keys.npy"), expected = Likeliest("floats.npy");
    EXPECT_EQ(heard.size(), expected.size());
    int same = 0;
    for (size_t i = 0; i < std::min(heard.size(), expected.size()); ++i) {
      same += heard[i] == expected[i];
    }
    return same;
  }

 private:
  std::vector<int64_t> Likeliest(std::string_view file) const {
    constexpr int kAnswers = 17;
    const std::vector<float> answers = ReadElements<float>(file, "f32[255,1,17]");
    std::vector<int64_t> likeliest;
    for (auto at = answers.begin(); at < answers.end(); at += kAnswers) {
      likeliest.push_back(std::max_element(at, at + kAnswers) - at);
    }
    return likeliest;
  }
};

TEST_F(QuantisedExample, MultipliesIntegersWhereItWasCalibrated) {
  const int64_t bytes = Converted(std::string(kCalibrated) + " -o m.weft");
  const auto json = nlohmann::json::parse(Weft("inspect m.weft --json").out);
  EXPECT_EQ(json["steps"]["dense_q8"], 2) << "the filters and the last layer";
  EXPECT_GE(AnswersInCommon(), 253);
  EXPECT_LT(bytes, Converted(std::string(kFloats) + " -o m.weft --precision f32") * 0.75);
}

TEST_F(QuantisedExample, TakesNarrowWeightsWhereItWasNot) {
  const int64_t bytes = Converted(std::string(kCalibrated) + " -o m.weft --precision i8");
  EXPECT_GE(AnswersInCommon(), 253);
  EXPECT_LT(bytes, Converted(std::string(kFloats) + " -o m.weft --precision f32") * 0.5);
}

TEST_F(QuantisedExample, AnswersNearlyWhatFloatsDo) {
  Converted(std::string(kCalibrated) + " -o m.weft");
  EXPECT_EQ(Weft(std::string("convert ") + kFloats + " -o f.weft --precision f32").code, 0);
  const auto json = nlohmann::json::parse(
      Weft(std::string("compare m.weft f.weft --json --atol 1 ") + kSound).out);
  EXPECT_GT(json["outputs"][0]["signal_to_noise_db"], 40);
}

TEST_F(QuantisedExample, SaysWhatItsLayersWeigh) {
  const auto json =
      nlohmann::json::parse(Weft(std::string("convert ") + kCalibrated + " -o m.weft --json").out);
  std::map<std::string, nlohmann::json> rows;
  for (const auto& row : json["weights_by_layer"]) rows[row["layer"]] = row;
  EXPECT_EQ(rows["p"]["type"], "i8");
  EXPECT_EQ(rows["p"]["bytes_before"], 80 * 32 * 4);
  EXPECT_GE(rows["p"]["bytes"], 80 * 32 + 32 * 4);
  EXPECT_EQ(rows["p"]["signal_to_noise_db"], nullptr);
  EXPECT_EQ(rows["mixed"]["bytes_before"], 24 * 17 * 4);
  EXPECT_EQ(rows["gru"]["type"], "f32");
}

// The file does not contain the scale of a layer's data, so its weights are known up to a factor.
TEST_F(QuantisedExample, HoldsItsWeightsAgainstThoseOfFloats) {
  Converted(std::string(kCalibrated) + " -o m.weft");
  EXPECT_EQ(Weft(std::string("convert ") + kFloats + " -o f.weft --precision f32").code, 0);
  const auto json = nlohmann::json::parse(
      Weft(std::string("compare m.weft f.weft --layers --json --atol 1 ") + kSound).out);
  int products = 0;
  for (const auto& row : json["layers"]) {
    if (row["type"] != "i8") continue;
    ++products;
    EXPECT_GT(row["weights_signal_to_noise_db"], 40) << row;
    EXPECT_LT(row["weights_signal_to_noise_db"], 60) << row;
  }
  EXPECT_EQ(products, 2);
}

TEST_F(QuantisedExample, RanksItsLayers) {
  const auto json = nlohmann::json::parse(
      Weft(std::string("convert ") + kCalibrated + " -o m.weft --precision i8 --sensitivity --json")
          .out)["sensitivity"];
  EXPECT_EQ(json["layers"].size(), 3u);
  EXPECT_EQ(json["kept"].size(), 0u);
  EXPECT_EQ(Weft(std::string("convert ") + kCalibrated + " -o m.weft --precision mixed=i8").code,
            0);
}

}  // namespace
}  // namespace weft::cli
