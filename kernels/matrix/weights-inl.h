// SPDX-License-Identifier: Apache-2.0
// Weights of any type as floats: LoadWeights loads a vector, WidenWeight converts one. Every f16
// value becomes a normal float, zero, infinity or NaN, so that flushing subnormal floats to zero
// does not change it; no instruction here flushes subnormal f16 values.
//
// Kernels read weights through a pointer, or through ScaledCodes for Scaled8. Both are advanced by
// weights, or with MovedTo by weights and outputs.

#if defined(WEFT_KERNELS_MATRIX_WEIGHTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_WEIGHTS_INL_H_
#undef WEFT_KERNELS_MATRIX_WEIGHTS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_WEIGHTS_INL_H_
#endif

#include "kernels/matrix/weights.h"
#include "kernels/simd/vector-inl.h"

#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include <arm_mve.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE float FloatOfBits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

HWY_INLINE float WidenWeight(float weight) { return weight; }
HWY_INLINE float WidenWeight(BF16 weight) { return FloatOfBits(uint32_t{weight.bits} << 16); }
HWY_INLINE float WidenWeight(F16 weight) {
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FP)
  // Every Cortex-M FPU converts f16, but GCC defines no macro for it.
  float value = FloatOfBits(weight.bits);
  __asm__("vcvtb.f32.f16 %0, %0" : "+t"(value));
  return value;
#else
  constexpr uint32_t kInfinity = 0x7C00, kMinNormal = 0x0400, kExponents = 127 - 15;
  const uint32_t sign = (weight.bits & 0x8000u) << 16, magnitude = weight.bits & 0x7FFFu;
  if (magnitude < kMinNormal) {  // a multiple of 2^-24
    const float value = static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f;
    return sign != 0 ? -value : value;
  }
  const uint32_t exponents = magnitude < kInfinity ? kExponents : 2 * kExponents;
  return FloatOfBits(sign | ((magnitude << 13) + (exponents << 23)));
#endif
}

// Codes, and the scales of their outputs.
struct ScaledCodes {
  const int8_t* codes;
  const float* scales;

  HWY_INLINE ScaledCodes operator+(size_t weights) const { return {codes + weights, scales}; }
  HWY_INLINE ScaledCodes& operator+=(size_t weights) {
    codes += weights;
    return *this;
  }
};

// Returns the first weight of memory that begins with `scales` scales if its type has them.
template <class Weight>
HWY_INLINE const Weight* FirstWeight(const Weight* memory, size_t) {
  return memory;
}
HWY_INLINE ScaledCodes FirstWeight(const Scaled8* memory, size_t scales) {
  const auto* first = reinterpret_cast<const float*>(memory);
  return {reinterpret_cast<const int8_t*>(first + scales), first};
}
template <class Weight>
using WeightsOf = decltype(FirstWeight(static_cast<const Weight*>(nullptr), 0));

// Returns the weight that is `count` weights and `outputs` outputs further on.
template <class Weight>
HWY_INLINE const Weight* MovedTo(const Weight* weights, size_t count, size_t) {
  return weights + count;
}
HWY_INLINE ScaledCodes MovedTo(ScaledCodes weights, size_t count, size_t outputs) {
  return {weights.codes + count, weights.scales + outputs};
}

template <class Weight>
HWY_INLINE float WidenWeight(const Weight* weights, size_t count, size_t) {
  return WidenWeight(weights[count]);
}
HWY_INLINE float WidenWeight(ScaledCodes weights, size_t count, size_t output) {
  return static_cast<float>(weights.codes[count]) * weights.scales[output];
}

HWY_INLINE FloatVec LoadWeights(const float* p) { return Load(p); }
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE FloatVec LoadWeights(const F16* p) { return FloatVec(WidenWeight(*p)); }
HWY_INLINE FloatVec LoadWeights(const BF16* p) { return FloatVec(WidenWeight(*p)); }
template <class Weights>
HWY_INLINE FloatVec LoadWeights(Weights weights, size_t count, size_t output) {
  return FloatVec(WidenWeight(weights, count, output));
}
#else
using HalfTag = hn::Rebind<uint16_t, FloatTag>;
HWY_INLINE FloatVec LoadWeights(const F16* p) {
  const hn::Rebind<hwy::float16_t, FloatTag> half;
  const auto bits = hn::LoadU(HalfTag(), reinterpret_cast<const uint16_t*>(p));
  return hn::PromoteTo(FloatTag(), hn::BitCast(half, bits));
}
HWY_INLINE FloatVec LoadWeights(const BF16* p) {
  const hn::RebindToUnsigned<FloatTag> wide;
  const auto bits = hn::LoadU(HalfTag(), reinterpret_cast<const uint16_t*>(p));
  return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(hn::PromoteTo(wide, bits)));
}
// Two vectors in one load: elements 2 i and 2 i + 1 are the halves of lane i.
HWY_INLINE IntVec LoadPairs(const BF16* p) {
  const hn::Repartition<uint16_t, IntTag> halves;
  return hn::BitCast(IntTag(), hn::LoadU(halves, reinterpret_cast<const uint16_t*>(p)));
}
HWY_INLINE FloatVec LowerHalves(IntVec pairs) {
  return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(pairs));
}
HWY_INLINE FloatVec UpperHalves(IntVec pairs) {
  return hn::BitCast(FloatTag(), hn::And(pairs, SetInt(-0x10000)));
}
#if HWY_TARGET <= HWY_AVX3
// The upper half of two vectors in one load: one instruction, where LoadWeights takes two.
HWY_INLINE FloatVec LoadUpperOfTwo(const BF16* p) {
  const hn::Repartition<uint16_t, FloatTag> halves;
  alignas(64) static constexpr uint16_t kLaneOrder[32] = {0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21,
                                                          0, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27,
                                                          0, 28, 0, 29, 0, 30, 0, 31};
  const auto odd = hn::MaskFromVec(
      hn::BitCast(halves, hn::Set(hn::Repartition<uint32_t, FloatTag>(), 0xFFFF0000u)));
  const auto line = hn::LoadU(halves, reinterpret_cast<const uint16_t*>(p));
  const auto spread = hn::TableLookupLanes(line, hn::SetTableIndices(halves, kLaneOrder));
  return hn::BitCast(FloatTag(), hn::IfThenElseZero(odd, spread));
}
#endif
// Loads the first `count` of a vector; nothing may follow them in memory.
HWY_INLINE FloatVec LoadFirstWeights(const float* p, size_t count) { return LoadFirst(p, count); }
template <class Half>
HWY_INLINE FloatVec LoadFirstWeights(const Half* p, size_t count) {
  Half whole[kLanes] = {};
  for (size_t i = 0; i < kLanes && i < count; ++i) whole[i] = p[i];
  return LoadWeights(whole);
}

// The vector that begins `count` weights and `output` outputs further on.
template <class Weight>
HWY_INLINE FloatVec LoadWeights(const Weight* weights, size_t count, size_t) {
  return LoadWeights(weights + count);
}
HWY_INLINE FloatVec LoadWeights(ScaledCodes weights, size_t count, size_t output) {
  const hn::Rebind<int8_t, FloatTag> bytes;
  const IntVec codes = hn::PromoteTo(IntTag(), hn::LoadU(bytes, weights.codes + count));
  return hn::Mul(hn::ConvertTo(FloatTag(), codes), Load(weights.scales + output));
}
template <class Weight>
HWY_INLINE FloatVec LoadFirstWeights(const Weight* weights, size_t count, size_t, size_t lanes) {
  return LoadFirstWeights(weights + count, lanes);
}
HWY_INLINE FloatVec LoadFirstWeights(ScaledCodes weights, size_t count, size_t output,
                                     size_t lanes) {
  float whole[kLanes] = {};
  for (size_t i = 0; i < kLanes && i < lanes; ++i) {
    whole[i] = WidenWeight(weights, count + i, output + i);
  }
  return Load(whole);
}
#endif

#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
// Loads four neighbours; Highway's scalar target has no such vector.
HWY_INLINE float32x4_t LoadFour(const float* p) { return vldrwq_f32(p); }
HWY_INLINE float32x4_t LoadFour(const F16* p) {
  const uint32x4_t bits = vldrhq_u32(reinterpret_cast<const uint16_t*>(p));
  return vcvtbq_f32_f16(vreinterpretq_f16_u32(bits));
}
HWY_INLINE float32x4_t LoadFour(const BF16* p) {
  const uint32x4_t bits = vldrhq_u32(reinterpret_cast<const uint16_t*>(p));
  return vreinterpretq_f32_u32(vshlq_n_u32(bits, 16));
}
template <class Weight>
HWY_INLINE float32x4_t LoadFour(const Weight* weights, size_t lane) {
  return LoadFour(weights + lane);
}
HWY_INLINE float32x4_t LoadFour(ScaledCodes weights, size_t lane) {
  const float32x4_t codes = vcvtq_f32_s32(vldrbq_s32(weights.codes + lane));
  return vmulq_f32(codes, vldrwq_f32(weights.scales + lane));
}
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_WEIGHTS_INL_H_
