// SPDX-License-Identifier: Apache-2.0
// Sixteen lanes as one value on every target: partial results of a reduction, or sixteen adjacent
// outputs. The lane that an element is added to never depends on the width of a vector.

#if defined(WEFT_KERNELS_SIMD_LANES16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_LANES16_INL_H_
#undef WEFT_KERNELS_SIMD_LANES16_INL_H_
#else
#define WEFT_KERNELS_SIMD_LANES16_INL_H_
#endif

#include "kernels/simd/sum.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

struct Lanes16 {
  FloatVec v[kPanelVectors];
};

HWY_INLINE Lanes16 SetLanes16(float value) {
  Lanes16 result;
  for (size_t i = 0; i < kPanelVectors; ++i) result.v[i] = Set(value);
  return result;
}

// Number of the first `count` of sixteen lanes that are in vector v.
HWY_INLINE size_t LanesIn(size_t v, size_t count) {
  const size_t first = v * kLanes;
  return count > first ? count - first : 0;
}

// Loads one vector, or its first `count` lanes if it has more; the others are those of `fill`.
HWY_INLINE FloatVec LoadOr(FloatVec fill, const float* p, size_t count) {
  if (count >= kLanes) return Load(p);
#if HWY_TARGET == HWY_SCALAR
  return fill;
#else
  return hn::LoadNOr(fill, FloatTag(), p, count);
#endif
}

// Loads `count` <= 16 floats; the other lanes are `fill`.
HWY_INLINE Lanes16 LoadLanes16(const float* p, size_t count, float fill) {
  Lanes16 result;
  for (size_t v = 0; v < kPanelVectors; ++v) {
    result.v[v] = LoadOr(Set(fill), p + v * kLanes, LanesIn(v, count));
  }
  return result;
}

// The same for one vector of floats that are `stride` apart; `count` >= 1.
HWY_INLINE FloatVec LoadApart(const float* p, size_t stride, size_t count, float fill) {
#if HWY_TARGET != HWY_SCALAR
  if (stride == 2 && fill == 0.0f) {
    const size_t span = 2 * (count < kLanes ? count : kLanes) - 1;
    if (span < kLanes) return hn::ConcatEven(FloatTag(), Set(0.0f), LoadFirst(p, span));
    return hn::ConcatEven(FloatTag(), LoadFirst(p + kLanes, span - kLanes), Load(p));
  }
#endif
  float lanes[kLanes];
  for (size_t i = 0; i < kLanes && i < count; ++i) lanes[i] = p[i * stride];
  return LoadOr(Set(fill), lanes, count);
}

// The same for floats that are `stride` apart.
HWY_INLINE Lanes16 LoadLanes16(const float* p, size_t stride, size_t count, float fill) {
  if (stride == 1) return LoadLanes16(p, count, fill);
  Lanes16 result;
  for (size_t v = 0; v < kPanelVectors; ++v) {
    const size_t left = LanesIn(v, count);
    result.v[v] = left != 0 ? LoadApart(p + v * kLanes * stride, stride, left, fill) : Set(fill);
  }
  return result;
}

// Stores one vector, or its first `count` lanes if it has more.
HWY_INLINE void StoreUpTo(FloatVec value, float* p, size_t count) {
  if (count >= kLanes) {
    Store(value, p);
  } else if (count != 0) {
    StoreFirst(value, p, count);
  }
}

HWY_INLINE void StoreLanes16(const Lanes16& value, float* p, size_t count) {
  for (size_t v = 0; v < kPanelVectors; ++v) {
    StoreUpTo(value.v[v], p + v * kLanes, LanesIn(v, count));
  }
}

// result[i] = function(a[i], b[i])
template <class Function>
HWY_INLINE Lanes16 Combine(const Lanes16& a, const Lanes16& b, const Function& function) {
  Lanes16 result;
  for (size_t i = 0; i < kPanelVectors; ++i) result.v[i] = function(a.v[i], b.v[i]);
  return result;
}

// True if the lanes of a vector are reduced in registers. On armv7, vectors flush subnormal numbers
// and single floats do not.
inline constexpr bool kLanesMeet = kLanes > 1 && !HWY_ARCH_ARM_V7;

// Lane 0 of the tree below, for one vector.
template <class Function>
HWY_INLINE float ReduceVector(FloatVec v, const Function& function) {
#if HWY_TARGET == HWY_SCALAR
  (void)function;
#else
  if constexpr (kLanes >= 16) v = function(v, hn::ConcatUpperUpper(FloatTag(), v, v));
  if constexpr (kLanes >= 8) v = function(v, hn::SwapAdjacentBlocks(v));
  v = function(v, hn::Shuffle1032(v));
  v = function(v, hn::Shuffle2301(v));
#endif
  return hn::GetLane(v);
}

// Reduces the lanes of p in a fixed tree: 8 apart, then 4, 2 and 1. `function` must accept two
// floats and two vectors.
template <class Function>
HWY_INLINE float ReduceLanes(const Lanes16& p, const Function& function) {
  if constexpr (kLanesMeet) {
    Lanes16 q = p;
    for (size_t apart = kPanelVectors / 2; apart != 0; apart /= 2) {
      for (size_t v = 0; v < apart; ++v) q.v[v] = function(q.v[v], q.v[v + apart]);
    }
    return ReduceVector(q.v[0], function);
  } else {
    float lanes[16];
    StoreLanes16(p, lanes, 16);
    for (size_t apart = 8; apart != 0; apart /= 2) {
      for (size_t i = 0; i < apart; ++i) lanes[i] = function(lanes[i], lanes[i + apart]);
    }
    return lanes[0];
  }
}

// As ReduceLanes for sums, full vectors first; overwrites p with partial sums.
HWY_INLINE float SumInPlace(Lanes16& p) {
  for (size_t apart = kPanelVectors / 2; apart != 0; apart /= 2) {
    for (size_t v = 0; v < apart; ++v) p.v[v] = hn::Add(p.v[v], p.v[v + apart]);
  }
  if constexpr (kLanesMeet) {
    return ReduceVector(p.v[0], [](FloatVec a, FloatVec b) HWY_ATTR { return hn::Add(a, b); });
  } else {
    float lanes[kLanes];
    Store(p.v[0], lanes);
    for (size_t apart = kLanes / 2; apart != 0; apart /= 2) {
      for (size_t i = 0; i < apart; ++i) lanes[i] += lanes[i + apart];
    }
    return lanes[0];
  }
}

HWY_INLINE float SumOf(Lanes16 p) { return SumInPlace(p); }

// Sixteen sums of any number of terms, split into blocks as described in sum.h. Up to kSumBlock
// terms are added sequentially.
struct LongSum {
  Lanes16 sums, groups, totals;
  uint32_t terms_left, blocks_left;  // until the end of the block and of the group
};

HWY_INLINE LongSum BeginSum(float from) {
  return {SetLanes16(from), SetLanes16(0.0f), SetLanes16(0.0f), kSumBlock, kSumBlock};
}

HWY_INLINE Lanes16 Added(const Lanes16& a, const Lanes16& b) {
  return Combine(a, b, [](FloatVec p, FloatVec q) HWY_ATTR { return hn::Add(p, q); });
}

// No sum is -0, so adding a total of 0 changes nothing.
HWY_INLINE Lanes16 TotalOf(const LongSum& sum) {
  return Added(sum.totals, Added(sum.groups, sum.sums));
}

// Adds `part` to `whole` and sets `part` to 0; in place, because on boards the lanes are on the
// stack.
HWY_INLINE void MoveSum(Lanes16& part, Lanes16& whole) {
  for (size_t v = 0; v < kPanelVectors; ++v) {
    whole.v[v] = hn::Add(whole.v[v], part.v[v]);
    part.v[v] = Set(0.0f);
  }
}

// Called after every term.
HWY_INLINE void EndTerm(LongSum& sum) {
  if (--sum.terms_left != 0) return;
  MoveSum(sum.sums, sum.groups);
  sum.terms_left = kSumBlock;
  if (--sum.blocks_left != 0) return;
  MoveSum(sum.groups, sum.totals);
  sum.blocks_left = kSumBlock;
}

// Returns the maximum; if a lane is NaN, so is the result.
HWY_INLINE float MaxLane(const Lanes16& p) {
  return ReduceLanes(p, [](auto a, auto b) HWY_ATTR { return Greater(a, b); });
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_SIMD_LANES16_INL_H_
