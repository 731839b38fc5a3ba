// SPDX-License-Identifier: Apache-2.0
// Dense layer of int16 values with int8 weights, without zero points and without a float:
//
//   y[r,n] = RescaledOnce(first[n] + sum_k x[r,k] * weights[n,k], multipliers[n]), in [low, high]
//
// The sum has 64 bits. With `has_sums32` it is reduced to 32 bits, modulo 2^32, and y is Rescaled,
// with 31 bits of the multiplier. y is bit-identical on every target (requantise.h).
#ifndef WEFT_KERNELS_MATRIX_DENSE_Q8_SHORTS_H_
#define WEFT_KERNELS_MATRIX_DENSE_Q8_SHORTS_H_

#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/pack.h"

namespace weft::kernels {

// One number per output; `first` may be null. low and high are in 16 bits.
struct ShortResults {
  const int32_t* mantissas = nullptr;
  const int64_t* first = nullptr;
  const int32_t* exponents = nullptr;
  int32_t low = -0x8000, high = 0x7FFF;
  bool has_sums32 = false;

  // The result of output n, whose products add up to `sum`.
  int16_t Of(int64_t sum, size_t n) const {
    if (first != nullptr) sum = WrappingAdd(sum, first[n]);
    const Multiplier by = {mantissas[n], exponents[n]};
    const int64_t v = has_sums32 ? Rescaled(static_cast<int32_t>(sum), by) : RescaledOnce(sum, by);
    return static_cast<int16_t>(v < low ? low : v > high ? high : v);
  }
};

// Products of an int16 and an int8 code whose sum fits in 32 bits, in complete blocks.
inline constexpr size_t kMaxShortProducts = size_t{0x7FFFFFFF >> 22} / kInputBlock * kInputBlock;

// `weights` as PackDenseI8 lays them out. Uses the rows, inputs, outputs and strides of x and y of
// `shape`. y must not overlap an operand.
void DenseQ8Shorts(const DenseQ8Shape& shape, const int16_t* x, const int8_t* weights,
                   const ShortResults& results, int16_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DENSE_Q8_SHORTS_H_
