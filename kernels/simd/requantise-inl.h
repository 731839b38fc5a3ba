// SPDX-License-Identifier: Apache-2.0
// Requantisation by integers (requantise.h) of vectors, with a multiplier for each lane.

#if defined(WEFT_KERNELS_SIMD_REQUANTISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_REQUANTISE_INL_H_
#undef WEFT_KERNELS_SIMD_REQUANTISE_INL_H_
#else
#define WEFT_KERNELS_SIMD_REQUANTISE_INL_H_
#endif

#include "kernels/simd/requantise.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE IntVec HighProduct(IntVec x, IntVec mantissa) {
  const hn::RepartitionToWide<IntTag> wide;
  const auto half = hn::Set(wide, int64_t{1} << 30);
  const auto even = hn::Add(hn::MulEven(x, mantissa), half);
  const auto odd = hn::Add(hn::MulOdd(x, mantissa), half);
  // The upper half of twice the sum.
  const IntVec upper = hn::BitCast(IntTag(), hn::ShiftLeft<1>(odd));
  return hn::OddEven(upper, hn::BitCast(IntTag(), hn::ShiftRight<31>(even)));
}

HWY_INLINE IntVec DivideByPower(IntVec x, IntVec exponent) {
  const IntVec mask = hn::Sub(hn::Shl(SetInt(1), exponent), SetInt(1));
  const IntVec threshold = hn::Sub(hn::ShiftRight<1>(mask), hn::ShiftRight<31>(x));
  const auto rounds_up = hn::Gt(hn::And(x, mask), threshold);
  return hn::Sub(hn::Shr(x, exponent), hn::VecFromMask(IntTag(), rounds_up));
}
#endif

struct MultiplierVec {
  IntVec mantissa, left, right;
  HWY_INLINE MultiplierVec(IntVec mantissas, IntVec exponents)
      : mantissa(mantissas),
        left(hn::Max(exponents, SetInt(0))),
        right(hn::Max(hn::Neg(exponents), SetInt(0))) {}
  HWY_INLINE explicit MultiplierVec(const Multiplier& all)
      : MultiplierVec(SetInt(all.mantissa), SetInt(all.exponent)) {}
};

HWY_INLINE IntVec Rescaled(IntVec x, const MultiplierVec& by) {
#if HWY_TARGET == HWY_SCALAR
  return IntVec(kernels::Rescaled(x.raw, {by.mantissa.raw, by.left.raw - by.right.raw}));
#else
  return DivideByPower(HighProduct(hn::Shl(x, by.left), by.mantissa), by.right);
#endif
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_REQUANTISE_INL_H_
