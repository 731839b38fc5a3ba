// SPDX-License-Identifier: Apache-2.0
// All conformance models, converted once for all tests of the program.
#ifndef WEFT_TESTS_MODELS_EVERY_CASE_H_
#define WEFT_TESTS_MODELS_EVERY_CASE_H_

#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/pipeline.h"

namespace weft {

struct ConvertedCase {
  std::string name;  // "family/case"
  AlignedBytes file;
};

// Every case of the conformance tests that weft converts, in no order; those check its refusals.
inline const std::vector<ConvertedCase>& ConvertedCases() {
  static const std::vector<ConvertedCase> kCases = [] {
    namespace fs = std::filesystem;
    const fs::path folder = WEFT_SOURCE_DIR "/tests/conformance/cases";
    std::vector<ConvertedCase> cases;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().filename() != "model.xml") continue;
      Faults faults;
      pipeline::ConvertOptions options;
      options.model = entry.path();
      options.max_iterations = 64;
      const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
      if (!converted) continue;
      AlignedBytes file(converted->file.size());
      std::memcpy(file.data(), converted->file.data(), file.size());
      const fs::path name = fs::relative(entry.path().parent_path(), folder);
      cases.push_back({name.generic_string(), std::move(file)});
    }
    return cases;
  }();
  return kCases;
}

}  // namespace weft

#endif  // WEFT_TESTS_MODELS_EVERY_CASE_H_
