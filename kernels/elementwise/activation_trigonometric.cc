// SPDX-License-Identifier: Apache-2.0
// Tangent, the hyperbolic functions and the inverse functions. Relative errors of 2e-7 to 4e-7
// (functions.inc); odd functions keep the sign of zero.
#define WEFT_DEFINES_GROUP
#include "kernels/elementwise/activation.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/activation_trigonometric.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/activation-inl.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr float kHalfPi = 1.57079637f;
inline constexpr float kHalfPiRest = -4.37113883e-8f;  // pi/2 - kHalfPi
inline constexpr float kLogOfTwo = 0.693147181f;
// From here on exp(x) may overflow, so sinh and cosh compute it as two factors; exp(-x) is
// negligible.
inline constexpr float kHyperbolicSplit = 88.0f;
// From here on asinh(x) and acosh(x) are log(2x), with an error of 1 / (4 x^2) = 1.5e-8.
inline constexpr float kInverseSplit = 4096.0f;

HWY_INLINE FloatVec Tan(FloatVec x) {
  const CircleParts parts = SplitCircle(hn::Abs(x));
  const FloatMask even = IsEven(parts.quadrant);
  const FloatVec above = hn::IfThenElse(even, parts.sine, hn::Neg(parts.cosine));
  const FloatVec y = Divide(above, hn::IfThenElse(even, parts.cosine, parts.sine));
  const IntVec sign = hn::And(Bits(x), Bits(Set(-0.0f)));
  return FromBits(hn::Xor(Bits(y), sign));
}

// atan(s) for s in [0, 1].
HWY_INLINE FloatVec AtanWithinOne(FloatVec s) {
  static constexpr float kTerms[] = {-0.33333299f, 0.19998549f,  -0.14264242f,
                                     0.10952186f,  -0.08403451f, 0.057957601f,
                                     -0.03117785f, 0.010914609f, -0.0017936223f};  // 2.6e-9
  const FloatVec square = hn::Mul(s, s);
  return Fma(hn::Mul(square, s), Polynomial(square, kTerms), s);
}

// pi/2 - x, for x below pi/2.
HWY_INLINE FloatVec HalfPiMinus(FloatVec x) {
  return hn::Add(hn::Sub(Set(kHalfPi), x), Set(kHalfPiRest));
}

HWY_INLINE FloatVec Atan(FloatVec x) {
  const FloatVec magnitude = hn::Abs(x);
  const FloatMask beyond = hn::Gt(magnitude, Set(1.0f));
  const FloatVec s = hn::IfThenElse(beyond, Divide(Set(1.0f), magnitude), magnitude);
  const FloatVec y = AtanWithinOne(s);
  return hn::CopySign(hn::IfThenElse(beyond, HalfPiMinus(y), y), x);
}

// asin(x) is `y` up to 1/2, and pi/2 - 2 y above, for x in [0, 1]; NaN for larger x.
struct AsinParts {
  FloatVec y;
  FloatMask beyond;
};

HWY_INLINE AsinParts SplitAsin(FloatVec magnitude) {
  static constexpr float kTerms[] = {0.16666752f, 0.074952975f, 0.045470376f, 0.024179514f,
                                     0.042166308f};  // 4.8e-9
  const FloatMask beyond = hn::Gt(magnitude, Set(0.5f));
  const FloatVec half = SquareRoot(hn::Mul(hn::Sub(Set(1.0f), magnitude), Set(0.5f)));
  const FloatVec s = hn::IfThenElse(beyond, half, magnitude);
  const FloatVec square = hn::Mul(s, s);
  return {Fma(hn::Mul(square, s), Polynomial(square, kTerms), s), beyond};
}

HWY_INLINE FloatVec Asin(FloatVec x) {
  const AsinParts parts = SplitAsin(hn::Abs(x));
  const FloatVec twice = hn::Add(parts.y, parts.y);
  return hn::CopySign(hn::IfThenElse(parts.beyond, HalfPiMinus(twice), parts.y), x);
}

HWY_INLINE FloatVec Acos(FloatVec x) {
  const AsinParts parts = SplitAsin(hn::Abs(x));
  const FloatVec twice = hn::Add(parts.y, parts.y);
  const FloatVec from_pi =
      hn::Add(hn::Sub(Set(2 * kHalfPi), twice), Set(2 * kHalfPiRest));  // pi - twice
  const FloatVec beyond = hn::IfThenElse(hn::Lt(x, Set(0.0f)), from_pi, twice);
  return hn::IfThenElse(parts.beyond, beyond, HalfPiMinus(hn::CopySign(parts.y, x)));
}

// exp(x) / 2 for x >= 0, also if exp(x) overflows.
HWY_INLINE FloatVec HalfOfExp(FloatVec x) {
  const FloatVec root = Exp(hn::Mul(x, Set(0.5f)));
  return hn::Mul(hn::Mul(root, Set(0.5f)), root);
}

// (e + e / (e + 1)) / 2 with e = exp(|x|) - 1, whose error is also small around 0.
HWY_INLINE FloatVec Sinh(FloatVec x) {
  const FloatVec magnitude = hn::Abs(x);
  const FloatVec e = ExpMinusOne(magnitude);
  const FloatVec close = hn::Mul(Set(0.5f), hn::Add(e, Divide(e, hn::Add(e, Set(1.0f)))));
  const FloatMask is_small = hn::Lt(magnitude, Set(kHyperbolicSplit));
  return hn::CopySign(hn::IfThenElse(is_small, close, HalfOfExp(magnitude)), x);
}

HWY_INLINE FloatVec Cosh(FloatVec x) {
  const FloatVec magnitude = hn::Abs(x);
  const FloatVec e = Exp(magnitude);
  const FloatVec close = Fma(e, Set(0.5f), Divide(Set(0.5f), e));
  const FloatMask is_small = hn::Lt(magnitude, Set(kHyperbolicSplit));
  return hn::IfThenElse(is_small, close, HalfOfExp(magnitude));
}

HWY_INLINE FloatVec LogOfTwice(FloatVec x) { return hn::Add(Log(x), Set(kLogOfTwo)); }

// log(|x| + sqrt(x^2 + 1)), computed as log(1 + ...) for accuracy at small x.
HWY_INLINE FloatVec Asinh(FloatVec x) {
  const FloatVec magnitude = hn::Abs(x);
  const FloatVec square = hn::Mul(magnitude, magnitude);
  const FloatVec root = SquareRoot(hn::Add(square, Set(1.0f)));
  const FloatVec more = hn::Add(magnitude, Divide(square, hn::Add(root, Set(1.0f))));
  const FloatMask beyond = hn::Gt(magnitude, Set(kInverseSplit));
  return hn::CopySign(hn::IfThenElse(beyond, LogOfTwice(magnitude), LogOnePlus(more)), x);
}

// log(x + sqrt(x^2 - 1)) with x = 1 + t, computed as log(1 + ...) for accuracy at small t.
HWY_INLINE FloatVec Acosh(FloatVec x) {
  const FloatVec t = hn::Sub(x, Set(1.0f));
  const FloatVec more = hn::Add(t, SquareRoot(hn::Mul(t, hn::Add(t, Set(2.0f)))));
  const FloatMask beyond = hn::Gt(x, Set(kInverseSplit));
  const FloatVec y = hn::IfThenElse(beyond, LogOfTwice(x), LogOnePlus(more));
  return hn::IfThenElse(hn::Lt(x, Set(1.0f)), hn::NaN(FloatTag()), y);
}

// log((1 + |x|) / (1 - |x|)) / 2
HWY_INLINE FloatVec Atanh(FloatVec x) {
  const FloatVec magnitude = hn::Abs(x), one = Set(1.0f);
  const FloatVec more = Divide(hn::Add(magnitude, magnitude), hn::Sub(one, magnitude));
  FloatVec y = hn::Mul(Set(0.5f), LogOnePlus(more));
  y = hn::IfThenElse(hn::Eq(magnitude, one), Infinity(), y);
  y = hn::IfThenElse(hn::Gt(magnitude, one), hn::NaN(FloatTag()), y);
  return hn::CopySign(y, x);
}

void ActivateTrigonometric(UnaryOp op, float, float, const float* x, float* y, size_t count) {
  WEFT_SWITCH(Trigonometric, op) {
    WEFT_ACTIVATE(kTan, Tan(v))
    WEFT_ACTIVATE(kAtan, Atan(v))
    WEFT_ACTIVATE(kAsin, Asin(v))
    WEFT_ACTIVATE(kAcos, Acos(v))
    WEFT_ACTIVATE(kSinh, Sinh(v))
    WEFT_ACTIVATE(kCosh, Cosh(v))
    WEFT_ACTIVATE(kAsinh, Asinh(v))
    WEFT_ACTIVATE(kAcosh, Acosh(v))
    WEFT_ACTIVATE(kAtanh, Atanh(v))
    case Of::kOther:
      return;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
const char weft_variant_activation_trigonometric = 0;
#endif  // HWY_ONCE
