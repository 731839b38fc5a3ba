// SPDX-License-Identifier: Apache-2.0
// Elementary functions of a vector of floats. They use only fused multiply-adds, exactly rounded
// operations and bit operations, so that every target returns the same bits. NaN in, NaN out. The
// errors below are measured against double over the complete domain (tests check them with
// reference/unary.h). Polynomials are minimax fits (Lawson's iteration on 2000 to 4000 Chebyshev
// nodes). Results that would be subnormal may be zero.

#if defined(WEFT_KERNELS_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_MATH_INL_H_
#undef WEFT_KERNELS_SIMD_MATH_INL_H_
#else
#define WEFT_KERNELS_SIMD_MATH_INL_H_
#endif

#include "kernels/simd/vector-inl.h"

// Not if vectors of Helium are compiled from scalar code.
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_FMA) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FEATURE_MVE)
#include "kernels/simd/polynomial_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Adding it to |x| < 2^22 leaves x, rounded to an even integer on ties, in the low bits.
inline constexpr float kRoundingMagic = 12582912.0f;  // 1.5 * 2^23
inline constexpr float kSmallestNormal = 1.17549435e-38f;

HWY_INLINE FloatVec Infinity() { return hn::Inf(FloatTag()); }
HWY_INLINE IntVec Bits(FloatVec x) { return hn::BitCast(IntTag(), x); }
HWY_INLINE FloatVec FromBits(IntVec bits) { return hn::BitCast(FloatTag(), bits); }

#ifndef WEFT_POLYNOMIAL
// c[0] + x * (c[1] + x * (c[2] + ...))
template <size_t kFirst = 0, size_t kTerms>
HWY_INLINE FloatVec Polynomial(FloatVec x, const float (&c)[kTerms]) {
  if constexpr (kFirst + 1 == kTerms) {
    return Set(c[kFirst]);
  } else {
    return Fma(x, Polynomial<kFirst + 1>(x, c), Set(c[kFirst]));
  }
}
#endif

// Clamps x to [-limit, limit]; a NaN stays NaN. Numbers outside are rare; on scalar targets one
// comparison and a branch detect them.
HWY_INLINE FloatVec Within(FloatVec x, float limit) {
#if HWY_TARGET == HWY_SCALAR && !defined(__ARM_FEATURE_MVE) && !WEFT_CONSTANT_TIME
  if (__builtin_expect(__builtin_fabsf(x.raw) > limit, 0)) {
    return FloatVec(__builtin_copysignf(limit, x.raw));
  }
  return x;
#else
  return AtLeast(AtMost(x, limit), -limit);
#endif
}

// ---- rounding to integers -----------------------------------------------------------------------

// Nearest integer, ties to even.
HWY_INLINE FloatVec RoundEven(FloatVec x) {
  const FloatVec shift = Set(8388608.0f);  // 2^23: from there on every float is an integer
  const FloatVec magnitude = hn::Abs(x);
  const FloatVec rounded = hn::Sub(hn::Add(magnitude, shift), shift);
  return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, shift), rounded, magnitude), x);
}

// Nearest integer, ties away from zero.
HWY_INLINE FloatVec RoundAway(FloatVec x) {
  const FloatVec magnitude = hn::Abs(x);
  const FloatVec even = hn::Abs(RoundEven(x));
  const FloatMask was_tie = hn::Eq(hn::Sub(magnitude, even), Set(0.5f));
  return hn::CopySign(hn::IfThenElse(was_tie, hn::Add(even, Set(1.0f)), even), x);
}

HWY_INLINE FloatVec RoundDown(FloatVec x) {
  const FloatVec even = RoundEven(x);
  return hn::IfThenElse(hn::Gt(even, x), hn::Sub(even, Set(1.0f)), even);
}

HWY_INLINE FloatVec RoundUp(FloatVec x) { return hn::Neg(RoundDown(hn::Neg(x))); }

HWY_INLINE FloatVec RoundToZero(FloatVec x) { return hn::CopySign(RoundDown(hn::Abs(x)), x); }

// ---- exponential --------------------------------------------------------------------------------

// exp(x) = 2^n * (1 + m) with |m| < 0.42, for x in [-88, 89].
struct ExpParts {
  FloatVec m;
  IntVec n;
};

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, error 3.6e-9.
inline constexpr float kExpTerms[] = {0.50000001f, 0.16666507f, 0.041666168f, 0.0083703214f,
                                      0.0013952973f};
// ln 2 in two parts, the first with few bits.
inline constexpr float kLogTwoHigh = 0.693359375f, kLogTwoLow = -2.12194440e-4f;
inline constexpr float kLog2OfE = 1.44269504f;

// exp(r) - 1 for |r| <= ln(2) / 2.
HWY_INLINE FloatVec ExpOfRest(FloatVec r) {
  return Fma(hn::Mul(r, r), Polynomial(r, kExpTerms), r);
}

// x = n * ln(2) + rest; n comes with kRoundingMagic on top.
struct ExpRest {
  FloatVec rest;
  FloatVec shifted_n;
};

HWY_INLINE ExpRest ReduceExp(FloatVec x) {
  const FloatVec shifted = Fma(x, Set(kLog2OfE), Set(kRoundingMagic));
  const FloatVec n = hn::Sub(shifted, Set(kRoundingMagic));
  const FloatVec r = Fnma(n, Set(kLogTwoHigh), x);
  return {Fnma(n, Set(kLogTwoLow), r), shifted};
}

HWY_INLINE IntVec IntegerOf(FloatVec shifted_n) {
  return hn::Sub(Bits(shifted_n), Bits(Set(kRoundingMagic)));
}

HWY_INLINE ExpParts SplitExp(FloatVec x) {
  const ExpRest reduced = ReduceExp(x);
  return {ExpOfRest(reduced.rest), IntegerOf(reduced.shifted_n)};
}

// 2^n for n in [-127, 127]; -127 gives 0.
HWY_INLINE FloatVec PowerOfTwo(IntVec n) {
  return FromBits(hn::ShiftLeft<23>(hn::Add(n, SetInt(127))));
}

// Joins the parts over the full range of floats: two factors, because 2^n alone may overflow.
HWY_INLINE FloatVec JoinExp(const ExpParts& parts) {
  const IntVec half = hn::ShiftRight<1>(parts.n);
  const FloatVec scale = PowerOfTwo(half);
  return hn::Mul(Fma(scale, parts.m, scale), PowerOfTwo(hn::Sub(parts.n, half)));
}

// Relative error 1e-7. Above 88.73 it is infinite, below -87.3 zero.
HWY_INLINE FloatVec Exp(FloatVec x) {
  const FloatVec y = JoinExp(SplitExp(AtLeast(AtMost(x, 89.0f), -88.0f)));
  return hn::IfThenZeroElse(hn::Lt(x, Set(-87.3f)), y);
}

// exp for |x| <= 88, where one factor is enough. 2^n is computed from the shifted n directly,
// because the shift removes all bits of kRoundingMagic.
HWY_INLINE FloatVec ExpWithin88(FloatVec x) {
  const ExpRest reduced = ReduceExp(x);
  const FloatVec m = ExpOfRest(reduced.rest);
  const FloatVec scale =
      FromBits(hn::Add(hn::ShiftLeft<23>(Bits(reduced.shifted_n)), SetInt(127 << 23)));
  return Fma(scale, m, scale);
}

// exp(x) - 1 with a small relative error around 0 too; for x <= 88.
HWY_INLINE FloatVec ExpMinusOne(FloatVec x) {
  const ExpParts parts = SplitExp(Within(x, 88.0f));
  const FloatVec scale = PowerOfTwo(parts.n);
  return Fma(scale, parts.m, hn::Sub(scale, Set(1.0f)));
}

// ---- logarithm ----------------------------------------------------------------------------------

// x = 2^exponent * (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), for positive normal x.
struct LogParts {
  FloatVec f;
  FloatVec exponent;
};

HWY_INLINE LogParts SplitLog(FloatVec x) {
  const IntVec bits = Bits(x);
  const IntVec n = hn::ShiftRight<23>(hn::Sub(bits, SetInt(0x3F3504F3)));
  const FloatVec mantissa = FromBits(hn::Sub(bits, hn::ShiftLeft<23>(n)));
  return {hn::Sub(mantissa, Set(1.0f)), hn::ConvertTo(FloatTag(), n)};
}

// (log(1 + f) - f + f^2 / 2) / f^3; error 3.2e-8 of the logarithm.
HWY_INLINE FloatVec LogPolynomial(FloatVec f) {
  static constexpr float kTerms[] = {0.33333921f, -0.2500138f,  0.19962595f, -0.16575830f,
                                     0.14918417f, -0.14284091f, 0.087113637f};
  return Polynomial(f, kTerms);
}

// log(x) of a positive normal x.
HWY_INLINE FloatVec LogOfNormal(FloatVec x) {
  const LogParts parts = SplitLog(x);
  const FloatVec square = hn::Mul(parts.f, parts.f);
  FloatVec y = hn::Mul(hn::Mul(square, parts.f), LogPolynomial(parts.f));
  y = Fma(parts.exponent, Set(kLogTwoLow), y);
  y = hn::Add(Fnma(square, Set(0.5f), y), parts.f);
  return Fma(parts.exponent, Set(kLogTwoHigh), y);
}

// Relative error 2e-7 (absolute 1e-7 around 1). Zero and subnormal numbers give -inf, negative
// numbers NaN.
HWY_INLINE FloatVec Log(FloatVec x) {
  FloatVec y = hn::IfThenElse(hn::Lt(x, Infinity()), LogOfNormal(x), x);
  const FloatVec below =
      hn::IfThenElse(hn::Le(x, Set(-kSmallestNormal)), hn::NaN(FloatTag()), hn::Neg(Infinity()));
  return hn::IfThenElse(hn::Lt(x, Set(kSmallestNormal)), below, y);
}

// log(1 + x) for x >= 0, with a small relative error around 0 too; NaN of infinity.
HWY_INLINE FloatVec LogOnePlus(FloatVec x) {
  const FloatVec sum = hn::Add(x, Set(1.0f));
  const FloatVec lost = hn::Sub(x, hn::Sub(sum, Set(1.0f)));
  return hn::Add(LogOfNormal(sum), Divide(lost, sum));
}

// ---- circle -------------------------------------------------------------------------------------

// x = n * pi/2 + r: sine and cosine of r, and n in the low bits of `quadrant`.
struct CircleParts {
  FloatVec sine;
  FloatVec cosine;
  IntVec quadrant;
};

HWY_INLINE CircleParts SplitCircle(FloatVec x) {
  static constexpr float kSine[] = {-0.16666653f, 0.0083320639f, -0.00019502135f};   // 4.4e-9
  static constexpr float kCosine[] = {0.041666644f, -0.0013887243f, 2.4423889e-5f};  // 1.2e-10
  const FloatVec shifted = Fma(x, Set(0.63661977f), Set(kRoundingMagic));
  const FloatVec n = hn::Sub(shifted, Set(kRoundingMagic));
  FloatVec r = Fnma(n, Set(1.57079637f), x);  // pi/2 in three parts
  r = Fnma(n, Set(-4.37113883e-8f), r);
  r = Fnma(n, Set(-1.71512489e-15f), r);
  r = Within(r, 0.9f);
  const FloatVec square = hn::Mul(r, r);
  const FloatVec cosine =
      Fma(hn::Mul(square, square), Polynomial(square, kCosine), Fnma(square, Set(0.5f), Set(1.0f)));
  return {Fma(hn::Mul(square, r), Polynomial(square, kSine), r), cosine, Bits(shifted)};
}

HWY_INLINE FloatMask IsEven(IntVec n) {
  return hn::RebindMask(FloatTag(), hn::Eq(hn::And(n, SetInt(1)), SetInt(0)));
}

// sin(x + quarters * pi/2). Absolute error 1e-7 for |x| <= 1e5, 1e-6 up to 1e6; for larger x the
// result loses accuracy but stays within [-1, 1]. Infinite x gives NaN.
HWY_INLINE FloatVec SinOfQuarters(FloatVec x, int32_t quarters) {
  const CircleParts parts = SplitCircle(x);
  const IntVec quadrant = hn::Add(parts.quadrant, SetInt(quarters));
  const IntVec sign = hn::ShiftLeft<30>(hn::And(quadrant, SetInt(2)));
  return FromBits(hn::Xor(Bits(hn::IfThenElse(IsEven(quadrant), parts.sine, parts.cosine)), sign));
}

HWY_INLINE FloatVec Sin(FloatVec x) { return SinOfQuarters(x, 0); }
HWY_INLINE FloatVec Cos(FloatVec x) { return SinOfQuarters(x, 1); }

// ---- sigmoids -----------------------------------------------------------------------------------

// above / below; the caller may combine this division with another one.
struct Fraction {
  FloatVec above;
  FloatVec below;
};

// x * above(x^2) / below(x^2)
template <size_t kTerms>
HWY_INLINE Fraction OddRational(FloatVec x, const float (&above)[kTerms],
                                const float (&below)[kTerms]) {
  const FloatVec square = hn::Mul(x, x);
  return {hn::Mul(x, Polynomial(square, above)), Polynomial(square, below)};
}

// For a function whose rounded result must not exceed 1 in magnitude.
HWY_INLINE FloatVec DivideWithinOne(Fraction f) { return Within(Divide(f.above, f.below), 1.0f); }

// tanh(x) = x * above / below for |x| <= 9, of degree 4/4 in x^2; below is at most 1e2.
inline constexpr float kTanhWithin = 9.0f;
inline constexpr float kTanhAbove[] = {1.0f, 0.133744523f, 0.00348779745f, 2.04811586e-5f,
                                       1.31785312e-8f};
inline constexpr float kTanhBelow[] = {1.0f, 0.467077613f, 0.0258473121f, 3.27290676e-4f,
                                       7.70415681e-7f};
HWY_INLINE Fraction TanhFraction(FloatVec x) {
  return OddRational(Within(x, kTanhWithin), kTanhAbove, kTanhBelow);
}

// Absolute and relative error 3e-7; +-1 beyond 9. The fit's own error is 2e-8; its last bits were
// then chosen by trial so that rounding stays below 3e-7 at every float.
HWY_INLINE FloatVec Tanh(FloatVec x) { return DivideWithinOne(TanhFraction(x)); }

// Below this x, a sigmoid is zero.
inline constexpr float kSigmoidFrom = -87.3f;
// 1 + exp(-x), finite.
HWY_INLINE FloatVec SigmoidDivisor(FloatVec x) {
  return hn::Add(Set(1.0f), ExpWithin88(Within(hn::Neg(x), 88.0f)));
}

// Relative error 2e-7 down to -87.3, below which it is zero.
HWY_INLINE FloatVec Sigmoid(FloatVec x) {
#if HWY_TARGET == HWY_SCALAR && !defined(__ARM_FEATURE_MVE) && !WEFT_CONSTANT_TIME
  if (__builtin_expect(__builtin_fabsf(x.raw) > -kSigmoidFrom, 0)) {
    return Set(x.raw < 0.0f ? 0.0f : 1.0f);  // above 17 the divisor is 1
  }
#endif
  return hn::IfThenZeroElse(hn::Lt(x, Set(kSigmoidFrom)), Divide(Set(1.0f), SigmoidDivisor(x)));
}

// sigmoid(x) * tanh(y) with one division instead of two: on AVX-512 divisions are half of the cost.
// Absolute error 4e-7; the result may exceed 1 by as much.
HWY_INLINE FloatVec SigmoidTimesTanh(FloatVec x, FloatVec y) {
  const Fraction tanh = TanhFraction(y);
  return Divide(tanh.above, hn::Mul(tanh.below, SigmoidDivisor(x)));
}

// Degree 5/5 in x^2, absolute and relative error 4e-7; exactly +-1 from 4.1 on, where the fit
// itself is slightly above 1: gelu multiplies the distance from 1 by x.
HWY_INLINE FloatVec Erf(FloatVec x) {
  static constexpr float kAbove[] = {1.12837911f,    0.193545654f,   0.0531017929f,
                                     0.00388336345f, 2.84565554e-4f, 1.98676798e-6f};
  static constexpr float kBelow[] = {1.0f,          0.504857898f,   0.115350224f,
                                     0.0152072851f, 0.00118557445f, 3.74200208e-5f};
  return DivideWithinOne(OddRational(Within(x, 4.1f), kAbove, kBelow));
}

// log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)).
HWY_INLINE FloatVec SoftPlus(FloatVec x) {
  const FloatVec rest = LogOnePlus(ExpWithin88(AtLeast(hn::Neg(hn::Abs(x)), -88.0f)));
  return hn::Add(hn::IfThenZeroElse(hn::Lt(x, Set(0.0f)), x), rest);
}

// x * tanh(softplus(x)) = x * p / (p + 2) with p = exp(x)^2 + 2 exp(x).
HWY_INLINE FloatVec Mish(FloatVec x) {
  const FloatVec e = ExpWithin88(AtLeast(AtMost(x, 20.0f), -88.0f));
  const FloatVec p = hn::Mul(e, hn::Add(e, Set(2.0f)));
  return hn::Mul(x, Divide(p, hn::Add(p, Set(2.0f))));
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_MATH_INL_H_
