// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for fourier in double: the sums as written in fourier.h.
#ifndef WEFT_KERNELS_REFERENCE_FOURIER_H_
#define WEFT_KERNELS_REFERENCE_FOURIER_H_

#include <vector>

#include "kernels/fourier/fourier.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

// Relative to the maximum magnitude in the results of a line.
inline constexpr double kFourierTolerance = 1e-6;

// The transform of n complex numbers as pairs of real and imaginary part; unscaled.
inline std::vector<double> TransformReference(const std::vector<double>& x, bool is_inverse) {
  const size_t n = x.size() / 2;
  const double twiddle = (is_inverse ? 2 : -2) * 3.14159265358979323846;
  std::vector<double> circle, y;
  for (size_t i = 0; i < n; ++i) {
    const double angle = twiddle * static_cast<double>(i) / static_cast<double>(n);
    circle.push_back(std::cos(angle));
    circle.push_back(std::sin(angle));
  }
  for (size_t k = 0; k < n; ++k) {
    double re = 0, im = 0;
    for (size_t j = 0; j < n; ++j) {
      const double c = circle[j * k % n * 2], s = circle[j * k % n * 2 + 1];
      re += x[2 * j] * c - x[2 * j + 1] * s;
      im += x[2 * j] * s + x[2 * j + 1] * c;
    }
    y.push_back(re);
    y.push_back(im);
  }
  return y;
}

// One line of `x` and of the window; results include the window and the scale.
inline std::vector<double> FourierReference(const FourierShape& s, const float* x,
                                            const float* window) {
  const size_t n = s.size;
  const bool is_inverse = s.op == FourierOp::kInverse || s.op == FourierOp::kInverseReal;
  std::vector<double> line(2 * n);
  for (size_t j = 0; j < n; ++j) {
    if (s.op == FourierOp::kForwardReal) {
      line[2 * j] = window != nullptr ? double{x[j]} * double{window[j]} : double{x[j]};
    } else if (s.op == FourierOp::kInverseReal) {
      const size_t from = 2 * j <= n ? j : n - j;
      line[2 * j] = x[2 * from];
      if (2 * from != n && from != 0) line[2 * j + 1] = from == j ? x[2 * j + 1] : -x[2 * from + 1];
    } else {
      line[2 * j] = x[2 * j];
      line[2 * j + 1] = x[2 * j + 1];
    }
  }
  const std::vector<double> all = TransformReference(line, is_inverse);
  std::vector<double> y;
  for (size_t i = 0; i < FourierOutputs(s); ++i) {
    if (s.op != FourierOp::kInverseReal) {
      y.push_back(all[i] * double{s.scale});
    } else {
      y.push_back(all[2 * i] * double{s.scale} * (window != nullptr ? double{window[i]} : 1));
    }
  }
  return y;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_FOURIER_H_
