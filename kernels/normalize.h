// SPDX-License-Identifier: Apache-2.0
// Normalises each line along the middle axis of [outer, axis, inner]; with n = axis, and sums over
// the line:
//
//   m = sum x / n       the mean, of kCentre and kStandard...
//   v = sum (x - m)^2 / n, s = sum x^2
//   kCentre             y = x - m
//   kStandardInside     y = (x - m) / sqrt(v + epsilon)
//   kStandardOutside    y = (x - m) / (sqrt(v) + epsilon)
//   kRootMeanSquare     y = x / sqrt(s / n + epsilon)
//   kL2Add              y = x / sqrt(s + epsilon)
//   kL2Max              y = x / sqrt(max(s, epsilon))
//
// The mean is taken twice, since the first is rounded and v would feel it where x is large: m from
// the sum of x, then c from the sum of d = x - m; x - m stands for d - c, and v for
// sum d^2 / n - c^2, not below 0 (Chan, Golub, LeVeque: Algorithms for Computing the Sample
// Variance, 1983). d^2 is added in one rounding. y is a product with the reciprocal of the root. The
// order of the sums is fixed, the same on every target: that of softmax.h. A NaN makes its whole
// line NaN. y may be x itself, any other overlap is refused by the caller. The caller owns all
// memory.
#ifndef WEFT_KERNELS_NORMALIZE_H_
#define WEFT_KERNELS_NORMALIZE_H_

#include "kernels/element.h"

namespace weft::kernels {

enum class NormalizeOp : uint8_t {
  kCentre,
  kStandardInside,
  kStandardOutside,
  kRootMeanSquare,
  kL2Add,
  kL2Max
};
inline constexpr uint8_t kNormalizeOpCount = 6;

struct NormalizeShape {
  uint32_t outer = 0;
  uint32_t axis = 0;
  uint32_t inner = 0;
  float epsilon = 0;
  NormalizeOp op = NormalizeOp::kCentre;
};

void Normalize(const NormalizeShape& shape, const float* x, float* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_NORMALIZE_H_
