// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernels for dense without its activation (see unary.h): the chain, which a
// kernel must match bit for bit, and the same sum in double with the error that one chain may have.
#ifndef WEFT_KERNELS_REFERENCE_DENSE_H_
#define WEFT_KERNELS_REFERENCE_DENSE_H_

#include "kernels/matrix/dense.h"
#include "kernels/matrix/pack.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline float PackedWeight(const float* packed, size_t inputs, size_t output, size_t input) {
  const size_t panel = output / kPanelOutputs;
  return packed[(panel * inputs + input) * kPanelOutputs + output % kPanelOutputs];
}

inline float DenseReference(const DenseShape& s, const float* x, const float* weights,
                            const float* start, size_t row, size_t output) {
  float sum = start == nullptr ? 0.0f : start[row * s.start_row_stride + output];
  for (size_t k = 0; k < s.inputs; ++k) {
    sum = std::fmaf(x[row * s.x_row_stride + k], PackedWeight(weights, s.inputs, output, k), sum);
  }
  return sum;
}

// In double. *allowed is the maximum error of a chain in float: 4 * 2^-24 times the sum of the
// magnitudes of all terms.
inline double DenseReferenceInDouble(const DenseShape& s, const float* x, const float* weights,
                                     const float* start, size_t row, size_t output,
                                     double* allowed) {
  double sum = start == nullptr ? 0.0 : start[row * s.start_row_stride + output];
  double magnitude = std::fabs(sum);
  for (size_t k = 0; k < s.inputs; ++k) {
    const double term = static_cast<double>(x[row * s.x_row_stride + k]) *
                        PackedWeight(weights, s.inputs, output, k);
    sum += term;
    magnitude += std::fabs(term);
  }
  *allowed = 4.0 * std::ldexp(magnitude, -24);
  return sum;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_DENSE_H_
