// SPDX-License-Identifier: Apache-2.0
// Compares our check of the file's tables with the one that flatc generates: both accept and reject
// the same damage, except for the version, which ours checks first, and notes, which ours does not
// check.
#include "runtime/tables.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/hostile/survive.h"
#include "tests/rounds.h"

namespace weft::test {
namespace {

bool FlatcAccepts(Bytes model) {
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(model.data), model.size);
  return format::VerifyModelBuffer(verifier);
}

// The notes of --streaming are for people: no engine reads them, and no valid file here has them.
bool HasNote(const format::Model& model) {
  const auto& table = reinterpret_cast<const flatbuffers::Table&>(model);
  return table.GetOptionalFieldOffset(format::Model::VT_STREAMING) != 0 ||
         table.GetOptionalFieldOffset(format::Model::VT_STREAMED_PORTS) != 0;
}

TEST(Tables, AgreeWithFlatcOnEveryDamagedNumber) {
  size_t refused = 0, accepted = 0;
  for (const ExactBytes& sound : SoundFiles()) {
    ExactBytes damaged = sound;
    for (size_t at = 8; at + 4 <= damaged.size(); at += 2) {
      uint32_t number;
      std::memcpy(&number, damaged.data() + at, 4);
      const uint32_t others[] = {0,          1,          2,          number + 1,
                                 number - 1, number + 4, number - 4, number ^ 2,
                                 number * 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
      for (size_t i = 0; i < std::size(others); ++i) {
        if (!IsRound(static_cast<int>(at / 2 + i))) continue;
        const uint32_t other = others[i];
        std::memcpy(damaged.data() + at, &other, 4);
        const format::Model* root = nullptr;
        const FaultCode code = VerifyTables(damaged.bytes(), &root).code;
        if (code == FaultCode::kModelVersion) continue;
        const bool is_accepted = code == FaultCode::kNone;
        if (is_accepted && HasNote(*root)) continue;
        ASSERT_EQ(is_accepted, FlatcAccepts(damaged.bytes()))
            << other << " at " << at << " was " << number;
        ++(is_accepted ? accepted : refused);
      }
      std::memcpy(damaged.data() + at, &number, 4);
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(accepted, 1000u);
}

}  // namespace
}  // namespace weft::test
