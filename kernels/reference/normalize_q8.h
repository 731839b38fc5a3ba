// SPDX-License-Identifier: Apache-2.0
// Reference kernel for L2 normalisation of int8 rows: one result in double precision.
#ifndef WEFT_KERNELS_REFERENCE_NORMALIZE_Q8_H_
#define WEFT_KERNELS_REFERENCE_NORMALIZE_Q8_H_

#include "kernels/reduce/normalize_q8.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

// The codes of the step are at most one from the nearest code.
inline double NormalizeQ8Reference(const NormalizeQ8Shape& s, const int8_t* row, size_t index) {
  double sum = 0;
  for (size_t i = 0; i < s.length; ++i) sum += std::pow(row[i] - s.x_zero, 2);
  if (sum == 0) return 0;
  return std::fmin(128 * (row[index] - s.x_zero) / std::sqrt(sum), 127);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_NORMALIZE_Q8_H_
