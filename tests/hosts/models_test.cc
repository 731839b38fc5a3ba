// SPDX-License-Identifier: Apache-2.0
// A cross-built converter writes the same bytes as the converter of the building machine, whose
// target weft_models converted every case.
#include <gtest/gtest.h>

#include "tests/conformance/golden.h"
#include "tests/device/stored_models.h"

namespace weft {
namespace {

const std::filesystem::path kCases = WEFT_FIXTURES_DIR "/cases";

std::vector<std::string> ConvertedCases() {
  std::vector<std::string> names;
  for (const StoredCase& stored : StoredCases()) names.push_back(stored.name);
  return names;
}

class HostModel : public GoldenCase {
 protected:
  HostModel() : GoldenCase(GetParam().starts_with("tflite/") ? kCases.parent_path() : kCases) {}
};

TEST_P(HostModel, EqualsTheBuildingMachines) {
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

TEST(HostModels, AreMany) { EXPECT_GT(ConvertedCases().size(), 3000u); }

INSTANTIATE_TEST_SUITE_P(Conformance, HostModel, testing::ValuesIn(ConvertedCases()), TestNameOf);

}  // namespace
}  // namespace weft
