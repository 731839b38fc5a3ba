// SPDX-License-Identifier: Apache-2.0
// Normalises each line along the middle axis of [outer, axis, inner]. With n = axis, and sums over
// the line:
//
//   m = sum x / n       the mean, for kCentre and kStandard...
//   v = sum (x - m)^2 / n, s = sum x^2
//   kCentre             y = x - m
//   kStandardInside     y = (x - m) / sqrt(v + epsilon)
//   kStandardOutside    y = (x - m) / (sqrt(v) + epsilon)
//   kRootMeanSquare     y = x / sqrt(s / n + epsilon)
//   kL2Add              y = x / sqrt(s + epsilon)
//   kL2Max              y = x / sqrt(max(s, epsilon))
//
// A line is read once for its sums and once more for y. The sums are those of d = x - c and of d^2,
// around a centre c that follows the mean. The mean is c + sum d / n; v is sum d^2 / n minus the
// square of sum d / n, and at least 0. The centre is always the mean of at least a quarter
// of the accumulated elements, so the subtraction loses at most two bits, however far the line is
// from zero and wherever an outlier is. (Chan, Golub, LeVeque: Algorithms for Computing the Sample
// Variance, 1983; their merging of two samples moves sums from one centre to another.) x - m is
// computed as (x - c) - sum d / n. The formulas without a mean have c = 0.
//
// The order is fixed, the same on every target. With inner 1, sixteen lanes process the elements i,
// i + 16, ... of a line; otherwise each line is one lane. In a lane
//   - c is the first element, then the mean so far after 4, 16, 64, 256, 512, 768, ... elements,
//     except after the last element;
//   - a term is the sum of d, or the accumulation of fused d * d + ..., over four elements, or over
//     one element for the last ones if fewer than four are left;
//   - the terms of d^2 are added as described in sum.h, those of d sequentially;
//   - a new centre c' replaces S = sum d by S' = S - n (c' - c), and subtracts (c' - c) (S + S')
//     from the sum of d^2.
// After the last full row of sixteen, the lanes of one line use the mean of their means as centre,
// joined as in reduce.h; for a line without a full row it is the mean of its elements. The
// remaining elements of the line are one term, and the sums of the lanes are joined in the same
// way.
//
// y is a product with the reciprocal of the root. If an element is NaN, the complete line becomes
// NaN. y may be x; the caller rejects any other overlap. The caller owns all memory.
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
