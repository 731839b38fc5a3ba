// SPDX-License-Identifier: Apache-2.0
// The converter writes the same bytes as on the host, whose weft_models converted every case.
#include <gtest/gtest.h>

#include "tests/conformance/golden.h"
#include "tests/device/stored_models.h"

namespace weft {
namespace {

const std::filesystem::path kCases = WEFT_FIXTURES_DIR "/cases";

std::vector<std::string> SampledCases() {
  constexpr size_t kThinning = 8;
  const std::vector<StoredCase> cases = StoredCases();
  std::vector<std::string> names;
  for (size_t i = 0; i < cases.size(); i += kThinning) names.push_back(cases[i].name);
  return names;
}

class WindowsModel : public GoldenCase {
 protected:
  WindowsModel() : GoldenCase(GetParam().starts_with("tflite/") ? kCases.parent_path() : kCases) {}
};

TEST_P(WindowsModel, EqualsTheHosts) {
  Faults faults;
  pipeline::ConvertOptions options = Options();
  options.self_test_runs = 2;
  const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
  for (const std::string& line : faults.lines()) ADD_FAILURE() << line;
  ASSERT_TRUE(converted.has_value());
  std::string reason;
  const auto expected = ReadFile(ModelPath(GetParam()), &reason);
  ASSERT_TRUE(expected.has_value()) << reason;
  EXPECT_TRUE(converted->file == *expected);
}

TEST(WindowsModels, AreMany) { EXPECT_GT(SampledCases().size(), 400u); }

INSTANTIATE_TEST_SUITE_P(Conformance, WindowsModel, testing::ValuesIn(SampledCases()), TestNameOf);

}  // namespace
}  // namespace weft
