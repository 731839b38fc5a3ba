// SPDX-License-Identifier: Apache-2.0
// Reference kernel for softmax of int8 rows: one result in double precision.
#ifndef WEFT_KERNELS_REFERENCE_SOFTMAX_Q8_H_
#define WEFT_KERNELS_REFERENCE_SOFTMAX_Q8_H_

#include "kernels/reduce/softmax_q8.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

// The codes of the step are at most one from the nearest code.
inline double SoftmaxQ8Reference(const SoftmaxQ8Shape& s, const int8_t* row, size_t index) {
  const double scale = std::ldexp(s.multiplier.mantissa, s.multiplier.exponent - 31 - 26);
  double sum = 0;
  for (size_t i = 0; i < s.length; ++i) sum += std::exp((row[i] - row[index]) * scale);
  const double count = s.gives_shorts ? 65536 : 256;
  return std::fmin(count / sum, count - 1) - count / 2;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SOFTMAX_Q8_H_
