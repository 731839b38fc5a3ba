// SPDX-License-Identifier: Apache-2.0
// Scalar twin of snake in double, and how far a result may be from it: by the sine's error and that
// of its argument, which a rounding moves, twice over the square; and by the roundings behind.
#ifndef WEFT_KERNELS_REFERENCE_SNAKE_H_
#define WEFT_KERNELS_REFERENCE_SNAKE_H_

#include "kernels/elementwise/snake.h"
#include "kernels/reference/twin.h"

namespace weft::kernels {

inline double SnakeTwin(double x, double slope, double height) {
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
