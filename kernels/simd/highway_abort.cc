// SPDX-License-Identifier: Apache-2.0
// The two functions that Highway's assertions call; only in debug builds. Highway's own versions
// print to stderr through std::string; these stop the program (a breakpoint on a device) and print
// nothing.
#include "hwy/base.h"

namespace hwy {

// NOLINTNEXTLINE(cert-dcl50-cpp): Highway declares it
HWY_DLLEXPORT HWY_NORETURN void HWY_FORMAT(3, 4) Abort(const char*, int, const char*, ...) {
  __builtin_trap();
}

#if HWY_VERSION_GE(1, 3)
// NOLINTNEXTLINE(cert-dcl50-cpp)
HWY_DLLEXPORT void HWY_FORMAT(3, 4) Warn(const char*, int, const char*, ...) {}
#endif

}  // namespace hwy
