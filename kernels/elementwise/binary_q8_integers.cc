// SPDX-License-Identifier: Apache-2.0
// The pairs of binary_q8 whose codes are computed by integers.
#include <type_traits>

#include "kernels/elementwise/binary_q8.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary_q8_integers.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/binary_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// v of a pair of differences to the zero points, as binary_q8.h defines it.
struct IntegerPair {
  BinaryOp op;
  MultiplierVec a, b, y;

  // The combination of both operands in units that they share.
  template <int kFraction>
  HWY_INLINE IntVec Combined(IntVec above_a, IntVec above_b, bool is_sum) const {
    const IntVec fine_a = Rescaled(hn::ShiftLeft<kFraction>(above_a), a);
    const IntVec fine_b = Rescaled(hn::ShiftLeft<kFraction>(above_b), b);
    return is_sum ? hn::Add(fine_a, fine_b) : hn::Sub(fine_a, fine_b);
  }
  HWY_INLINE IntVec operator()(IntVec above_a, IntVec above_b) const {
    IntVec v = hn::Mul(above_a, above_b);
    if (op == BinaryOp::kAdd || op == BinaryOp::kSubtract) {
      v = Combined<kSumFraction>(above_a, above_b, op == BinaryOp::kAdd);
    } else if (op == BinaryOp::kSquaredDifference) {
      v = Combined<kSquareFraction>(above_a, above_b, /*is_sum=*/false);
      v = hn::Mul(v, v);
    }
    const IntVec scaled = Rescaled(v, y);
    if (op != BinaryOp::kPrelu) return scaled;
    return hn::IfThenElse(hn::Lt(above_a, SetInt(0)), scaled, Rescaled(above_a, a));
  }
};

// Op is BinaryOp or a constant of it.
template <typename Op>
WEFT_PART void IntegerLines(Op op, const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b,
                            int8_t* y) {
  const IntegerPair pair = {op, MultiplierVec(shape.a_multiplier),
                            MultiplierVec(shape.b_multiplier), MultiplierVec(shape.multiplier)};
  const CodeRange codes = shape.codes;
  ForLines(shape, a, b, y,
           [&](const CodeLine& of_a, const CodeLine& of_b, size_t count, int8_t* to)
               HWY_ATTR { PairCodes(pair, codes, of_a, of_b, count, to); });
}

template <BinaryOp op>
using Constant = std::integral_constant<BinaryOp, op>;

void BinaryQ8Integers(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  // Without vectors, a loop for each operation is not worth its code.
  if (HWY_TARGET == HWY_SCALAR) return IntegerLines(shape.op, shape, a, b, y);
  switch (shape.op) {
    case BinaryOp::kMultiply:
      return IntegerLines(Constant<BinaryOp::kMultiply>(), shape, a, b, y);
    case BinaryOp::kPrelu:
      return IntegerLines(Constant<BinaryOp::kPrelu>(), shape, a, b, y);
    case BinaryOp::kSquaredDifference:
      return IntegerLines(Constant<BinaryOp::kSquaredDifference>(), shape, a, b, y);
    case BinaryOp::kSubtract:
      return IntegerLines(Constant<BinaryOp::kSubtract>(), shape, a, b, y);
    default:
      return IntegerLines(Constant<BinaryOp::kAdd>(), shape, a, b, y);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(BinaryQ8Integers);

void BinaryQ8Integers(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  HWY_DYNAMIC_DISPATCH(BinaryQ8Integers)(shape, a, b, y);
}

}  // namespace weft::kernels

const char weft_variant_binary_q8_integers = 0;
#endif  // HWY_ONCE
