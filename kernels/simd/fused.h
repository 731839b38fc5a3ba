// SPDX-License-Identifier: Apache-2.0
// Whether a * b + c is rounded once on this target, as the numeric contract requires. All kernels
// use Fma of vector-inl.h: an instruction if the target has one, else the C library's fmaf. That of
// hosted systems rounds once. That of newlib adds in double and rounds the sum twice, which rarely
// makes a difference (a Cortex-M3 gives the expected bits for all conformance models) but is not
// guaranteed. The functions of picolibc, the C library of bare RISC-V, and of MinGW-w64 also round
// the product; SoftFma replaces them. WebAssembly multiplies and adds; relaxed SIMD may do either.
#ifndef WEFT_KERNELS_SIMD_FUSED_H_
#define WEFT_KERNELS_SIMD_FUSED_H_

#if (defined(__riscv) && !defined(__riscv_flen) && !defined(__unix__)) || \
    (defined(__MINGW32__) && !defined(__FMA__))
#include "kernels/simd/soft_fma.h"
#define WEFT_SOFT_FMA
#endif

namespace weft::kernels {

#if defined(__wasm__)  // vectors round twice there, although Emscripten defines __unix__
inline constexpr bool kFusesMultiplyAdd = false;
#elif defined(WEFT_SOFT_FMA) || defined(__ARM_FEATURE_FMA) || defined(__FP_FAST_FMAF) || \
    defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
inline constexpr bool kFusesMultiplyAdd = true;
#else
inline constexpr bool kFusesMultiplyAdd = false;
#endif

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_FUSED_H_
