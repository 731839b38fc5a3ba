// SPDX-License-Identifier: Apache-2.0
// Integer dot products (dots.h) for the vectors of a target: sums of four products of i8, or of two
// of i16, into each lane of i32. They wrap around and are exact otherwise. Written in assembly
// because the target's functions are compiled for processors without these instructions.

#if defined(WEFT_KERNELS_SIMD_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_SIMD_DOTS_INL_H_
#undef WEFT_KERNELS_SIMD_DOTS_INL_H_
#else
#define WEFT_KERNELS_SIMD_DOTS_INL_H_
#endif

#include "kernels/simd/dots.h"
#include "kernels/simd/vector-inl.h"

// Defined if the target has dot products.
#undef WEFT_TARGET_DOTS
#if defined(WEFT_DOTS) && HWY_TARGET != HWY_SCALAR
#if HWY_ARCH_ARM_A64
#define WEFT_TARGET_DOTS kDotsOfNeon
#elif HWY_TARGET <= HWY_AVX3
#define WEFT_TARGET_DOTS kDotsOfAvx3
#else
#define WEFT_TARGET_DOTS kDotsOfAvx2
#endif
#endif

// Defined if processors of the target may have tiles.
#undef WEFT_TARGET_TILES
#if defined(WEFT_TARGET_DOTS) && defined(WEFT_TILES) && HWY_TARGET <= HWY_AVX3
#define WEFT_TARGET_TILES
#endif

#if defined(WEFT_TARGET_DOTS)
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

using DotBytes = hn::CappedTag<int8_t, 64>;
using DotSums = hn::RepartitionToWide<hn::RepartitionToWide<DotBytes>>;
using ByteVec = hn::Vec<DotBytes>;
using DotVec = hn::Vec<DotSums>;

HWY_INLINE bool HasDots() { return (Dots() & WEFT_TARGET_DOTS) != 0; }

#if defined(WEFT_TARGET_TILES)
HWY_INLINE bool HasTiles() { return (Dots() & kTilesOfAmx) != 0; }
#else
constexpr bool HasTiles() { return false; }
#endif

#if HWY_ARCH_X86

// The first factor of a product is unsigned there: it is the i8 value plus kFirstBias.
inline constexpr int32_t kFirstBias = 128;
template <class V>
HWY_INLINE V FirstFactors(V bytes) {
  const hn::DFromV<V> tag;
  return hn::Xor(bytes, hn::Set(tag, static_cast<int8_t>(-128)));
}

template <class S, class V>
HWY_INLINE S AddDots(S sums, V first, V second) {
#if HWY_TARGET <= HWY_AVX3
  __asm__("vpdpbusd %2, %1, %0" : "+v"(sums.raw) : "v"(first.raw), "vm"(second.raw));
#else
  __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sums.raw) : "x"(first.raw), "xm"(second.raw));
#endif
  return sums;
}

template <class S, class V>
HWY_INLINE S AddPairs(S sums, V first, V second) {
#if HWY_TARGET <= HWY_AVX3
  __asm__("vpdpwssd %2, %1, %0" : "+v"(sums.raw) : "v"(first.raw), "vm"(second.raw));
#else
  __asm__("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sums.raw) : "x"(first.raw), "xm"(second.raw));
#endif
  return sums;
}

#else

inline constexpr int32_t kFirstBias = 0;
template <class V>
HWY_INLINE V FirstFactors(V bytes) {
  return bytes;
}

// Assemblers accept these instructions only after a directive. GNU's accepts an extension only for
// an architecture that can have it, so the directive names an architecture, which stays in force
// until the end of the file. That is safe: it includes all extensions that the file is compiled
// with, because otherwise the file would have dot products itself.
#undef WEFT_ALLOW_DOTS
#if defined(__clang__) || defined(__ARM_FEATURE_DOTPROD)
#define WEFT_ALLOW_DOTS ".arch_extension dotprod\n\t.arch_extension i8mm\n\t"
#else
#define WEFT_ALLOW_DOTS ".arch armv8.2-a+dotprod+i8mm\n\t"
#endif

template <class S, class V>
HWY_INLINE S AddDots(S sums, V first, V second) {
  __asm__(WEFT_ALLOW_DOTS "sdot %0.4s, %1.16b, %2.16b"
          : "+w"(sums.raw)
          : "w"(first.raw), "w"(second.raw));
  return sums;
}

HWY_INLINE bool HasMatrixDots() { return (Dots() & kMatrixDotsOfNeon) != 0; }

// Sums of eight products: each half of `first` with the lower and the upper half of `second`.
HWY_INLINE DotVec AddMatrixDots(DotVec sums, ByteVec first, ByteVec second) {
  __asm__(WEFT_ALLOW_DOTS "smmla %0.4s, %1.16b, %2.16b"
          : "+w"(sums.raw)
          : "w"(first.raw), "w"(second.raw));
  return sums;
}

#undef WEFT_ALLOW_DOTS

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_SIMD_DOTS_INL_H_
