// SPDX-License-Identifier: Apache-2.0
// Damaged .tflite files of every operator are rejected with messages, or they convert.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "converter/base/files.h"
#include "converter/convert.h"
#include "tests/conformance/golden.h"
#include "tests/rounds.h"

namespace weft {
namespace {

const std::filesystem::path kUndamaged = WEFT_FIXTURES_DIR "/tflite";

class TfliteDamage : public testing::TestWithParam<std::string> {};

// Replaces one word by a small number, a neighbour, an extreme one or one with a changed bit.
void Damage(std::vector<std::byte>& bytes, std::mt19937& random) {
  std::byte* at = bytes.data() + random() % (bytes.size() / 4) * 4;
  uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  const uint32_t others[] = {0,
                             1,
                             2,
                             word + 1,
                             word - 1,
                             word * 2,
                             word / 2,
                             0 - word,
                             0x10000,
                             0x7FFFFFFF,
                             0xFFFFFFFF,
                             word ^ 0x80000000,
                             word ^ (uint32_t{1} << random() % 32)};
  word = others[random() % std::size(others)];
  std::memcpy(at, &word, sizeof word);
}

TEST_P(TfliteDamage, IsRejectedOrConverts) {
  std::string reason;
  const auto whole = ReadFile(kUndamaged / GetParam() / "model.tflite", &reason);
  ASSERT_TRUE(whole.has_value()) << reason;
  std::mt19937 random(static_cast<uint32_t>(whole->size()));
  converter::Options options;
  options.name = "model.tflite";
  options.fold_budget_bytes = 1 << 20;
  for (int round = 0; round < Rounds(14); ++round) {
    std::vector<std::byte> bytes = *whole;
    for (uint32_t words = 1 + random() % 2; words > 0; --words) Damage(bytes, random);
    const converter::Result result = converter::Convert(bytes, {}, options);
    EXPECT_NE(result.faults.empty(), result.model.file.empty());
    for (const std::string& line : result.faults) {
      EXPECT_EQ(line.find("internal error"), std::string::npos) << line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TfliteDamage, testing::ValuesIn(CaseNamesIn(kUndamaged)),
                         TestNameOf);

}  // namespace
}  // namespace weft
