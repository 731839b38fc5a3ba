// SPDX-License-Identifier: Apache-2.0
// All conformance models, converted once for all tests of the program.
#ifndef WEFT_TESTS_MODELS_EVERY_CASE_H_
#define WEFT_TESTS_MODELS_EVERY_CASE_H_

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/pipeline.h"
#include "tests/rounds.h"

namespace weft {

struct ConvertedCase {
  std::string name;  // "family/case"
  AlignedBytes file;
};

inline std::filesystem::path FolderOfCases() { return WEFT_FIXTURES_DIR "/cases"; }

inline std::optional<AlignedBytes> FileOfCase(const pipeline::ConvertOptions& options) {
  Faults faults;
  const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  if (!converted) return std::nullopt;
  AlignedBytes file(converted->file.size());
  std::memcpy(file.data(), converted->file.data(), file.size());
  return file;
}

// The precision that the case requests for its weights.
inline program::Precision PrecisionOfCase(const std::filesystem::path& folder) {
  const auto json = nlohmann::json::parse(std::ifstream(folder / "case.json"));
  const auto words = json.value("convert", std::vector<std::string>());
  const auto option = std::find(words.begin(), words.end(), "--precision");
  return option == words.end() ? program::Precision() : program::PrecisionOf(option[1]).value();
}

// The conformance cases that weft converts, in any order; every kThinning-th of them. The
// conformance tests convert all, and check rejected cases.
inline const std::vector<ConvertedCase>& ConvertedCases() {
  static const std::vector<ConvertedCase> kCases = [] {
    namespace fs = std::filesystem;
    std::vector<ConvertedCase> cases;
    int number = 0;
    for (const auto& entry : fs::recursive_directory_iterator(FolderOfCases())) {
      if (entry.path().filename() != "model.xml" || !IsRound(number++)) continue;
      pipeline::ConvertOptions options;
      options.model = entry.path();
      options.max_iterations = 64;
      options.precisions.all = PrecisionOfCase(entry.path().parent_path());
      std::optional<AlignedBytes> file = FileOfCase(options);
      if (!file) continue;
      const fs::path name = fs::relative(entry.path().parent_path(), FolderOfCases());
      cases.push_back({name.generic_string(), *std::move(file)});
    }
    return cases;
  }();
  return kCases;
}

// Stored TensorFlow Lite models that weft converts, in any order.
inline std::vector<ConvertedCase> ConvertedTfliteCases() {
  namespace fs = std::filesystem;
  const fs::path all = WEFT_FIXTURES_DIR "/tflite";
  std::vector<ConvertedCase> cases;
  for (const auto& entry : fs::recursive_directory_iterator(all)) {
    if (entry.path().filename() != "model.tflite") continue;
    pipeline::ConvertOptions options;
    options.model = entry.path();
    std::optional<AlignedBytes> file = FileOfCase(options);
    if (!file) continue;
    const fs::path name = fs::relative(entry.path().parent_path(), all);
    cases.push_back({name.generic_string(), *std::move(file)});
  }
  return cases;
}

// Converts a case to streaming with `steps` time steps per run.
inline AlignedBytes StreamedCase(const std::string& name, int64_t steps) {
  pipeline::ConvertOptions options;
  options.model = FolderOfCases() / name / "model.xml";
  options.streaming_steps = steps;
  return FileOfCase(options).value();
}

}  // namespace weft

#endif  // WEFT_TESTS_MODELS_EVERY_CASE_H_
