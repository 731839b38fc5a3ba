// SPDX-License-Identifier: Apache-2.0
// Damaged files are rejected, or they open and stay inside their memory.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/hostile/survive.h"
#include "tests/rounds.h"

namespace weft::test {
namespace {

class FilesTest : public testing::TestWithParam<size_t> {
 protected:
  // A new block for every attempt, so that accesses after its end are always detected.
  void Try(const ExactBytes& damaged) {
    ++fates_[static_cast<size_t>(Survive(ExactBytes(damaged)))];
  }
  const ExactBytes sound_ = SoundFiles()[GetParam()];
  size_t fates_[2] = {};
};

TEST_P(FilesTest, SurviveEveryFlippedBit) {
  ExactBytes damaged = sound_;
  for (size_t byte = 0; byte < damaged.size(); ++byte) {
    for (unsigned bit = 0; bit <= 8; ++bit) {
      if (!IsRound(static_cast<int>(byte + bit))) continue;
      const unsigned mask = bit < 8 ? 1u << bit : 255u;
      damaged.data()[byte] ^= static_cast<std::byte>(mask);
      Try(damaged);
      damaged.data()[byte] ^= static_cast<std::byte>(mask);
    }
  }
  EXPECT_GT(fates_[static_cast<size_t>(Fate::kRefused)], sound_.size() / kThinning);
  EXPECT_GT(fates_[static_cast<size_t>(Fate::kOpened)], 0u) << "weights may be anything";
}

TEST_P(FilesTest, SurviveEveryNumberOutOfRange) {
  ExactBytes damaged = sound_;
  for (size_t byte = 0; byte + 4 <= damaged.size(); byte += 4) {
    uint32_t number;
    std::memcpy(&number, damaged.data() + byte, 4);
    const uint32_t others[] = {
        0,          1,          2,          3,           number + 1,         number - 1, number + 4,
        number - 4, number * 2, number / 2, 0u - number, 0x20000000,         0x3FFFFFFF, 0x40000000,
        0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF,  number ^ 0x80000000};
    for (size_t i = 0; i < std::size(others); ++i) {
      if (!IsRound(static_cast<int>(byte / 4 + i))) continue;
      std::memcpy(damaged.data() + byte, &others[i], 4);
      Try(damaged);
    }
    std::memcpy(damaged.data() + byte, &number, 4);
  }
  EXPECT_GT(fates_[static_cast<size_t>(Fate::kRefused)], 0u);
}

TEST_P(FilesTest, SurviveSeveralNumbersOutOfRange) {
  uint32_t seed = 12345;
  const auto random = [&seed](uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<uint32_t>((uint64_t{seed} * below) >> 32);
  };
  for (int attempt = 0; attempt < Rounds(3000); ++attempt) {
    ExactBytes damaged = sound_;
    const uint32_t count = 1 + random(4);
    for (uint32_t i = 0; i < count; ++i) {
      const size_t at = random(static_cast<uint32_t>(damaged.size() / 4)) * 4;
      const size_t from = random(static_cast<uint32_t>(damaged.size() / 4)) * 4;
      const uint32_t numbers[] = {random(8), random(256), 0xFFFFFFFF, 1u << random(32)};
      const uint32_t which = random(5);
      std::memcpy(
          damaged.data() + at,
          which < 4 ? reinterpret_cast<const std::byte*>(&numbers[which]) : sound_.data() + from,
          4);
    }
    Try(damaged);
  }
  EXPECT_GT(fates_[static_cast<size_t>(Fate::kRefused)], 0u);
}

INSTANTIATE_TEST_SUITE_P(Hostile, FilesTest,
                         testing::Range<size_t>(0, format::kKindCount + OverlappingSteps().size()));

}  // namespace
}  // namespace weft::test
