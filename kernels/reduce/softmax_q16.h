// SPDX-License-Identifier: Apache-2.0
// Softmax of int16 rows by integers, bit-identical to tflite-micro. `tables` are 513 numbers of
// 2^15 * exp(10 * (t - 1)), then 513 of 2^15 / (1 + t), for t = 0, 1/512 ... 1, between which the
// step interpolates. With d = x - the maximum of the row, e = exp(Rescaled(d, multiplier) / 6553.5)
// and s = the sum of e,
//
//   y = e / s in units of 2^-15, from 0 to 32767
//
// x and y are contiguous; y may be x.
#ifndef WEFT_KERNELS_REDUCE_SOFTMAX_Q16_H_
#define WEFT_KERNELS_REDUCE_SOFTMAX_Q16_H_

#include "kernels/simd/requantise.h"

namespace weft::kernels {

inline constexpr uint32_t kSoftmaxTable = 513, kSoftmaxTables = 2 * kSoftmaxTable;
// Maximum length of a row, whose sum fits in 32 bits.
inline constexpr uint32_t kMaxSoftmaxShorts = 0xFFFF;

struct SoftmaxQ16Shape {
  uint32_t rows = 0, length = 0;
  Multiplier multiplier;  // the scale of x * 6553.5
};

void SoftmaxQ16(const SoftmaxQ16Shape& shape, const int16_t* x, const int16_t* tables, int16_t* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_SOFTMAX_Q16_H_
