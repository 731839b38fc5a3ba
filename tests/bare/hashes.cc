// SPDX-License-Identifier: Apache-2.0
// tests/device/bit_identity_test.cc for a target whose compiler has no library of C++: the hashes
// of a sample of the stored models must be those of hashes.txt. All memory is static.
#include <cstdio>

#include "tests/device/model_hash.h"

namespace weft {
namespace {

constexpr size_t kModelBytes = 1 << 19, kMemoryBytes = 1 << 22, kNameBytes = 256;
alignas(64) unsigned char model[kModelBytes];
alignas(64) unsigned char state[kMemoryBytes];
alignas(64) unsigned char scratch[kMemoryBytes];

// Returns the bytes of the file, or 0.
size_t Read(const char* name) {
  char path[kNameBytes * 2];
  std::snprintf(path, sizeof(path), WEFT_MODELS_DIR "/%s.weft", name);
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) return 0;
  const size_t bytes = std::fread(model, 1, sizeof(model), file);
  std::fclose(file);
  return bytes < sizeof(model) ? bytes : 0;
}

// Returns null, or why the model has no hash.
const char* HashOf(const char* name, uint64_t* hash) {
  const Bytes bytes = {model, Read(name)};
  if (bytes.size == 0) return "cannot be read; the target weft_models makes it";
  Needs needs;
  if (!ReadNeeds(bytes, &needs).ok()) return "has no needs";
  if (needs.state_bytes > kMemoryBytes || needs.scratch_bytes > kMemoryBytes) {
    return "needs too much memory";
  }
  std::memset(state, 0, needs.state_bytes);
  std::memset(scratch, 0, needs.scratch_bytes);
  Memory memory;
  memory.state = {state, static_cast<size_t>(needs.state_bytes)};
  memory.scratch = {scratch, static_cast<size_t>(needs.scratch_bytes)};
  Engine engine;
  if (!Engine::Open(bytes, AllSteps(), memory, &engine).ok()) return "cannot be opened";
  return HashModel(engine, hash) ? nullptr : "does not run";
}

int CompareAll() {
  std::FILE* const pins = std::fopen(WEFT_SOURCE_DIR "/tests/device/hashes.txt", "r");
  if (pins == nullptr) {
    std::printf("hashes.txt cannot be read\n");
    return 1;
  }
  char name[kNameBytes];
  char digits[20];
  int compared = 0, failures = 0;
  while (std::fscanf(pins, "%255s %16s", name, digits) == 2) {
    if (!IsSampled(name)) continue;
    uint64_t is = 0;
    const char* fault = HashOf(name, &is);
    char text[20];
    std::snprintf(text, sizeof(text), "%llx", static_cast<unsigned long long>(is));
    if (fault == nullptr && std::strcmp(text, digits) != 0) fault = "has another hash";
    if (fault != nullptr) std::printf("%s: %s\n", name, fault), ++failures;
    ++compared;
  }
  std::fclose(pins);
  std::printf("%d models, %d failures\n", compared, failures);
  return compared == 0 || failures != 0 ? 1 : 0;
}

}  // namespace
}  // namespace weft

int main() { return weft::CompareAll(); }
