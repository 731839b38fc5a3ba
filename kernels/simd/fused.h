// SPDX-License-Identifier: Apache-2.0
// Whether a * b + c is rounded once on this target, as the numeric contract asks. All kernels go
// through Fma of vector-inl.h: an instruction where there is one, else the C library's fmaf. That
// of hosted systems rounds once. newlib's adds in double and rounds the sum twice, which seldom
// shows (a Cortex-M3 gives the bits of all conformance models) but is no promise.
#ifndef WEFT_KERNELS_SIMD_FUSED_H_
#define WEFT_KERNELS_SIMD_FUSED_H_

namespace weft::kernels {

#if defined(__ARM_FEATURE_FMA) || defined(__FP_FAST_FMAF) || defined(__unix__) || \
    defined(__APPLE__) || defined(_WIN32)
inline constexpr bool kFusesMultiplyAdd = true;
#else
inline constexpr bool kFusesMultiplyAdd = false;
#endif

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_FUSED_H_
