// SPDX-License-Identifier: Apache-2.0
// The functions of math-inl.h that dominate the time of recurrent cells, for eight floats at a
// time: two vectors of Helium share each load of a constant, which an instruction reads from a core
// register. The operations are exactly those of math-inl.h, so the results are bit-identical.

#if defined(WEFT_KERNELS_SIMD_MATH_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_MATH_HELIUM_INL_H_
#undef WEFT_KERNELS_SIMD_MATH_HELIUM_INL_H_
#else
#define WEFT_KERNELS_SIMD_MATH_HELIUM_INL_H_
#endif

#include <arm_mve.h>

#include "kernels/simd/math-inl.h"

// A loop over units. Clang generates faster code with minsize, because it keeps fewer values before
// the loop.
#undef WEFT_UNITS
#ifdef __clang__
#define WEFT_UNITS HWY_NOINLINE inline __attribute__((minsize))
#else
#define WEFT_UNITS HWY_NOINLINE inline
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kPair = 8;  // floats

struct FloatPair {
  float32x4_t a, b;
};

HWY_INLINE FloatPair LoadPair(const float* p) { return {vldrwq_f32(p), vldrwq_f32(p + 4)}; }
HWY_INLINE void StorePair(const FloatPair& x, float* p) {
  vstrwq_f32(p, x.a);
  vstrwq_f32(p + 4, x.b);
}

// Loads or stores the first `count` <= 8 floats. Other lanes are loaded as zero, and are not
// stored.
HWY_INLINE FloatPair LoadFirstPair(const float* p, size_t count) {
  const uint32_t upper = count > 4 ? count - 4 : 0;
  return {vldrwq_z_f32(p, vctp32q(count)), vldrwq_z_f32(p + 4, vctp32q(upper))};
}
HWY_INLINE void StoreFirstPair(const FloatPair& x, float* p, size_t count) {
  const uint32_t upper = count > 4 ? count - 4 : 0;
  vstrwq_p_f32(p, x.a, vctp32q(count));
  vstrwq_p_f32(p + 4, x.b, vctp32q(upper));
}

// Copies the first `count` floats to `rest`, padded with zeros, so that they can be computed as a
// pair.
HWY_NOINLINE inline const float* RestOf(const float* p, size_t count, float* rest) {
  StorePair(LoadFirstPair(p, count), rest);
  return rest;
}

HWY_INLINE FloatPair PairOf(float x) { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
HWY_INLINE FloatPair Add(const FloatPair& x, const FloatPair& y) {
  return {vaddq_f32(x.a, y.a), vaddq_f32(x.b, y.b)};
}
HWY_INLINE FloatPair Sub(const FloatPair& x, const FloatPair& y) {
  return {vsubq_f32(x.a, y.a), vsubq_f32(x.b, y.b)};
}
HWY_INLINE FloatPair Mul(const FloatPair& x, const FloatPair& y) {
  return {vmulq_f32(x.a, y.a), vmulq_f32(x.b, y.b)};
}
HWY_INLINE FloatPair Fma(const FloatPair& x, const FloatPair& y, const FloatPair& z) {
  return {vfmaq_f32(z.a, x.a, y.a), vfmaq_f32(z.b, x.b, y.b)};
}
// z + x * y, for a scalar y.
HWY_INLINE FloatPair Fma(const FloatPair& x, float y, const FloatPair& z) {
  return {vfmaq_n_f32(z.a, x.a, y), vfmaq_n_f32(z.b, x.b, y)};
}
HWY_INLINE FloatPair Divide(const FloatPair& x, const FloatPair& y) {
  return {x.a / y.a, x.b / y.b};
}

// c[0] + x * (c[1] + x * (c[2] + ...)). Loading a coefficient from memory needs one instruction, a
// constant needs two.
template <size_t kTerms>
HWY_INLINE FloatPair Polynomial(const FloatPair& x, const float (&c)[kTerms]) {
  const float* terms = c;
  __asm__("" : "+r"(terms));
  FloatPair sum = PairOf(terms[kTerms - 1]);
  HWY_UNROLL(8)
  for (size_t k = kTerms - 1; k-- > 0;) {
    sum.a = vfmasq_n_f32(sum.a, x.a, terms[k]);
    sum.b = vfmasq_n_f32(sum.b, x.b, terms[k]);
  }
  return sum;
}

// Returns true if a number of x is outside [-limit, limit]. Compares bits; a signalling NaN counts
// as outside.
HWY_INLINE bool IsBeyond(const FloatPair& x, float limit) {
  if (WEFT_CONSTANT_TIME) return true;
  uint32_t max = 0, limit_bits;
  __asm__("vmaxnmav.f32 %0, %q1\n\tvmaxnmav.f32 %0, %q2" : "+r"(max) : "w"(x.a), "w"(x.b));
  __builtin_memcpy(&limit_bits, &limit, sizeof limit_bits);
  return max > limit_bits;
}
// x if the number in `at` is within [-limit, limit] or NaN, else `above` or `below`. Only
// magnitudes are compared, and only with "greater": Helium's "less" is true for a NaN, and Clang
// generates it from "greater" when it removes a sign.
HWY_INLINE float32x4_t Saturated(float32x4_t x, float32x4_t at, float limit, float above,
                                 float below) {
  // Hides the values from the compiler, which would create vectors of them before a loop that
  // rarely needs them.
  __asm__("" : "+r"(limit), "+r"(above), "+r"(below));
  const float32x4_t end =
      vpselq_f32(vdupq_n_f32(above), vdupq_n_f32(below), vcmpgtq_n_f32(at, 0.0f));
  return vpselq_f32(end, x, vcmpgtq_n_f32(vabsq_f32(at), limit));
}
// Clamps x to [-limit, limit], where numbers outside are rare; a NaN stays NaN.
HWY_INLINE FloatPair Within(const FloatPair& x, float limit) {
  if (__builtin_expect(IsBeyond(x, limit), 0)) {
    return {Saturated(x.a, x.a, limit, limit, -limit), Saturated(x.b, x.b, limit, limit, -limit)};
  }
  return x;
}

struct FractionPair {
  FloatPair above, below;
};

HWY_INLINE FractionPair TanhFraction(const FloatPair& x) {
  const FloatPair limited = Within(x, kTanhWithin);
  const FloatPair square = Mul(limited, limited);
  return {Mul(Polynomial(square, kTanhAbove), limited), Polynomial(square, kTanhBelow)};
}

// 2^n, for an integer n with kRoundingMagic added; the shift removes all bits of kRoundingMagic.
HWY_INLINE float32x4_t PowerOf(float32x4_t shifted) {
  const uint32x4_t bits = vshlq_n_u32(vreinterpretq_u32_f32(shifted), 23);
  return vreinterpretq_f32_u32(vaddq_n_u32(bits, 127u << 23));
}
// 1 + exp(-x) for |x| <= 88.
HWY_INLINE FloatPair SigmoidDivisorWithin88(const FloatPair& x) {
  const FloatPair shifted = Fma(x, -kLog2OfE, PairOf(kRoundingMagic));
  const FloatPair n = {vsubq_n_f32(shifted.a, kRoundingMagic),
                       vsubq_n_f32(shifted.b, kRoundingMagic)};
  FloatPair rest = {vnegq_f32(x.a), vnegq_f32(x.b)};
  rest = Fma(n, -kLogTwoHigh, rest);
  rest = Fma(n, -kLogTwoLow, rest);
  const FloatPair m = Fma(Mul(rest, rest), Polynomial(rest, kExpTerms), rest);
  const FloatPair power = {PowerOf(shifted.a), PowerOf(shifted.b)};
  const FloatPair e = Fma(power, m, power);
  return {vaddq_n_f32(e.a, 1.0f), vaddq_n_f32(e.b, 1.0f)};
}

// Above 17 the divisor is 1.
HWY_INLINE FloatPair Sigmoid(const FloatPair& x) {
  const FloatPair y = Divide(PairOf(1.0f), SigmoidDivisorWithin88(x));
  if (__builtin_expect(IsBeyond(x, -kSigmoidFrom), 0)) {
    return {Saturated(y.a, x.a, -kSigmoidFrom, 1.0f, 0.0f),
            Saturated(y.b, x.b, -kSigmoidFrom, 1.0f, 0.0f)};
  }
  return y;
}

HWY_INLINE FloatPair Tanh(const FloatPair& x) {
  const FractionPair fraction = TanhFraction(x);
  return Within(Divide(fraction.above, fraction.below), 1.0f);
}

HWY_INLINE FloatPair SigmoidTimesTanh(const FloatPair& x, const FloatPair& y) {
  const FractionPair tanh = TanhFraction(y);
  return Divide(tanh.above, Mul(tanh.below, SigmoidDivisorWithin88(Within(x, 88.0f))));
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_MATH_HELIUM_INL_H_
