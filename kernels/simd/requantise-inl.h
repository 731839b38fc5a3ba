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

#if HWY_TARGET <= HWY_AVX3
// Rescaled(x, multiplier) + zero, with one sum and one shift of 64 bits: floor((floor(p / 2^31) +
// c) / 2^r) equals floor((p + 2^31 c) / 2^(31 + r)). If r > 0, the result of a product from -2^30
// to -1 is 0 whether or not the rounded product counts as negative.
class WideRescaler {
 public:
  // Returns false if an exponent is not from -20 to -1: a shift to the left, or sums that could
  // exceed 64 bits.
  static HWY_INLINE bool Fits(IntVec exponents) {
    return hn::AllTrue(
        IntTag(), hn::And(hn::Lt(exponents, SetInt(0)), hn::Ge(exponents, SetInt(-kMaxShift))));
  }
  WideRescaler() = default;  // to be assigned
  HWY_INLINE WideRescaler(IntVec mantissas, IntVec exponents, int32_t zero)
      : mantissas_(mantissas) {
    const auto right = hn::BitCast(Wide(), hn::Neg(exponents));
    even_ = HalfOf(hn::And(right, hn::Set(Wide(), 0xFFFFFFFF)), zero);
    odd_ = HalfOf(hn::ShiftRight<32>(right), zero);
    even_.shift = hn::Add(even_.shift, hn::Set(Wide(), 31));
    odd_.shift = hn::Sub(odd_.shift, hn::Set(Wide(), 1));  // the result is the upper half
  }
  HWY_INLINE IntVec operator()(IntVec x) const {
    return hn::OddEven(Shifted(hn::MulOdd(x, mantissas_), odd_),
                       Shifted(hn::MulEven(x, mantissas_), even_));
  }

 private:
  static constexpr int32_t kMaxShift = 20;
  using Wide = hn::RepartitionToWide<IntTag>;
  // The summands of positive and of negative products.
  struct Half {
    hn::Vec<Wide> positive, negative, shift;
  };
  static HWY_INLINE Half HalfOf(hn::Vec<Wide> right, int32_t zero) {
    const auto code = hn::Set(Wide(), 2 * int64_t{zero} + 1);
    const auto positive = hn::Add(hn::Shl(code, hn::Add(right, hn::Set(Wide(), 30))),
                                  hn::Set(Wide(), int64_t{1} << 30));
    return {positive, hn::Sub(positive, hn::Set(Wide(), int64_t{1} << 31)), right};
  }
  static HWY_INLINE IntVec Shifted(hn::Vec<Wide> product, const Half& half) {
    const auto more = hn::IfNegativeThenElse(product, half.negative, half.positive);
    return hn::BitCast(IntTag(), hn::Shr(hn::Add(product, more), half.shift));
  }

  IntVec mantissas_;
  Half even_, odd_;
};
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_REQUANTISE_INL_H_
