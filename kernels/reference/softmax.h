// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for softmax in double. The tolerance is valid for every finite input;
// probabilities below 1e-38 may be 0.
#ifndef WEFT_KERNELS_REFERENCE_SOFTMAX_H_
#define WEFT_KERNELS_REFERENCE_SOFTMAX_H_

#include "kernels/reduce/softmax.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline constexpr Tolerance kSoftmaxTolerance = {2e-38, 1e-6};
inline constexpr Tolerance kLogSoftmaxTolerance = {5e-7, 3e-7};

// One line: `axis` elements with stride `step`. Writes contiguous results to y.
inline void SoftmaxReference(const SoftmaxShape& s, const float* x, size_t step, double* y) {
  double largest = -INFINITY;
  for (size_t i = 0; i < s.axis; ++i) largest = std::fmax(largest, x[i * step]);
  double sum = 0;
  for (size_t i = 0; i < s.axis; ++i) sum += y[i] = std::exp(x[i * step] - largest);
  const double log_of_sum = std::log(sum);
  for (size_t i = 0; i < s.axis; ++i) {
    y[i] = s.logarithm != 0 ? x[i * step] - largest - log_of_sum : y[i] / sum;
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SOFTMAX_H_
