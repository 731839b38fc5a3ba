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
// A line is read once for its sums and once more for y. The sums are those of d = x - c and of d^2
// around a centre c that follows the mean: the mean is c + sum d / n, v is sum d^2 / n less the
// square of sum d / n, not below 0. At least a quarter of what the sums hold always stood behind
// the centre, so that the difference of the two loses no more than two bits, however far from zero
// the line lies and wherever an outlier stands (Chan, Golub, LeVeque: Algorithms for Computing the
// Sample Variance, 1983, whose merging of two samples moves sums from one centre to another). x - m
// stands for (x - c) - sum d / n. The formulas without a mean have c = 0.
//
// The order is fixed, the same on every target. Sixteen lanes take the elements i, i + 16, ... of a
// line with inner 1; elsewhere each line is a lane of its own. In a lane
//   c is the first element, and the mean so far after 4, 16, 64, 256, 512, 768, ... elements,
//   unless these are all; a term is the sum of d, or the chain of fused d * d + ..., of four
//   elements, of each of the last ones where fewer are left; the terms of d^2 add up as sum.h says,
//   those of d in one chain, which a new centre c' leaves at sum d - n (c' - c), and that of d^2
//   less (c' - c) times both sums of d.
// At the end of the last whole row of sixteen, the lanes of one line take for their centre the mean
// of their means, joined as in reduce.h; of a line without such a row it is the mean of its
// elements. What is left of the line is a term, and the sums of the lanes join likewise.
//
// y is a product with the reciprocal of the root. A NaN makes its whole line NaN. y may be x
// itself, any other overlap is refused by the caller. The caller owns all memory.
#ifndef WEFT_KERNELS_REDUCE_NORMALIZE_H_
#define WEFT_KERNELS_REDUCE_NORMALIZE_H_

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

#endif  // WEFT_KERNELS_REDUCE_NORMALIZE_H_
