// SPDX-License-Identifier: Apache-2.0
// Instructions for products of integers that a processor may have beside those of its Highway
// target: vpdpbusd and vpdpwssd (AVX512-VNNI beside AVX-512, AVX-VNNI beside AVX2), SDOT and SMMLA
// (I8MM) beside NEON. Internal to the kernels.
#ifndef WEFT_KERNELS_SIMD_DOTS_H_
#define WEFT_KERNELS_SIMD_DOTS_H_

#include <cstdint>

#include "hwy/base.h"

// Where a program can find out.
#undef WEFT_DOTS
#if HWY_ARCH_X86_64 || (HWY_ARCH_ARM_A64 && (defined(__linux__) || defined(__APPLE__)))
#define WEFT_DOTS
#endif

#if defined(WEFT_DOTS)
namespace weft::kernels {

// Bits of what a processor has; kDotsAreKnown says that it was asked.
inline constexpr uint32_t kDotsOfAvx2 = 1, kDotsOfAvx3 = 2, kDotsOfNeon = 4, kDotsAreKnown = 8;
inline constexpr uint32_t kMatrixDotsOfNeon = 16;

uint32_t Dots();

// For tests: results must be those without some of them, or all.
void ForbidDots(uint32_t forbidden);

}  // namespace weft::kernels
#endif

#endif  // WEFT_KERNELS_SIMD_DOTS_H_
