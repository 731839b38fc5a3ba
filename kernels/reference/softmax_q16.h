// SPDX-License-Identifier: Apache-2.0
// Reference kernel for softmax of int16 rows: one result in double precision.
#ifndef WEFT_KERNELS_REFERENCE_SOFTMAX_Q16_H_
#define WEFT_KERNELS_REFERENCE_SOFTMAX_Q16_H_

#include <cmath>

#include "kernels/reduce/softmax_q16.h"

namespace weft::kernels {

inline double SoftmaxQ16Reference(const SoftmaxQ16Shape& s, const int16_t* row, size_t index) {
  const double scale = std::ldexp(s.multiplier.mantissa, s.multiplier.exponent - 31) / 6553.5;
  double sum = 0;
  for (size_t i = 0; i < s.length; ++i) sum += std::exp((row[i] - row[index]) * scale);
  return std::fmin(32768 / sum, 32767);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SOFTMAX_Q16_H_
