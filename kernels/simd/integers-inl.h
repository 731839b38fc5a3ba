// SPDX-License-Identifier: Apache-2.0
// Vectors of int32 for arithmetic that is all integers: those of Highway, or of Helium, which
// Highway does not have. Requantisation (requantise.h) is part of it.

#if defined(WEFT_KERNELS_SIMD_INTEGERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_INTEGERS_INL_H_
#undef WEFT_KERNELS_SIMD_INTEGERS_INL_H_
#else
#define WEFT_KERNELS_SIMD_INTEGERS_INL_H_
#endif

#include "kernels/simd/requantise.h"
#include "kernels/simd/vector-inl.h"

#undef WEFT_HELIUM_INTEGERS
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1)
#include <arm_mve.h>
#define WEFT_HELIUM_INTEGERS
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE::ints {

#if defined(WEFT_HELIUM_INTEGERS)

struct Vec {
  int32x4_t raw;
};
using Truth = mve_pred16_t;
inline constexpr size_t kLanes = 4;

HWY_INLINE Vec Set(int32_t value) { return {vdupq_n_s32(value)}; }
HWY_INLINE Vec Add(Vec a, Vec b) { return {vaddq_s32(a.raw, b.raw)}; }
HWY_INLINE Vec Sub(Vec a, Vec b) { return {vsubq_s32(a.raw, b.raw)}; }
HWY_INLINE Vec Mul(Vec a, Vec b) { return {vmulq_s32(a.raw, b.raw)}; }
HWY_INLINE Vec And(Vec a, Vec b) { return {vandq_s32(a.raw, b.raw)}; }
HWY_INLINE Vec Xor(Vec a, Vec b) { return {veorq_s32(a.raw, b.raw)}; }
HWY_INLINE Vec Min(Vec a, Vec b) { return {vminq_s32(a.raw, b.raw)}; }
HWY_INLINE Vec Max(Vec a, Vec b) { return {vmaxq_s32(a.raw, b.raw)}; }
HWY_INLINE Vec Neg(Vec a) { return {vnegq_s32(a.raw)}; }
HWY_INLINE Vec Abs(Vec a) { return {vabsq_s32(a.raw)}; }
template <int kBits>
HWY_INLINE Vec ShiftLeft(Vec a) {
  return {vshlq_n_s32(a.raw, kBits)};
}
template <int kBits>
HWY_INLINE Vec ShiftRight(Vec a) {
  return {vshrq_n_s32(a.raw, kBits)};
}
HWY_INLINE Vec ShiftLeftSame(Vec a, int32_t bits) { return {vshlq_r_s32(a.raw, bits)}; }
HWY_INLINE Vec ShiftRightSame(Vec a, int32_t bits) { return {vshlq_r_s32(a.raw, -bits)}; }
HWY_INLINE Truth Lt(Vec a, Vec b) { return vcmpltq_s32(a.raw, b.raw); }
HWY_INLINE Truth Gt(Vec a, Vec b) { return vcmpgtq_s32(a.raw, b.raw); }
HWY_INLINE Truth Eq(Vec a, Vec b) { return vcmpeqq_s32(a.raw, b.raw); }
HWY_INLINE Vec If(Truth condition, Vec yes, Vec no) {
  return {vpselq_s32(yes.raw, no.raw, condition)};
}

HWY_INLINE Vec Load(const int32_t* p, size_t lanes) {
  return {vldrwq_z_s32(p, vctp32q(static_cast<uint32_t>(lanes)))};
}
HWY_INLINE Vec Load(const int16_t* p, size_t lanes) {
  return {vldrhq_z_s32(p, vctp32q(static_cast<uint32_t>(lanes)))};
}
HWY_INLINE Vec Load(const int8_t* p, size_t lanes) {
  return {vldrbq_z_s32(p, vctp32q(static_cast<uint32_t>(lanes)))};
}
HWY_INLINE void Store(Vec v, int32_t* p, size_t lanes) {
  vstrwq_p_s32(p, v.raw, vctp32q(static_cast<uint32_t>(lanes)));
}
HWY_INLINE void Store(Vec v, int16_t* p, size_t lanes) {
  vstrhq_p_s32(p, v.raw, vctp32q(static_cast<uint32_t>(lanes)));
}
HWY_INLINE void Store(Vec v, int8_t* p, size_t lanes) {
  vstrbq_p_s32(p, v.raw, vctp32q(static_cast<uint32_t>(lanes)));
}

HWY_INLINE Vec HighProduct(Vec x, int32_t mantissa) { return {vqrdmulhq_n_s32(x.raw, mantissa)}; }
// The instruction rounds halves up, so negative numbers are decreased before.
HWY_INLINE Vec DivideByPower(Vec x, int32_t exponent) {
  const int32x4_t sign = vshrq_n_s32(vandq_s32(x.raw, vdupq_n_s32(-exponent)), 31);
  return {vrshlq_n_s32(vqaddq_s32(x.raw, sign), -exponent)};
}

#else

using Vec = IntVec;
using Truth = hn::Mask<IntTag>;
inline constexpr size_t kLanes = HWY_MAX_LANES_D(IntTag);

using hn::Abs, hn::Add, hn::And, hn::Eq, hn::Gt, hn::Lt, hn::Max, hn::Min, hn::Mul, hn::Neg,
    hn::ShiftLeft, hn::ShiftLeftSame, hn::ShiftRight, hn::ShiftRightSame, hn::Sub, hn::Xor;
HWY_INLINE Vec Set(int32_t value) { return hn::Set(IntTag(), value); }

#if HWY_TARGET == HWY_SCALAR

// Highway selects one of two addresses, which forces both values into memory.
HWY_INLINE Vec If(Truth condition, Vec yes, Vec no) {
  return Vec(condition.bits != 0 ? yes.raw : no.raw);
}
template <typename T>
HWY_INLINE Vec Load(const T* p, size_t) {
  return Vec(*p);
}
template <typename T>
HWY_INLINE void Store(Vec v, T* p, size_t) {
  *p = static_cast<T>(v.raw);
}
HWY_INLINE Vec HighProduct(Vec x, int32_t mantissa) {
  return Vec(kernels::HighProduct(x.raw, mantissa));
}
HWY_INLINE Vec DivideProduct(Vec x, int32_t exponent) {
  return Vec(kernels::DivideProduct(x.raw, exponent));
}
HWY_INLINE Vec DivideByPower(Vec x, int32_t exponent) {
  const auto mask = static_cast<int32_t>((uint32_t{1} << exponent) - 1);
  const int32_t half = (mask >> 1) + static_cast<int32_t>(static_cast<uint32_t>(x.raw) >> 31);
  return Vec((x.raw >> exponent) + ((x.raw & mask) > half ? 1 : 0));
}

#else

HWY_INLINE Vec If(Truth condition, Vec yes, Vec no) { return hn::IfThenElse(condition, yes, no); }
// The first `lanes` integers of 8, 16 or 32 bits; the other lanes are 0, or are not stored. Stored
// integers are in the range of T.
template <typename T>
HWY_INLINE Vec Load(const T* p, size_t lanes) {
  const hn::Rebind<T, IntTag> tag;
  const auto loaded = lanes == kLanes ? hn::LoadU(tag, p) : hn::LoadN(tag, p, lanes);
  if constexpr (sizeof(T) == sizeof(int32_t)) {
    return loaded;
  } else {
    return hn::PromoteTo(IntTag(), loaded);
  }
}
template <typename T>
HWY_INLINE void Store(Vec v, T* p, size_t lanes) {
  const hn::Rebind<T, IntTag> tag;
  if constexpr (sizeof(T) == sizeof(int32_t)) {
    if (lanes == kLanes) return hn::StoreU(v, tag, p);
    return hn::StoreN(v, tag, p, lanes);
  } else {
    const auto stored = hn::DemoteTo(tag, v);
    if (lanes == kLanes) return hn::StoreU(stored, tag, p);
    hn::StoreN(stored, tag, p, lanes);
  }
}
HWY_INLINE Vec HighProduct(Vec x, int32_t mantissa) {
  const hn::RepartitionToWide<IntTag> wide;
  const Vec factor = Set(mantissa);
  const auto half = hn::Set(wide, int64_t{1} << 30);
  const auto even = hn::Add(hn::MulEven(x, factor), half);
  const auto odd = hn::Add(hn::MulOdd(x, factor), half);
  // The upper half of twice the sum.
  return hn::OddEven(hn::BitCast(IntTag(), hn::ShiftLeft<1>(odd)),
                     hn::BitCast(IntTag(), hn::ShiftRight<31>(even)));
}
HWY_INLINE Vec DivideByPower(Vec x, int32_t exponent) {
  const auto mask = static_cast<int32_t>((uint32_t{1} << exponent) - 1);
  const Vec half = hn::Sub(Set(mask >> 1), hn::ShiftRight<31>(x));
  const auto rounds_up = hn::Gt(hn::And(x, Set(mask)), half);
  return hn::Sub(hn::ShiftRightSame(x, exponent), hn::VecFromMask(IntTag(), rounds_up));
}

#endif
#endif

#if defined(WEFT_HELIUM_INTEGERS) || HWY_TARGET != HWY_SCALAR
HWY_INLINE Vec DivideProduct(Vec x, int32_t exponent) { return DivideByPower(x, exponent); }
#endif

#if defined(__ARM_ARCH_6M__)
// Has few registers, and a long product: a function.
WEFT_PART Vec RescaledBy(Vec x, int32_t mantissa, int32_t left, int32_t right) {
  return DivideProduct(HighProduct(ShiftLeftSame(x, left), mantissa), right);
}
#else
HWY_INLINE Vec RescaledBy(Vec x, int32_t mantissa, int32_t left, int32_t right) {
  return DivideProduct(HighProduct(ShiftLeftSame(x, left), mantissa), right);
}
#endif

// A multiplier of all lanes, prepared for many vectors.
class Rescaler {
 public:
  HWY_INLINE explicit Rescaler(const Multiplier& by)
      : mantissa_(by.mantissa),
        left_(by.exponent > 0 ? by.exponent : 0),
        right_(by.exponent < 0 ? -by.exponent : 0) {}
  HWY_INLINE Vec operator()(Vec x) const { return RescaledBy(x, mantissa_, left_, right_); }

 private:
  int32_t mantissa_, left_, right_;
};

#if HWY_TARGET == HWY_SCALAR && !defined(WEFT_HELIUM_INTEGERS)
// The same for a small factor.
class SmallRescaler : private SmallFactor {
 public:
  using SmallFactor::SmallFactor;
  HWY_INLINE Vec operator()(Vec x) const { return Vec(SmallFactor::operator()(x.raw)); }
};
#endif

// Limits x to [low, high], or to 8 or 16 bits.
HWY_INLINE Vec Limited(Vec x, int32_t low, int32_t high) {
  return Min(Max(x, Set(low)), Set(high));
}
template <size_t kBits>
HWY_INLINE Vec LimitedTo(Vec x) {
  [[maybe_unused]] constexpr int32_t kMax = (1 << (kBits - 1)) - 1;
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_SAT) && !defined(WEFT_HELIUM_INTEGERS)
  __asm__("ssat %0, %1, %0" : "+r"(x.raw) : "i"(kBits) : "cc");
  return x;
#elif HWY_TARGET == HWY_SCALAR && !defined(WEFT_HELIUM_INTEGERS)
  using Narrow = hwy::SignedFromSize<kBits / 8>;
  return Vec(static_cast<Narrow>(x.raw) == x.raw ? x.raw : (x.raw >> 31) ^ kMax);
#else
  return Limited(x, -kMax - 1, kMax);
#endif
}

// Calls body(i, lanes) for every full vector of [0, count), then for the rest.
template <class Body>
HWY_INLINE void ForVectors(size_t count, const Body& body) {
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) body(i, kLanes);
  if (kLanes > 1 && i < count) body(i, count - i);
}

}  // namespace weft::kernels::HWY_NAMESPACE::ints
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_INTEGERS_INL_H_
