// SPDX-License-Identifier: Apache-2.0
// Quantisation to i8: `zero` is the code of 0, and adjacent codes differ by one scale. For a number
// v, already in units of that scale,
//
//   code = round(min(max(v, low - zero), high - zero)) + zero
//
// with halves rounded to the even integer; a NaN becomes `low`. Every float operation is rounded
// separately, so that codes are the same on every target. Steps whose codes are computed
// `by_integers` use no float (requantise.h).
#ifndef WEFT_KERNELS_SIMD_CODE_RANGE_H_
#define WEFT_KERNELS_SIMD_CODE_RANGE_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

// low <= high; zero may be outside of [low, high].
struct CodeRange {
  int8_t zero = 0;
  int8_t low = -128;
  int8_t high = 127;
  bool by_integers = false;
};

// Scales and their inverses are in this range, so that no number that some targets flush to zero
// affects a result.
inline constexpr float kMinScale = 0x1p-100f, kMaxScale = 0x1p100f;

// Maximum number of products of two codes, and of differences of two codes, whose sum fits in 32
// bits.
inline constexpr uint32_t kMaxProducts = 0x7FFFFFFFu / (128 * 128);
inline constexpr uint32_t kMaxDifferences = 0x7FFFFFFFu / 255;

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_CODE_RANGE_H_
