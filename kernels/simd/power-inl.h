// SPDX-License-Identifier: Apache-2.0
// x to the power of y for vectors of floats, built from the parts of exp and log. The logarithm has
// two floats, so that the relative error stays below 1e-6 for any result. Zeros, infinities, signs
// and NaN are those of C's pow; subnormal x counts as zero.

#if defined(WEFT_KERNELS_SIMD_POWER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_POWER_INL_H_
#undef WEFT_KERNELS_SIMD_POWER_INL_H_
#else
#define WEFT_KERNELS_SIMD_POWER_INL_H_
#endif

#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// high + low, |low| <= ulp(high) / 2 or so.
struct FloatPair {
  FloatVec high;
  FloatVec low;
};

// a + b without rounding error; either may be larger.
HWY_INLINE FloatPair AddExactly(FloatVec a, FloatVec b) {
  const FloatVec sum = hn::Add(a, b);
  const FloatVec b_part = hn::Sub(sum, a);
  const FloatVec a_part = hn::Sub(sum, b_part);
  return {sum, hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part))};
}

// log(x) of a positive normal x: exponent * ln2 + f - f^2 / 2 + f^3 * polynomial, the large terms
// added exactly and their errors collected.
HWY_INLINE FloatPair LogInTwo(FloatVec x) {
  const LogParts parts = SplitLog(x);
  const FloatVec square = hn::Mul(parts.f, parts.f);
  const FloatVec square_error = Fma(parts.f, parts.f, hn::Neg(square));
  const FloatVec cube = hn::Mul(square, parts.f);
  const FloatVec exact = hn::Mul(parts.exponent, Set(0.693359375f));
  const FloatPair first = AddExactly(exact, parts.f);
  const FloatPair second = AddExactly(first.high, hn::Mul(square, Set(-0.5f)));
  FloatVec low = Fma(cube, LogPolynomial(parts.f), hn::Mul(square_error, Set(-0.5f)));
  low = Fma(parts.exponent, Set(-2.12194440e-4f), low);
  low = hn::Add(hn::Add(low, first.low), second.low);
  const FloatVec high = hn::Add(second.high, low);
  return {high, hn::Add(hn::Sub(second.high, high), low)};
}

// x|^y for positive normal |x| and finite y.
HWY_INLINE FloatVec PowerOfMagnitude(FloatVec magnitude, FloatVec y) {
  const FloatPair log = LogInTwo(magnitude);
  const FloatVec product = hn::Mul(y, log.high);
  const FloatVec tail = Fma(y, log.low, Fma(y, log.high, hn::Neg(product)));
  const FloatVec limited = AtLeast(AtMost(product, 89.0f), -88.0f);
  const FloatMask is_inside = hn::Eq(product, limited);
  const ExpRest reduced = ReduceExp(limited);
  const FloatVec rest = hn::Add(reduced.rest, hn::IfThenElseZero(is_inside, tail));
  const FloatVec power = JoinExp({ExpOfRest(rest), IntegerOf(reduced.shifted_n)});
  return hn::IfThenZeroElse(hn::Lt(product, Set(-87.3f)), power);
}

HWY_INLINE FloatVec PowerOf(FloatVec x, FloatVec y) {
  const FloatVec zero = Set(0.0f);
  const FloatVec one = Set(1.0f);
  const FloatVec magnitude = hn::Abs(x);
  const FloatMask grows = hn::Gt(y, zero);
  FloatVec power = PowerOfMagnitude(magnitude, y);
  power = hn::IfThenElse(hn::Lt(magnitude, Set(kSmallestNormal)),
                         hn::IfThenElse(grows, zero, Infinity()), power);
  power =
      hn::IfThenElse(hn::Eq(magnitude, Infinity()), hn::IfThenElse(grows, Infinity(), zero), power);
  power = hn::IfThenElse(hn::Eq(magnitude, one), one, power);

  // A negative base: an odd integer exponent makes the result negative, a non-integer gives NaN.
  const FloatMask is_whole = hn::Eq(RoundEven(y), y);
  const FloatVec half = hn::Mul(y, Set(0.5f));
  const FloatMask is_odd = hn::AndNot(hn::Eq(RoundEven(half), half), is_whole);
  power = hn::IfThenElse(is_odd, hn::CopySign(power, x), power);
  const FloatMask is_real =
      hn::And(hn::Le(x, Set(-kSmallestNormal)), hn::Gt(x, hn::Neg(Infinity())));
  power = hn::IfThenElse(hn::AndNot(is_whole, is_real), hn::NaN(FloatTag()), power);

  power = hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), hn::Add(x, y), power);
  return hn::IfThenElse(hn::Or(hn::Eq(x, one), hn::Eq(y, zero)), one, power);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_POWER_INL_H_
