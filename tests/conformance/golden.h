// SPDX-License-Identifier: Apache-2.0
// A stored case, converted and opened, and the comparison of its outputs by the rule of README.md.
#ifndef WEFT_TESTS_CONFORMANCE_GOLDEN_H_
#define WEFT_TESTS_CONFORMANCE_GOLDEN_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/base/files.h"
#include "converter/cli/loaded_model.h"
#include "converter/cli/npy.h"
#include "converter/pipeline.h"

namespace weft {

// Folders under `root` that hold a case.json, sorted.
inline std::vector<std::string> CaseNamesIn(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() != "case.json") continue;
    names.push_back(fs::relative(entry.path().parent_path(), root).generic_string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Tolerance {
  double relative, absolute;
};

inline bool Overlapping(double actual, double expected, Tolerance tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (actual == expected) return true;
  if (std::isinf(expected)) return false;
  return std::abs(actual - expected) <=
         std::max(tolerance.absolute, tolerance.relative * std::abs(expected));
}

template <typename T>
void CompareFloats(const T* actual, const T* expected, size_t count, Tolerance tolerance) {
  for (size_t i = 0; i < count; ++i) {
    ASSERT_TRUE(Overlapping(actual[i], expected[i], tolerance))
        << "element " << i << " is " << actual[i] << "; must be " << expected[i];
  }
}

inline void Compare(const std::byte* actual, ElementType type, const std::byte* expected,
                    size_t bytes, Tolerance tolerance) {
  if (type == ElementType::f32) {
    CompareFloats(reinterpret_cast<const float*>(actual), reinterpret_cast<const float*>(expected),
                  bytes / sizeof(float), tolerance);
  } else if (type == ElementType::f64) {
    CompareFloats(reinterpret_cast<const double*>(actual),
                  reinterpret_cast<const double*>(expected), bytes / sizeof(double), tolerance);
  } else if (bytes != 0) {
    EXPECT_EQ(std::memcmp(actual, expected, bytes), 0) << "integers and booleans match exactly";
  }
}

// A test over the cases of one folder; the parameter is the case's name.
class GoldenCase : public testing::TestWithParam<std::string> {
 protected:
  explicit GoldenCase(const std::filesystem::path& root) : folder_(root / GetParam()) {}

  void SetUp() override {
    json_ = nlohmann::json::parse(std::ifstream(folder_ / "case.json"));
    file_ = std::filesystem::temp_directory_path() /
            ("weft_" + std::to_string(std::hash<std::string>{}(GetParam())) + ".weft");
  }
  void TearDown() override { std::filesystem::remove(file_); }

  // Parses the options of the case like `weft convert`.
  pipeline::ConvertOptions Options() const {
    pipeline::ConvertOptions options;
    options.model = folder_ / "model.tflite";
    if (!std::filesystem::exists(options.model)) options.model = folder_ / "model.xml";
    const std::vector<std::string> words = json_.value("convert", std::vector<std::string>());
    for (size_t i = 0; i + 1 < words.size(); i += 2) {
      if (words[i] == "--arena-budget") {
        options.arena_budget_bytes = std::stoll(words[i + 1]);
      } else if (words[i] == "--max-iterations") {
        options.max_iterations = std::stoll(words[i + 1]);
      } else if (words[i] == "--precision") {
        options.precisions.all = program::PrecisionOf(words[i + 1]).value();
      } else if (words[i] == "--shape") {
        const size_t equals = words[i + 1].find('=');
        std::istringstream dims(words[i + 1].substr(equals + 1));
        Dims& shape = options.shapes[words[i + 1].substr(0, equals)];
        for (std::string dim; std::getline(dims, dim, ',');) shape.push_back(std::stoll(dim));
      } else {
        ADD_FAILURE() << "case.json: unsupported option " << words[i];
      }
    }
    return options;
  }

  void ConvertAndOpen(std::optional<int64_t> streaming_steps = std::nullopt) {
    Faults faults;
    pipeline::ConvertOptions options = Options();
    options.streaming_steps = streaming_steps;
    const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    for (const std::string& line : faults.lines()) ADD_FAILURE() << line;
    ASSERT_TRUE(converted.has_value());
    streamed_ = converted->streamed;
    std::ofstream(file_, std::ios::binary)
        .write(reinterpret_cast<const char*>(converted->file.data()),
               static_cast<std::streamsize>(converted->file.size()));
    model_ = cli::LoadedModel::Load(file_, faults);
    if (model_ != nullptr) model_->Open(faults);
    for (const std::string& line : faults.lines()) ADD_FAILURE() << line;
    ASSERT_TRUE(faults.ok());
  }

  // Reads all arrays of the case: one for each of `inputs`, then one for each of `outputs`.
  std::vector<cli::Array> Arrays() const {
    std::vector<cli::Array> arrays;
    std::string reason;
    const std::optional<std::vector<std::byte>> file = ReadFile(folder_ / "arrays.npy", &reason);
    EXPECT_TRUE(file.has_value()) << reason;
    if (!file) return arrays;
    for (std::span<const std::byte> rest = *file; !rest.empty();) {
      size_t used_bytes = 0;
      std::optional<cli::Array> array = cli::ParseFirstNpy(rest, &used_bytes, &reason);
      EXPECT_TRUE(array.has_value()) << "arrays.npy: array " << arrays.size() << " " << reason;
      if (!array) break;
      arrays.push_back(std::move(*array));
      rest = rest.subspan(used_bytes);
    }
    return arrays;
  }

  // Compares an output of one call.
  virtual void CompareOutput(const std::byte* actual, ElementType type, const std::byte* expected,
                             size_t bytes, Tolerance tolerance) {
    Compare(actual, type, expected, bytes, tolerance);
  }

  // Runs every call of the case and compares the outputs.
  void RunAndCompare() {
    ConvertAndOpen();
    if (HasFailure()) return;
    const std::vector<cli::Array> arrays = Arrays();
    Engine& engine = model_->engine();
    ASSERT_EQ(json_.at("inputs").size(), engine.input_count());
    ASSERT_EQ(json_.at("outputs").size(), engine.output_count());
    ASSERT_EQ(arrays.size(), engine.input_count() + engine.output_count());
    const auto inputs = std::span(arrays).first(engine.input_count());
    const auto expected = std::span(arrays).subspan(engine.input_count());
    const size_t calls = json_.value("calls", size_t{1});
    const Tolerance tolerance{json_.at("rtol"), json_.at("atol")};
    for (size_t call = 0; call < calls; ++call) {
      for (uint32_t i = 0; i < inputs.size(); ++i) {
        const Tensor tensor = engine.input(i);
        ASSERT_EQ(tensor.bytes * calls, inputs[i].bytes.size()) << "input " << i;
        ASSERT_EQ(model_->inputs()[i].type.type, inputs[i].type.type) << "input " << i;
        if (tensor.bytes == 0) continue;
        std::memcpy(tensor.data, inputs[i].bytes.data() + call * tensor.bytes, tensor.bytes);
      }
      ASSERT_TRUE(engine.Run().ok());
      for (uint32_t i = 0; i < expected.size(); ++i) {
        SCOPED_TRACE("output " + std::to_string(i) + " of call " + std::to_string(call));
        const Tensor tensor = engine.output(i);
        Dims dims(tensor.dims, tensor.dims + tensor.rank);
        if (json_.contains("calls")) dims.insert(dims.begin(), static_cast<int64_t>(calls));
        EXPECT_EQ(dims, expected[i].type.dims);
        ASSERT_EQ(model_->outputs()[i].type.type, expected[i].type.type);
        ASSERT_EQ(tensor.bytes * calls, expected[i].bytes.size());
        CompareOutput(static_cast<const std::byte*>(tensor.data), expected[i].type.type,
                      expected[i].bytes.data() + call * tensor.bytes, tensor.bytes, tolerance);
      }
    }
  }

  std::filesystem::path folder_, file_;
  nlohmann::json json_;
  std::optional<graph::Streamed> streamed_;
  std::unique_ptr<cli::LoadedModel> model_;
};

// Converts "family/case" to a test name.
inline std::string TestNameOf(const testing::TestParamInfo<std::string>& instance) {
  std::string name = instance.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

}  // namespace weft

#endif  // WEFT_TESTS_CONFORMANCE_GOLDEN_H_
