// SPDX-License-Identifier: Apache-2.0
// weft compare A B --layers: compares each layer with the same layer of another file of the model.
#include <cmath>
#include <map>
#include <sstream>

#include "tests/cli/command_fixture.h"

namespace weft::cli {
namespace {

class CompareModels : public CommandTest {
 protected:
  void ConvertTo(const std::string& model, const std::string& file,
                 const std::string& options) const {
    const Outcome outcome =
        Weft("convert '" WEFT_SOURCE_DIR "/" + model + "' -o " + file + " " + options);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  // Compares a model in i8 with the model in f32.
  nlohmann::json Rows(const std::string& model, const std::string& more, int code) const {
    ConvertTo(model, "i8.weft", "--precision i8 --json");
    ConvertTo(model, "f32.weft", "--precision f32 --json");
    const Outcome outcome = Weft("compare i8.weft f32.weft --json " + more + " --layers");
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
};

constexpr const char* kKeypadModel = "examples/dtmf/model/dtmf.xml";
const std::string kRecordingInput =
    "--input 'audio=" WEFT_SOURCE_DIR "/examples/dtmf/model/test.wav' --atol 1e-5";

TEST_F(CompareModels, FindsWeightsAndValuesOfEachLayer) {
  const auto json = Rows(kKeypadModel, kRecordingInput, 1);
  std::map<std::string, nlohmann::json> rows;
  for (const auto& row : json["layers"]) rows[row["layer"]] = row;
  for (const char* layer : {"p", "gru", "mixed"}) {
    ASSERT_TRUE(rows.contains(layer)) << layer;
    EXPECT_EQ(rows[layer]["type"], "i8");
    EXPECT_LT(rows[layer]["bytes"], rows[layer]["bytes_before"]);
    EXPECT_NEAR(rows[layer]["weights_signal_to_noise_db"].get<double>(), 46, 3) << layer;
    EXPECT_GT(rows[layer]["elements"], 0);
    EXPECT_GT(rows[layer]["signal_to_noise_db"], 20);
    EXPECT_GT(rows[layer]["largest_difference"], 0);
  }
  EXPECT_EQ(json["outputs"].size(), 1u);
  // Equal to the output of convert for the weights of a layer with one product.
  const auto said =
      nlohmann::json::parse(Weft("convert '" WEFT_SOURCE_DIR "/examples/dtmf/model/dtmf.xml' "
                                 "-o again.weft --precision i8 --json")
                                .out);
  for (const auto& one : said["weights_by_layer"]) {
    if (one["layer"] != "p") continue;
    EXPECT_NEAR(rows["p"]["weights_signal_to_noise_db"].get<double>(),
                one["signal_to_noise_db"].get<double>(), 1e-6);
  }
}

// The values of the last layer are the output.
TEST_F(CompareModels, TheLayerOfAnOutputHasItsDifference) {
  const auto json = Rows(kKeypadModel, kRecordingInput, 1);
  EXPECT_EQ(json["layers"].back()["largest_difference"], json["outputs"][0]["largest_difference"]);
  EXPECT_EQ(json["layers"].back()["elements"], json["outputs"][0]["elements"]);
}

TEST_F(CompareModels, SeesEveryStepOfALoop) {
  const std::string lstm = "tests/size/models/lstm.xml";
  ConvertTo(lstm, "f16.weft", "--precision f16");
  ConvertTo(lstm, "f32.weft", "--precision f32");
  const auto inputs = nlohmann::json::parse(Weft("inspect f32.weft --json").out)["inputs"];
  ASSERT_EQ(inputs.size(), 1u);
  Dims dims;
  int64_t count = 1;
  for (const auto& dim : inputs[0]["shape"]) dims.push_back(dim);
  for (const int64_t dim : dims) count *= dim;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<float>(std::sin(i * 0.7)));
  WriteFloats("x.npy", dims, values);
  const Outcome outcome = Weft("compare f16.weft f32.weft --input 0=x.npy --json --layers");
  const auto json = nlohmann::json::parse(outcome.out);
  bool found = false;
  for (const auto& row : json["layers"]) {
    if (row["layer"] != "LSTMSequence_39") continue;
    found = true;
    EXPECT_EQ(row["type"], "f16");
    EXPECT_NEAR(row["weights_signal_to_noise_db"].get<double>(), 73.7, 1);
    EXPECT_GT(row["elements"], 64);
    EXPECT_GT(row["signal_to_noise_db"], 50);
  }
  EXPECT_TRUE(found) << outcome.out;
}

TEST_F(CompareModels, PrintsLinesOfEightyColumns) {
  ConvertTo(kKeypadModel, "i8.weft", "--precision i8");
  ConvertTo(kKeypadModel, "f32.weft", "--precision f32");
  const Outcome outcome = Weft("compare i8.weft f32.weft " + kRecordingInput + " --layers");
  std::istringstream lines(outcome.out.substr(0, outcome.out.find("keys")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(CompareModels, EqualFilesAreEqualInEveryLayer) {
  ConvertTo(kKeypadModel, "a.weft", "");
  const Outcome outcome = Weft("compare a.weft a.weft " + kRecordingInput + " --json --layers");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  for (const auto& row : json["layers"]) EXPECT_EQ(row["mismatches"], 0) << row;
}

// A file with more frames per call has fewer calls.
TEST_F(CompareModels, RefusesFilesOfOtherCalls) {
  const std::string lstm = "tests/size/models/lstm.xml";
  ConvertTo(lstm, "one.weft", "--streaming");
  ConvertTo(lstm, "four.weft", "--streaming=4");
  const auto input = nlohmann::json::parse(Weft("inspect four.weft --json").out)["inputs"][0];
  Dims dims;
  int64_t count = 1;
  for (const auto& dim : input["shape"]) dims.push_back(dim);
  dims[static_cast<size_t>(std::ranges::find(dims, 4) - dims.begin())] = 8;
  for (const int64_t dim : dims) count *= dim;
  WriteFloats("x.npy", dims, std::vector<float>(static_cast<size_t>(count)));
  const Outcome outcome = Weft("compare one.weft four.weft --input 0=x.npy --layers");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "four.weft: reads the inputs in 2 calls; one.weft in 8; the numbers must be equal\n");
}

TEST_F(CompareModels, RefusesWrongCalls) {
  Convert(kSum);
  EXPECT_EQ(Weft("compare model.weft --input x=x.npy --layers").err,
            "weft compare: --layers: has no folder; must have one, or follow OTHER\n");
  EXPECT_EQ(Weft("compare model.weft model.weft --input x=x.npy --layers folder").code, 2);
  EXPECT_EQ(Weft("compare model.weft model.weft --repeat 2 --layers").code, 2);
  EXPECT_EQ(Weft("compare model.weft none.weft --input x=x.npy --layers").code, 1);
}

}  // namespace
}  // namespace weft::cli
