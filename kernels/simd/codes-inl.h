// SPDX-License-Identifier: Apache-2.0
// Conversion of vectors of floats to quantised values (code_range.h) and back.

#if defined(WEFT_KERNELS_SIMD_CODES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_CODES_INL_H_
#undef WEFT_KERNELS_SIMD_CODES_INL_H_
#else
#define WEFT_KERNELS_SIMD_CODES_INL_H_
#endif

#include "kernels/simd/code_range.h"
#include "kernels/simd/requantise-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Limits of a quantisation: v is clamped to [low, high], at most 255 from 0, rounded to an integer,
// and `zero` is added.
struct CodeBounds {
  float low, high;
  int32_t zero;
};
HWY_INLINE CodeBounds BoundsOf(const CodeRange& codes) {
  return {static_cast<float>(codes.low - codes.zero), static_cast<float>(codes.high - codes.zero),
          codes.zero};
}

HWY_INLINE IntVec ToCodes(FloatVec v, const CodeBounds& bounds) {
  const FloatVec low = Set(bounds.low), high = Set(bounds.high);
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  // For a NaN and a number, these instructions return the second operand.
  const FloatVec inside = hn::Min(hn::Max(v, low), high);
#else
  const FloatVec raised = hn::IfThenElse(hn::Gt(v, low), v, low);
  const FloatVec inside = hn::IfThenElse(hn::Gt(raised, high), high, raised);
#endif
  // A float of this size has a unit of 1, so adding it rounds a small number to the nearest
  // integer, ties to even.
  constexpr float kNearest = 0x1.8p23f;
  constexpr int32_t kNearestBits = 0x4B400000;
  const IntVec rounded = hn::BitCast(IntTag(), hn::Add(inside, Set(kNearest)));
  return hn::Sub(rounded, SetInt(kNearestBits - bounds.zero));
}

// Loads or stores the first `lanes` <= kLanes of a vector of i8. Other lanes are loaded as zero,
// and are not stored.
HWY_INLINE IntVec LoadCodes(const int8_t* x, size_t lanes) {
#if HWY_TARGET == HWY_SCALAR
  return IntVec(lanes != 0 ? *x : 0);
#else
  const hn::Rebind<int8_t, IntTag> bytes;
  return hn::PromoteTo(IntTag(),
                       lanes == kLanes ? hn::LoadU(bytes, x) : hn::LoadN(bytes, x, lanes));
#endif
}
HWY_INLINE void StoreCodes(IntVec codes, int8_t* y, size_t lanes) {
#if HWY_TARGET == HWY_SCALAR
  if (lanes != 0) *y = static_cast<int8_t>(codes.raw);
#else
  const hn::Rebind<int8_t, IntTag> bytes;
  const auto narrow = hn::DemoteTo(bytes, codes);
  if (lanes == kLanes) return hn::StoreU(narrow, bytes, y);
  hn::StoreN(narrow, bytes, y, lanes);
#endif
}

#if HWY_TARGET <= HWY_AVX3
using CodeBytes = hn::Repartition<int8_t, IntTag>;

// The integer nearest to each number, ties to even: at least 2^30 for larger numbers, and negative
// for a NaN.
HWY_INLINE IntVec ToNearest(FloatVec v) {
  return hn::NearestIntInRange(IntTag(), hn::Min(Set(0x1p30f), v));
}

// The integers of four vectors plus `zero`, limited to 8 bits. ReorderFour joins them within blocks
// of 128 bits, JoinCodes in sequence.
HWY_INLINE hn::Vec<CodeBytes> ReorderFour(const IntVec* of, int32_t zero) {
  const hn::Repartition<int16_t, IntTag> shorts;
  const auto add = hn::Set(shorts, static_cast<int16_t>(zero));
  const auto low = hn::SaturatedAdd(hn::ReorderDemote2To(shorts, of[0], of[1]), add);
  const auto high = hn::SaturatedAdd(hn::ReorderDemote2To(shorts, of[2], of[3]), add);
  return hn::ReorderDemote2To(CodeBytes(), low, high);
}
HWY_INLINE hn::Vec<CodeBytes> JoinCodes(const IntVec* of, int32_t zero) {
  // Block j has four codes of each vector.
  alignas(64) static constexpr int32_t kOrder[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                     2, 6, 10, 14, 3, 7, 11, 15};
  const auto order = hn::SetTableIndices(IntTag(), kOrder);
  const auto joined = hn::BitCast(IntTag(), ReorderFour(of, zero));
  return hn::BitCast(CodeBytes(), hn::TableLookupLanes(joined, order));
}
#endif

// The codes of integers in units of the scale of y.
HWY_INLINE IntVec ToCodes(IntVec v, const CodeRange& codes) {
  const IntVec low = SetInt(codes.low - codes.zero), high = SetInt(codes.high - codes.zero);
  return hn::Add(hn::Min(hn::Max(v, low), high), SetInt(codes.zero));
}

HWY_INLINE FloatVec ToFloats(IntVec integers) { return hn::ConvertTo(FloatTag(), integers); }

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_CODES_INL_H_
