// SPDX-License-Identifier: Apache-2.0
#include "kernels/simd/dots.h"

#if defined(WEFT_DOTS)
#include <atomic>

#if HWY_ARCH_ARM_A64 && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace weft::kernels {
namespace {

std::atomic<uint32_t> known_dots{0};

#if HWY_ARCH_X86_64
#if defined(WEFT_TILES)
// Linux saves the tiles of a process only after it has requested them (arch_prctl with
// ARCH_REQ_XCOMP_PERM). That fails if a thread's signal stack is too small for them.
bool MayUseTiles() {
  if (!__builtin_cpu_supports("amx-int8")) return false;
  constexpr long kArchPrctl = 158, kRequest = 0x1023, kTileData = 18;
  long result = kArchPrctl;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(kRequest), "S"(kTileData)
                   : "rcx", "r11", "memory");
  return result == 0;
}
#else
bool MayUseTiles() { return false; }
#endif

uint32_t DotsOfProcessor() {
  __builtin_cpu_init();
  uint32_t dots = kDotsAreKnown;
  if (__builtin_cpu_supports("avxvnni")) dots |= kDotsOfAvx2;
  if (__builtin_cpu_supports("avx512vnni")) dots |= kDotsOfAvx3;
  if (MayUseTiles()) dots |= kTilesOfAmx;
  return dots;
}
#elif defined(__APPLE__)
uint32_t DotsOfProcessor() { return kDotsAreKnown | kDotsOfNeon; }  // present on all of them
#else
uint32_t DotsOfProcessor() {
  constexpr unsigned long kDotProducts = 1ul << 20;     // HWCAP_ASIMDDP
  constexpr unsigned long kMatrixProducts = 1ul << 13;  // HWCAP2_I8MM
  uint32_t dots = kDotsAreKnown;
  if ((getauxval(AT_HWCAP) & kDotProducts) != 0) dots |= kDotsOfNeon;
  if ((getauxval(AT_HWCAP2) & kMatrixProducts) != 0) dots |= kMatrixDotsOfNeon;
  return dots;
}
#endif

}  // namespace

uint32_t Dots() {
  uint32_t dots = known_dots.load(std::memory_order_relaxed);
  if (dots == 0) known_dots.store(dots = DotsOfProcessor(), std::memory_order_relaxed);
  return dots;
}

void ForbidDots(uint32_t forbidden) {
  known_dots.store((DotsOfProcessor() & ~forbidden) | kDotsAreKnown, std::memory_order_relaxed);
}

}  // namespace weft::kernels
#endif
