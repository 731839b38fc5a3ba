// SPDX-License-Identifier: Apache-2.0
// Pairs of quantised values by integers, for int8 and for int16.

#if defined(WEFT_KERNELS_ELEMENTWISE_INTEGER_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_ELEMENTWISE_INTEGER_PAIR_INL_H_
#undef WEFT_KERNELS_ELEMENTWISE_INTEGER_PAIR_INL_H_
#else
#define WEFT_KERNELS_ELEMENTWISE_INTEGER_PAIR_INL_H_
#endif

#include "kernels/elementwise/binary_q8-inl.h"
#include "kernels/simd/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// v of a pair of differences to the zero points, as binary_q8.h defines it, with these bits of
// fraction of the operands of a sum and of a squared difference. Op is BinaryOp or a constant of
// it.
template <typename Op, int kSum, int kSquare>
struct IntegerPair {
  Op op;
  ints::Rescaler a, b, y;

  // The combination of both operands in units that they share.
  template <int kFraction>
  HWY_INLINE ints::Vec Combined(ints::Vec above_a, ints::Vec above_b, bool is_sum) const {
    const ints::Vec fine_a = a(ints::ShiftLeft<kFraction>(above_a));
    const ints::Vec fine_b = b(ints::ShiftLeft<kFraction>(above_b));
    return is_sum ? ints::Add(fine_a, fine_b) : ints::Sub(fine_a, fine_b);
  }
  HWY_INLINE ints::Vec operator()(ints::Vec above_a, ints::Vec above_b) const {
    ints::Vec v = ints::Mul(above_a, above_b);
    if (op == BinaryOp::kAdd || op == BinaryOp::kSubtract) {
      v = Combined<kSum>(above_a, above_b, op == BinaryOp::kAdd);
    } else if (op == BinaryOp::kSquaredDifference) {
      v = Combined<kSquare>(above_a, above_b, /*is_sum=*/false);
      v = ints::Mul(v, v);
    }
    const ints::Vec scaled = y(v);
    if (op != BinaryOp::kPrelu) return scaled;
    return ints::If(ints::Lt(above_a, ints::Set(0)), scaled, a(above_a));
  }
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_ELEMENTWISE_INTEGER_PAIR_INL_H_
