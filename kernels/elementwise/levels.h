// SPDX-License-Identifier: Apache-2.0
// Integers of i8 that stand for numbers: `zero` for 0, each with one scale from the next. Of a
// number v, already in units of that scale,
//
//   level = round(min(max(v, low - zero), high - zero)) + zero
//
// halves to the even one; of a NaN it is `low`. Every operation on floats is rounded by itself, so
// that levels are the same on every target.
#ifndef WEFT_KERNELS_ELEMENTWISE_LEVELS_H_
#define WEFT_KERNELS_ELEMENTWISE_LEVELS_H_

#include <cstddef>
#include <cstdint>

namespace weft::kernels {

// low <= high; zero may lie outside.
struct Levels {
  int8_t zero = 0;
  int8_t low = -128;
  int8_t high = 127;
};

// Scales and their inverses are within these, so that no number that is flushed to zero on some
// targets makes a difference.
inline constexpr float kLeastScale = 0x1p-100f, kGreatestScale = 0x1p100f;

// With so many products of two levels no sum leaves 32 bits, nor one of so many differences of two.
inline constexpr uint32_t kMostProducts = 0x7FFFFFFFu / (128 * 128);
inline constexpr uint32_t kMostDifferences = 0x7FFFFFFFu / 255;

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_LEVELS_H_
