// SPDX-License-Identifier: Apache-2.0
// One hash per model, pinned in hashes.txt, equal on every target: the AVX-512, AVX2 and scalar
// kernels of a desktop build (one after the other), NEON under an emulator, a board.
//
// WEFT_PIN_HASHES=1 rewrites hashes.txt instead of comparing; check the difference before you
// commit.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/model_hash.h"
#include "tests/device/stored_models.h"
#include "tests/kernels/every_target.h"

namespace weft {
namespace {

uint64_t RunModel(const std::string& name) {
  const auto model = ReadModelFile(ModelPath(name));
  const Stream stream(*model);
  Engine engine = stream.engine;
  uint64_t hash = 0;
  EXPECT_TRUE(HashModel(engine, &hash));
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
    if (IsSampled(name.c_str())) hashes[name] = hash;
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
