// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for snake in double, and its tolerance. The tolerance covers the error of
// the sine and of its rounded argument, doubled by the square, and the roundings after the square.
#ifndef WEFT_KERNELS_REFERENCE_SNAKE_H_
#define WEFT_KERNELS_REFERENCE_SNAKE_H_

#include "kernels/elementwise/snake.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

inline double SnakeReference(double x, double slope, double height) {
  const double sine = std::sin(slope * x);
  return x + height * sine * sine;
}

inline Tolerance SnakeTolerance(double x, double slope, double height) {
  constexpr double kSine = 1e-7, kRounding = 6e-8;
  return {std::fabs(height) * (2 * (kSine + kRounding * std::fabs(slope * x)) + kRounding),
          kRounding};
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_SNAKE_H_
