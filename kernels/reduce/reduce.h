// SPDX-License-Identifier: Apache-2.0
// Reduction over some axes; y is contiguous over the kept ones. f32, i32 and i64 support sum, mean,
// max, min, product, l1 and (only f32) l2; boolean supports logical_and and logical_or. Integers
// wrap around, and their mean truncates towards zero.
//
// The order for f32 is the same on every target. If the last reduced axis has stride 1, its element
// i is added to partial i % 16, and the partials p are joined as p[i] op p[i + 8], then 4, 2, 1
// apart. Otherwise each output is accumulated sequentially over the reduced axes, the last one
// innermost. Sums, both partials and outputs, are split into blocks as described in sum.h; the last
// elements of a run count as one more term of all 16 partials. `order` can also request one of the
// two orders, whatever the strides.
//
// max, min: if an element is NaN, so is the result. Over no elements: sum, l1, l2, mean 0; product
// 1; max -inf and min +inf (integers: their limits); and true; or false. y must not overlap x. The
// caller owns all memory.
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

// Returns true if floats of this shape are summed in partials.
inline bool HasRuns(const ReduceShape& shape) {
  if (shape.reduced_rank == 0) return false;
  if (shape.order != ReduceOrder::kByStrides) return shape.order == ReduceOrder::kRuns;
  return shape.strides[shape.kept_rank + shape.reduced_rank - 1] == 1;
}

// Returns true if Reduce supports `op` on `type`; Reduce writes nothing for other pairs.
bool ReduceKnows(ReduceOp op, Element type);
void Reduce(const ReduceShape& shape, const void* x, void* y);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_REDUCE_H_
