// SPDX-License-Identifier: Apache-2.0
// One hash per model, pinned in hashes.txt, equal on every target: the AVX-512, AVX2 and scalar
// kernels of a desktop build (one after the other), NEON under an emulator, a board.
//
// WEFT_PIN_HASHES=1 rewrites hashes.txt instead of comparing; check the difference before you
// commit.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/made_inputs.h"
#include "tests/device/stored_models.h"
#include "tests/kernels/every_target.h"

namespace weft {
namespace {

uint64_t Hash(const void* data, size_t bytes, uint64_t hash) {
  const auto* p = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * 0x100000001B3u;
  return hash;
}

// All NaNs are equal: x86 and ARM disagree on the sign of generated NaNs (of sqrt(-1), say), and
// IEEE 754 leaves it open. Every other bit counts.
uint64_t Hash(const Tensor& tensor, uint64_t hash) {
  if (tensor.type != Type::kF32) return Hash(tensor.data, tensor.bytes, hash);
  for (size_t i = 0; i < tensor.bytes / sizeof(float); ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, tensor.as<float>() + i, sizeof(bits));
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) bits = 0x7FC00000u;
    hash = Hash(&bits, sizeof(bits), hash);
  }
  return hash;
}

// Hash over the outputs of three runs; the second and third continue from the previous state.
uint64_t RunModel(const std::string& name) {
  const auto model = ReadModelFile(ModelPath(name));
  const Stream stream(*model);
  Engine engine = stream.engine;
  uint64_t hash = 0xCBF29CE484222325u;
  uint32_t random = 1;
  for (int run = 0; run < 3; ++run) {
    for (uint32_t i = 0; i < engine.input_count(); ++i) FillInput(engine.input(i), random);
    // These inputs may set a count above its maximum.
    const FaultCode code = engine.Run().code;
    EXPECT_TRUE(code == FaultCode::kNone || code == FaultCode::kTripLimit);
    for (uint32_t i = 0; i < engine.output_count(); ++i) {
      hash = Hash(engine.output(i), hash);
    }
  }
  return hash;
}

std::map<std::string, uint64_t> Hashes() {
  std::map<std::string, uint64_t> hashes;
  for (const StoredCase& stored : StoredCases()) {
    SCOPED_TRACE(stored.name);
    hashes[stored.name] = RunModel(stored.name);
  }
  return hashes;
}

const char* PinnedPath() { return WEFT_SOURCE_DIR "/tests/device/hashes.txt"; }

std::map<std::string, uint64_t> PinnedHashes() {
  std::map<std::string, uint64_t> hashes;
  std::ifstream stream(PinnedPath());
  std::string name;
  uint64_t hash = 0;
  while (stream >> name >> std::hex >> hash) {
    if (IsSampled(name)) hashes[name] = hash;
  }
  return hashes;
}

constexpr const char* kRemedy =
    "pin with: cmake --build --preset x86-64 --target weft_models weft_device_tests && "
    "WEFT_PIN_HASHES=1 build/x86-64/tests/weft_device_tests --gtest_filter='BitIdentity*'";

using HashMap = std::map<std::string, uint64_t>;

// The names in `from` that are missing in `in`, one per line; empty if there are none.
std::string Lacking(const HashMap& from, const HashMap& in) {
  std::string lines;
  for (const auto& [name, hash] : from) {
    if (!in.contains(name)) lines += "  " + name + "\n";
  }
  return lines;
}

// The names in both maps whose hashes differ.
std::string Changed(const HashMap& is, const HashMap& pinned) {
  std::string lines;
  for (const auto& [name, hash] : is) {
    const auto at = pinned.find(name);
    if (at != pinned.end() && at->second != hash) lines += "  " + name + "\n";
  }
  return lines;
}

TEST(BitIdentity, EveryTargetGivesThePinnedHashes) {
  if (std::getenv("WEFT_PIN_HASHES") != nullptr) {
    std::ofstream stream(PinnedPath());
    for (const auto& [name, hash] : Hashes()) stream << name << ' ' << std::hex << hash << '\n';
    GTEST_SKIP() << "hashes.txt was written, nothing was compared";
  }
  const std::map<std::string, uint64_t> pinned = PinnedHashes();
  ASSERT_FALSE(pinned.empty()) << PinnedPath();
  kernels::ForEachTarget([&](const char* target) {
    const std::map<std::string, uint64_t> hashes = Hashes();
    std::printf("%s: %d models\n", target, static_cast<int>(hashes.size()));
    EXPECT_EQ(Lacking(hashes, pinned), "") << "new cases without a hash in hashes.txt; " << kRemedy;
    EXPECT_EQ(Lacking(pinned, hashes), "")
        << "pinned cases without a model in " WEFT_MODELS_DIR
           ": build the target weft_models; if a case was removed, "
        << kRemedy;
    EXPECT_EQ(Changed(hashes, pinned), "")
        << "output bits changed: find the cause; only if the change is intended, " << kRemedy;
  });
}

}  // namespace
}  // namespace weft
