// SPDX-License-Identifier: Apache-2.0
// Reduction over some axes; y is contiguous over the kept ones. f32, i32 and i64 know sum, mean,
// max, min, product, l1 and (f32 alone) l2; boolean knows logical_and and logical_or. Integers wrap
// around and their mean truncates towards zero. f32 order, the same on every target: where the last
// reduced axis has stride 1, element i of it goes to partial i % 16, and the partials p are joined
// as p[i] op p[i + 8], then 4, 2, 1 apart; elsewhere each output is one chain over the reduced
// axes, last one innermost. A chain of sums, be it a partial or an output, is cut into blocks as
// sum.h says; the last places of a run count as one more term of all 16 partials. max, min: NaN
// wins. Over no elements: sum, l1, l2, mean 0; product 1; max -inf and min +inf (integers: their
// limits); and true; or false. The order can also be asked for, whatever the strides: in partials
// as of a run, or in chains. y must not overlap x. The caller owns all memory.
#ifndef WEFT_KERNELS_REDUCE_REDUCE_H_
#define WEFT_KERNELS_REDUCE_REDUCE_H_

#include "kernels/element.h"

namespace weft::kernels {

enum class ReduceOp : uint8_t {
  kSum,
  kMean,
  kMax,
  kMin,
  kProduct,
  kLogicalAnd,
  kLogicalOr,
  kL1,  // sum of magnitudes
  kL2   // square root of the sum of squares
};
inline constexpr uint8_t kReduceOpCount = 9;

enum class ReduceOrder : uint8_t { kByStrides, kRuns, kChains };
inline constexpr uint8_t kReduceOrderCount = 3;

// dims and strides (in elements of x): the kept axes, then the reduced ones.
struct ReduceShape {
  uint32_t kept_rank = 0;
  uint32_t reduced_rank = 0;
  uint32_t dims[kMaxRank] = {};
  uint32_t strides[kMaxRank] = {};
  ReduceOp op = ReduceOp::kSum;
  Element type = Element::kF32;
  ReduceOrder order = ReduceOrder::kByStrides;
};

// Are floats of that shape summed in partials?
inline bool HasRuns(const ReduceShape& shape) {
  if (shape.reduced_rank == 0) return false;
  if (shape.order != ReduceOrder::kByStrides) return shape.order == ReduceOrder::kRuns;
  return shape.strides[shape.kept_rank + shape.reduced_rank - 1] == 1;
}

// True where Reduce computes `op` on `type`; Reduce writes nothing for a pair it does not know.
bool ReduceKnows(ReduceOp op, Element type);
void Reduce(const ReduceShape& shape, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_REDUCE_H_
