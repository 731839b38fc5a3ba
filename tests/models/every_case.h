// SPDX-License-Identifier: Apache-2.0
// All conformance models, converted one after another.
#ifndef WEFT_TESTS_MODELS_EVERY_CASE_H_
#define WEFT_TESTS_MODELS_EVERY_CASE_H_

#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "converter/base/aligned_bytes.h"
#include "converter/pipeline.h"

namespace weft {

// Calls visit(name, file) with "family/case" and the bytes of the model, in no order; what weft
// refuses is left out: the conformance tests check refusals. Returns how many there were.
template <typename Visit>
int ForEachConvertedCase(Visit visit) {
  namespace fs = std::filesystem;
  const fs::path cases = WEFT_SOURCE_DIR "/tests/conformance/cases";
  int models = 0;
  for (const auto& entry : fs::recursive_directory_iterator(cases)) {
    if (entry.path().filename() != "model.xml") continue;
    Faults faults;
    pipeline::ConvertOptions options;
    options.model = entry.path();
    options.max_iterations = 64;
    const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    if (!converted) continue;
    ++models;
    AlignedBytes file(converted->file.size());
    std::memcpy(file.data(), converted->file.data(), file.size());
    visit(fs::relative(entry.path().parent_path(), cases).generic_string(), file);
  }
  return models;
}

}  // namespace weft

#endif  // WEFT_TESTS_MODELS_EVERY_CASE_H_
