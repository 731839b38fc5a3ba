// SPDX-License-Identifier: Apache-2.0
// Integer dot-product instructions that a processor may have in addition to its Highway target:
// vpdpbusd and vpdpwssd (AVX512-VNNI with AVX-512, AVX-VNNI with AVX2), SDOT and SMMLA (I8MM) with
// NEON; and AMX, whose tiles the system must permit. Internal to the kernels.
#ifndef WEFT_KERNELS_SIMD_DOTS_H_
#define WEFT_KERNELS_SIMD_DOTS_H_

#include <cstdint>

#include "hwy/base.h"

// Defined if a program can detect them at run time.
#undef WEFT_DOTS
#if HWY_ARCH_X86_64 || (HWY_ARCH_ARM_A64 && (defined(__linux__) || defined(__APPLE__)))
#define WEFT_DOTS
#endif

// Defined if a program can request tiles; WEFT_NO_AMX leaves them out.
#undef WEFT_TILES
#if HWY_ARCH_X86_64 && defined(__linux__) && !defined(WEFT_NO_AMX)
#define WEFT_TILES
#endif

#if defined(WEFT_DOTS)
namespace weft::kernels {

// Bits of the instructions that a processor has; kDotsAreKnown is set after detection.
inline constexpr uint32_t kDotsOfAvx2 = 1, kDotsOfAvx3 = 2, kDotsOfNeon = 4, kDotsAreKnown = 8;
inline constexpr uint32_t kMatrixDotsOfNeon = 16, kTilesOfAmx = 32;

uint32_t Dots();

// For tests: disables some or all of the instructions, to compare the results.
void ForbidDots(uint32_t forbidden);

}  // namespace weft::kernels
#endif

#endif  // WEFT_KERNELS_SIMD_DOTS_H_
