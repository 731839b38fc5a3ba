// SPDX-License-Identifier: Apache-2.0
// Scalar twin of softmax in double. The tolerance holds for every finite input; probabilities below
// 1e-38 may be 0.
#ifndef WEFT_KERNELS_SOFTMAX_REF_H_
#define WEFT_KERNELS_SOFTMAX_REF_H_

#include "kernels/softmax.h"
#include "kernels/twin.h"

namespace weft::kernels {

inline constexpr Tolerance kSoftmaxTolerance = {2e-38, 1e-6};
inline constexpr Tolerance kLogSoftmaxTolerance = {5e-7, 3e-7};

// Element `at` of one line of `axis` elements that lie `step` apart.
inline double SoftmaxTwin(const SoftmaxShape& s, const float* x, size_t step, size_t at) {
  double greatest = -INFINITY;
  for (size_t i = 0; i < s.axis; ++i) greatest = std::fmax(greatest, x[i * step]);
  double sum = 0;
  for (size_t i = 0; i < s.axis; ++i) sum += std::exp(x[i * step] - greatest);
  const double difference = x[at * step] - greatest;
  return s.logarithm != 0 ? difference - std::log(sum) : std::exp(difference) / sum;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SOFTMAX_REF_H_
