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
// The integers nearest to numbers below 2^31 in magnitude, ties to even. `distance` becomes the
// maximum of itself and the distances from the numbers to their integers.
HWY_INLINE IntVec RoundedNear(FloatVec numbers, FloatVec& distance) {
  // Highway has no functions for the difference to the nearest integer and the larger magnitude.
  distance.raw = _mm512_range_ps(distance.raw, _mm512_reduce_ps(numbers.raw, 0), 11);
  return hn::NearestIntInRange(IntTag(), numbers);
}

// Rescaled(x, multiplier) with a shift to the right by r, from 1 to 20 bits, in two forms.
//
// Near: rounding twice equals one rounding of x * m / 2^(31 + r) plus 2^-(r + 1) with the sign of
// x. In floats that number has an error of at most 3 * 2^-24 of its magnitude. So the nearest
// integer is the result, if its magnitude is below 258 and the number is farther than 2^-14 from
// halfway between two integers. Larger results are at least 256.
//
// Exact: one sum and one shift of 64 bits, because floor((floor(p / 2^31) + c) / 2^r) equals
// floor((p + 2^31 c) / 2^(31 + r)). The result of a product from -2^30 to -1 is 0 whether or not
// the rounded product counts as negative.
class RightRescaler {
 public:
  // Returns false if an exponent is not from -20 to -1.
  static HWY_INLINE bool Fits(IntVec exponents) {
    return hn::AllTrue(
        IntTag(), hn::And(hn::Lt(exponents, SetInt(0)), hn::Ge(exponents, SetInt(-kMaxShift))));
  }
  RightRescaler() = default;  // to be assigned
  HWY_INLINE RightRescaler(IntVec mantissas, IntVec exponents)
      : mantissas_(mantissas), exponents_(exponents), half_(PowerOf(exponents, -1)) {
    scale_ = hn::Mul(hn::ConvertTo(FloatTag(), mantissas), PowerOf(exponents, -31));
  }
  HWY_INLINE IntVec Near(IntVec x, FloatVec& distance) const {
    const FloatVec of_x = hn::ConvertTo(FloatTag(), x);
    const FloatVec more = hn::CopySignToAbs(half_, of_x);
    return RoundedNear(hn::MulAdd(of_x, scale_, more), distance);
  }
  static HWY_INLINE bool AreNear(FloatVec distance) {
    return !WEFT_CONSTANT_TIME && hn::AllTrue(FloatTag(), hn::Lt(distance, Set(0.5f - 0x1p-14f)));
  }
  HWY_INLINE IntVec Exact(IntVec x) const {
    const auto right = hn::BitCast(Wide(), hn::Neg(exponents_));
    const auto even = hn::And(right, hn::Set(Wide(), 0xFFFFFFFF)), odd = hn::ShiftRight<32>(right);
    // The odd results are the upper halves.
    return hn::OddEven(Shifted(hn::MulOdd(x, mantissas_), odd, -1),
                       Shifted(hn::MulEven(x, mantissas_), even, 31));
  }

 private:
  static constexpr int32_t kMaxShift = 20;
  using Wide = hn::RepartitionToWide<IntTag>;
  // 2^(exponent + more)
  static HWY_INLINE FloatVec PowerOf(IntVec exponents, int32_t more) {
    return hn::BitCast(FloatTag(), hn::ShiftLeft<23>(hn::Add(exponents, SetInt(127 + more))));
  }
  static HWY_INLINE IntVec Shifted(hn::Vec<Wide> product, hn::Vec<Wide> right, int64_t more) {
    const auto half = hn::Set(Wide(), int64_t{1} << 30);
    const auto positive = hn::Add(hn::Shl(half, right), half);
    const auto negative = hn::Sub(positive, hn::Set(Wide(), int64_t{1} << 31));
    const auto sum = hn::Add(product, hn::IfNegativeThenElse(product, negative, positive));
    return hn::BitCast(IntTag(), hn::Shr(sum, hn::Add(right, hn::Set(Wide(), more))));
  }

  IntVec mantissas_, exponents_;
  FloatVec scale_, half_;
};

// Rescales four vectors by the multipliers of of(0) to of(3).
template <class Of>
HWY_INLINE void RescaleFour(const Of& of, IntVec* x) {
  IntVec near[4];
  FloatVec distance = Set(0.0f);
  HWY_UNROLL(4)
  for (size_t v = 0; v < 4; ++v) near[v] = of(v).Near(x[v], distance);
  const bool are_near = RightRescaler::AreNear(distance);
  HWY_UNROLL(4)
  for (size_t v = 0; v < 4; ++v) x[v] = HWY_LIKELY(are_near) ? near[v] : of(v).Exact(x[v]);
}
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_REQUANTISE_INL_H_
