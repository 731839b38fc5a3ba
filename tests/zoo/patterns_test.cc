// SPDX-License-Identifier: Apache-2.0
// Exported layers and formulas, one committed model per form. Checks that outputs agree and that
// the steps are those of patterns.txt, so a form that is no longer recognised or needs more steps
// fails. WEFT_PIN_PATTERNS=1 rewrites the file; the author of the change must review every line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "converter/base/aligned_bytes.h"
#include "converter/inspect/sections.h"
#include "converter/inspect/traffic.h"
#include "tests/conformance/golden.h"

namespace weft {
namespace {

const std::filesystem::path kPatterns = WEFT_FIXTURES_DIR "/zoo/patterns";
const std::filesystem::path kPinnedPatterns = WEFT_SOURCE_DIR "/tests/zoo/patterns.txt";

class ExportedPattern : public GoldenCase {
 protected:
  ExportedPattern() : GoldenCase(kPatterns) {}
};

TEST_P(ExportedPattern, Agrees) { RunAndCompare(); }

INSTANTIATE_TEST_SUITE_P(Forms, ExportedPattern, testing::ValuesIn(CaseNamesIn(kPatterns)),
                         TestNameOf);

// Returns "glu.openvino: dense 2, binary 1; 0 bytes copied".
std::string StepsOf(const std::string& name) {
  pipeline::ConvertOptions options;
  options.model = kPatterns / name / "model.xml";
  Faults faults;
  const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  if (!converted) return name + ": not converted";
  AlignedBytes file(converted->file.size());
  std::memcpy(file.data(), converted->file.data(), file.size());
  const format::Model& model = *format::GetModel(file.data());
  std::string steps;
  for (const auto& [kind, count] : inspect::CountKinds(model)) {
    steps += fmt::format("{}{} {}", steps.empty() ? "" : ", ", inspect::KindName(kind), count);
  }
  return fmt::format("{}: {}; {} bytes copied", name, steps, inspect::TrafficOf(model).bytes.run);
}

TEST(ExportedPatterns, BecomeTheStepsThatArePinned) {
  std::vector<std::string> lines;
  for (const std::string& name : CaseNamesIn(kPatterns)) lines.push_back(StepsOf(name));
  EXPECT_GT(lines.size(), 80u);
  if (std::getenv("WEFT_PIN_PATTERNS") != nullptr) {
    std::ofstream pinned(kPinnedPatterns);
    for (const std::string& line : lines) pinned << line << '\n';
  }
  std::vector<std::string> pinned;
  std::ifstream file(kPinnedPatterns);
  for (std::string line; std::getline(file, line);) pinned.push_back(line);
  EXPECT_EQ(lines, pinned);
}

}  // namespace
}  // namespace weft
