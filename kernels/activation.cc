// SPDX-License-Identifier: Apache-2.0
#include "kernels/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/activation.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activation-inl.h"
#include "kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE FloatVec Sign(FloatVec x) {
  const FloatVec one = hn::CopySign(Set(1.0f), x);
  const FloatMask has_sign = hn::Gt(hn::Abs(x), Set(0.0f));
  return hn::IfThenElse(has_sign, one, x);
}

// x into [low, high]; the bounds may be zero or infinite.
HWY_INLINE FloatVec Clamp(FloatVec x, float low, float high) {
  const FloatVec raised = hn::IfThenElse(hn::Lt(x, Set(low)), Set(low), x);
  return hn::IfThenElse(hn::Gt(raised, Set(high)), Set(high), raised);
}

// x + 3 into [0, 6], divided by 6: x / 6 + 1 / 2 would round differently from the formula.
HWY_INLINE FloatVec HSigmoid(FloatVec x) {
  return Divide(Clamp(hn::Add(x, Set(3.0f)), 0.0f, 6.0f), Set(6.0f));
}

HWY_INLINE FloatVec HSwish(FloatVec x) {
  return Divide(hn::Mul(x, Clamp(hn::Add(x, Set(3.0f)), 0.0f, 6.0f)), Set(6.0f));
}

HWY_INLINE FloatVec GeluErf(FloatVec x) {
  const FloatVec half = hn::Mul(x, Set(0.5f));
  return Fma(half, Erf(hn::Mul(x, Set(0.70710678f))), half);
}

// x / 2 * (1 + tanh(u)) = x * sigmoid(2 u), u = sqrt(2 / pi) * (x + 0.044715 x^3).
HWY_INLINE FloatVec GeluTanh(FloatVec x) {
  const FloatVec inner = Fma(hn::Mul(x, x), Set(0.07135481f), Set(1.5957691f));
  return hn::Mul(x, Sigmoid(hn::Mul(x, inner)));
}

HWY_INLINE FloatVec SoftSign(FloatVec x) { return Divide(x, hn::Add(hn::Abs(x), Set(1.0f))); }

HWY_INLINE FloatVec Elu(FloatVec x, float alpha) {
  return hn::IfThenElse(hn::Lt(x, Set(0.0f)), hn::Mul(Set(alpha), ExpMinusOne(x)), x);
}

HWY_INLINE FloatVec LogicalNot(FloatVec x) {
  return hn::IfThenElseZero(hn::Eq(x, Set(0.0f)), Set(1.0f));
}

#define WEFT_MAP(op, formula) \
  case UnaryOp::op:           \
    return Map(x, y, count, [=](FloatVec v) HWY_ATTR { return formula; });

// One loop per op. Split in two functions of equal form for their length alone.
HWY_INLINE void ActivateSimple(UnaryOp op, float alpha, float beta, const float* x, float* y,
                               size_t count) {
  switch (op) {
    WEFT_MAP(kAbs, hn::Abs(v))
    WEFT_MAP(kCeiling, RoundUp(v))
    WEFT_MAP(kFloor, RoundDown(v))
    WEFT_MAP(kNegative, hn::Neg(v))
    WEFT_MAP(kSign, Sign(v))
    WEFT_MAP(kRoundEven, RoundEven(v))
    WEFT_MAP(kRoundAway, RoundAway(v))
    WEFT_MAP(kSqrt, SquareRoot(v))
    WEFT_MAP(kRelu, hn::IfThenZeroElse(hn::Lt(v, Set(0.0f)), v))
    WEFT_MAP(kClamp, Clamp(v, alpha, beta))
    WEFT_MAP(kHardSigmoid, Clamp(Fma(v, Set(alpha), Set(beta)), 0.0f, 1.0f))
    WEFT_MAP(kHSigmoid, HSigmoid(v))
    WEFT_MAP(kHSwish, HSwish(v))
    WEFT_MAP(kSoftSign, SoftSign(v))
    WEFT_MAP(kLogicalNot, LogicalNot(v))
    default:
      return Map(x, y, count, [](FloatVec v) HWY_ATTR { return v; });
  }
}

HWY_INLINE void Activate(UnaryOp op, float alpha, float beta, const float* x, float* y,
                         size_t count) {
  switch (op) {
    WEFT_MAP(kExp, Exp(v))
    WEFT_MAP(kLog, Log(v))
    WEFT_MAP(kSin, Sin(v))
    WEFT_MAP(kCos, Cos(v))
    WEFT_MAP(kErf, Erf(v))
    WEFT_MAP(kElu, Elu(v, alpha))
    WEFT_MAP(kSigmoid, Sigmoid(v))
    WEFT_MAP(kTanh, Tanh(v))
    WEFT_MAP(kSwish, hn::Mul(v, Sigmoid(hn::Mul(v, Set(alpha)))))
    WEFT_MAP(kGeluErf, GeluErf(v))
    WEFT_MAP(kGeluTanh, GeluTanh(v))
    WEFT_MAP(kSoftPlus, SoftPlus(v))
    WEFT_MAP(kMish, Mish(v))
    WEFT_MAP(kSelu, hn::Mul(Elu(v, alpha), Set(beta)))
    default:
      return ActivateSimple(op, alpha, beta, x, y, count);
  }
}

#undef WEFT_MAP

void ActivateSpan(const Activation& activation, const float* x, float* y, size_t count) {
  if (activation.clip > 0.0f) {
    const float clip = activation.clip;
    Map(x, y, count, [=](FloatVec v) HWY_ATTR { return Clamp(v, -clip, clip); });
    x = y;
  }
  Activate(activation.op, activation.alpha, activation.beta, x, y, count);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
