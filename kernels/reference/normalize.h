// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for normalize in double. The tolerance is valid for lines whose spread is
// at least a 100,000th of their mean.
#ifndef WEFT_KERNELS_REFERENCE_NORMALIZE_H_
#define WEFT_KERNELS_REFERENCE_NORMALIZE_H_

#include "kernels/reduce/normalize.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline constexpr Tolerance kNormalizeTolerance = {1e-6, 1e-6};

// The factor of a line of n elements; `squares` is the sum of the squares.
inline double NormalizeFactorReference(const NormalizeShape& s, double squares) {
  const double n = s.axis;
  const double epsilon = double{s.epsilon};
  switch (s.op) {
    case NormalizeOp::kCentre:
      return 1;
    case NormalizeOp::kStandardInside:
    case NormalizeOp::kRootMeanSquare:
      return 1 / std::sqrt(squares / n + epsilon);
    case NormalizeOp::kStandardOutside:
      return 1 / (std::sqrt(squares / n) + epsilon);
    case NormalizeOp::kL2Add:
      return 1 / std::sqrt(squares + epsilon);
    case NormalizeOp::kL2Max:
      return 1 / std::sqrt(std::fmax(squares, epsilon));
  }
  return 0;
}

// One line: `axis` elements with stride `step`. Writes contiguous results to y.
inline void NormalizeReference(const NormalizeShape& s, const float* x, size_t step, double* y) {
  const double n = s.axis;
  double mean = 0;
  if (s.op <= NormalizeOp::kStandardOutside) {
    for (size_t i = 0; i < s.axis; ++i) mean += x[i * step] / n;
  }
  double squares = 0;
  for (size_t i = 0; i < s.axis; ++i) {
    y[i] = x[i * step] - mean;
    squares += y[i] * y[i];
  }
  const double factor = NormalizeFactorReference(s, squares);
  for (size_t i = 0; i < s.axis; ++i) y[i] *= factor;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_NORMALIZE_H_
