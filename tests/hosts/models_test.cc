// SPDX-License-Identifier: Apache-2.0
// A cross-built converter writes the same bytes as the converter of the building machine, whose
// target weft_models converted every case, and its streaming forms.
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

  static void ExpectFile(const pipeline::ConvertOptions& options, const std::string& path) {
    SCOPED_TRACE(path);
    Faults faults;
    const std::optional<pipeline::Converted> converted = pipeline::Convert(options, faults);
    for (const std::string& line : faults.lines()) ADD_FAILURE() << line;
    ASSERT_TRUE(converted.has_value());
    std::string reason;
    const auto expected = ReadFile(path, &reason);
    ASSERT_TRUE(expected.has_value()) << reason;
    EXPECT_TRUE(converted->file == *expected);
  }
};

TEST_P(HostModel, EqualsTheBuildingMachines) {
  pipeline::ConvertOptions options = Options();
  options.self_test_runs = 2;
  ExpectFile(options, ModelPath(GetParam()));
}

TEST_P(HostModel, StreamsAsTheBuildingMachines) {
  static const std::map<std::string, StreamedModel> kStreamed = StreamedModels();
  for (const int64_t steps : {1, 2, 3}) {
    const std::string name = GetParam() + "." + std::to_string(steps);
    if (!kStreamed.contains(name)) continue;
    pipeline::ConvertOptions options = Options();
    options.streaming_steps = steps;
    ExpectFile(options, StreamedPath(name));
  }
}

TEST(HostModels, AreMany) {
  EXPECT_GT(ConvertedCases().size(), 3000u);
  EXPECT_GT(StreamedModels().size(), 1500u);
}

INSTANTIATE_TEST_SUITE_P(Conformance, HostModel, testing::ValuesIn(ConvertedCases()), TestNameOf);

}  // namespace
}  // namespace weft
