// SPDX-License-Identifier: Apache-2.0
// Whether a * b + c is rounded once on this target, as the numeric contract requires. All kernels
// use Fma of vector-inl.h: an instruction if the target has one, else the C library's fmaf. That of
// hosted systems rounds once. That of newlib adds in double and rounds the sum twice, which rarely
// makes a difference (a Cortex-M3 gives the expected bits for all conformance models) but is not
// guaranteed. The functions of picolibc, the C library of bare RISC-V, and of MinGW-w64 also round
// the product; SoftFma replaces them. FmaInDouble replaces fmaf of WebAssembly's C libraries, which
// set a rounding mode that WebAssembly lacks. Vectors of WebAssembly multiply and add; with relaxed
// SIMD the processor decides.
#ifndef WEFT_KERNELS_SIMD_FUSED_H_
#define WEFT_KERNELS_SIMD_FUSED_H_

#if defined(__wasm_relaxed_simd__)
#include <wasm_simd128.h>
#elif defined(__wasm__) && !defined(__wasm_simd128__)
#include "kernels/simd/soft_fma.h"
#define WEFT_SOFT_FMA FmaInDouble
#elif (defined(__riscv) && !defined(__riscv_flen) && !defined(__unix__)) || \
    (defined(__MINGW32__) && !defined(__FMA__))
#include "kernels/simd/soft_fma.h"
#define WEFT_SOFT_FMA SoftFma
#endif

namespace weft::kernels {

#if defined(__wasm_relaxed_simd__)
// Computes a product whose last bit the first of two roundings drops: (1 + 2^-12)^2 - 1 - 2^-11.
inline bool FusesMultiplyAdd() {
  volatile float factor = 1.0f + 0x1p-12f;
  const v128_t x = wasm_f32x4_splat(factor);
  const v128_t sum = wasm_f32x4_relaxed_madd(x, x, wasm_f32x4_splat(-1.0f - 0x1p-11f));
  return wasm_f32x4_extract_lane(sum, 0) == 0x1p-24f;
}
#elif defined(WEFT_SOFT_FMA) || defined(__ARM_FEATURE_FMA) || defined(__FP_FAST_FMAF) || \
    ((defined(__unix__) || defined(__APPLE__) || defined(_WIN32)) && !defined(__wasm__))
constexpr bool FusesMultiplyAdd() { return true; }
#else
constexpr bool FusesMultiplyAdd() { return false; }
#endif

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_FUSED_H_
