// SPDX-License-Identifier: Apache-2.0
// Simulates a plug-in that contains another version of weft and exports all symbols: its tables
// have other contents, and its functions have the same names as weft's.
#include <cstdint>

namespace weft {
namespace format {
struct Arity {
  uint8_t counts[64];
};
inline constexpr Arity kArity[64] = {};
inline constexpr const char* kKindNames[64] = {};
}  // namespace format
struct Engine {
  int Run();
};
int Engine::Run() { return 1; }
}  // namespace weft

extern "C" int weft_run(void*) { return 1; }
extern "C" int weft_open(void*) { return 1; }
extern "C" const void* tables() {
  return &weft::format::kArity[1] + (weft::format::kKindNames[1] != nullptr);
}
