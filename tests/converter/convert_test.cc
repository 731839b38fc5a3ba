// SPDX-License-Identifier: Apache-2.0
// The converter as a library: in memory as from files, with all faults of one call.
#include "converter/convert.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "converter/base/files.h"

namespace weft::converter {
namespace {

std::string CaseFile(const std::string& name, const std::string& file) {
  return std::string(WEFT_FIXTURES_DIR) + "/cases/" + name + "/" + file;
}

std::vector<std::byte> BytesOf(const std::string& path) {
  std::string reason;
  std::optional<std::vector<std::byte>> bytes = ReadFile(path, &reason);
  EXPECT_TRUE(bytes) << path << ": " << reason;
  return bytes.value_or(std::vector<std::byte>());
}

constexpr const char* kCase = "sequence/gru_forward_b1_t4_i17_h33";

TEST(Library, ConvertsInMemoryWhatItConvertsFromFiles) {
  const std::vector<std::byte> xml = BytesOf(CaseFile(kCase, "model.xml"));
  const std::vector<std::byte> weights = BytesOf(CaseFile(kCase, "model.bin"));
  for (const std::optional<int64_t> streaming :
       {std::optional<int64_t>(), std::optional<int64_t>(1)}) {
    Options options;
    options.streaming_steps = streaming;
    const Result in_memory = Convert(xml, weights, options);
    const Result from_file = ConvertFile(CaseFile(kCase, "model.xml"), {}, options);
    EXPECT_EQ(in_memory.faults, std::vector<std::string>());
    ASSERT_TRUE(from_file.ok());
    EXPECT_EQ(in_memory.model.file, from_file.model.file);
    EXPECT_EQ(in_memory.model.scratch_bytes, from_file.model.scratch_bytes);
    EXPECT_GT(in_memory.model.file.size(), weights.size() / 2);
  }
}

TEST(Library, NamesTheModelInFaults) {
  const std::vector<std::byte> xml = BytesOf(CaseFile(kCase, "model.xml"));
  std::vector<std::byte> weights = BytesOf(CaseFile(kCase, "model.bin"));
  weights.resize(weights.size() - 4);
  Options options;
  options.name = "net";
  const Result result = Convert(xml, weights, options);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_TRUE(result.faults[0].starts_with("net (weights): layer ")) << result.faults[0];
  EXPECT_TRUE(result.model.file.empty());
}

TEST(Library, RefusesAllThatIsWrongWithItsOptions) {
  Options options;
  options.precision = "f31";
  options.layer_precisions["gru"] = "f32x";
  options.streaming_steps = 0;
  options.max_iterations = -1;
  options.self_test_runs = 100000;
  options.values["x"] = {"f32", {2}, {}};
  options.values["y"] = {"f33", {0}, {}};
  const Result result = ConvertFile(CaseFile(kCase, "model.xml"), {}, options);
  EXPECT_EQ(result.faults.size(), 7u);
  EXPECT_FALSE(result.ok());
}

TEST(Library, GivesOutputsOfLayers) {
  Options options;
  const Result plain = ConvertFile(CaseFile(kCase, "model.xml"), {}, options);
  options.layer_outputs = {{0, 0}};
  const Result more = ConvertFile(CaseFile(kCase, "model.xml"), {}, options);
  ASSERT_TRUE(plain.ok() && more.ok());
  EXPECT_NE(plain.model.file, more.model.file);
}

}  // namespace
}  // namespace weft::converter
