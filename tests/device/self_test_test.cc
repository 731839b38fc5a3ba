// SPDX-License-Identifier: Apache-2.0
// Every converted model has a self test of two runs, recorded on the desktop that converted it. It
// passes on every target, and damaged weights are detected.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/simd/fused.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/stored_models.h"
#include "tests/kernels/every_target.h"

namespace weft {
namespace {

std::string Words(const Fault& fault, const Mismatch& first) {
  char text[200];
  const size_t length = Describe(fault, text, sizeof(text));
  char bits[64];
  std::snprintf(bits, sizeof(bits), " is %08lx; must be %08lx",
                static_cast<unsigned long>(first.actual),
                static_cast<unsigned long>(first.expected));
  return std::string(text, length) + bits;
}

TEST(SelfTest, EveryStoredModelPasses) {
  const std::vector<StoredCase> cases = StoredCases();
  ASSERT_FALSE(cases.empty()) << "the target weft_models writes " WEFT_MODELS_DIR "/index.txt";
  kernels::ForEachTarget([&](const char* target) {
    for (const StoredCase& stored : cases) {
      const std::unique_ptr<ExactBytes> model = ReadModelFile(ModelPath(stored.name));
      Stream stream(*model);
      Mismatch first;
      const Fault fault = stream.engine.SelfTest(&first);
      EXPECT_TRUE(fault.ok()) << stored.name << " on " << target << ": " << Words(fault, first);
    }
    std::printf("%s: %d self tests\n", target, static_cast<int>(cases.size()));
  });
}

// Flips the sign of every nonzero float of the weights, one after the other.
TEST(SelfTest, SeesEveryDamagedWeightOfACell) {
  for (const char* name : {"state/streaming_gru", "cell/lstm4_b1_i16_h15"}) {
    const std::unique_ptr<ExactBytes> model = ReadModelFile(ModelPath(name));
    ASSERT_NE(model->size(), 0u) << name;
    const auto* weights = format::GetModel(model->data())->weights();
    auto* bytes = const_cast<uint8_t*>(weights->data());
    Stream stream(*model);
    uint32_t damaged = 0, seen = 0;
    for (uint32_t i = 0; i + 4 <= weights->size(); i += 4) {
      uint32_t bits;
      std::memcpy(&bits, bytes + i, sizeof(bits));
      if (bits << 1 == 0) continue;
      ++damaged;
      bytes[i + 3] ^= 0x80;
      Mismatch first;
      const Fault fault = stream.engine.SelfTest(&first);
      seen += fault.code == FaultCode::kSelfTestDiffers && first.expected != first.actual;
      bytes[i + 3] ^= 0x80;
    }
    EXPECT_GT(damaged, 100u) << name;
    // The tolerance of other targets hides damage of the smallest weights.
    EXPECT_GE(seen, kernels::FusesMultiplyAdd() ? damaged : damaged / 10 * 9) << name;
  }
}

}  // namespace
}  // namespace weft
