// SPDX-License-Identifier: Apache-2.0
// Quantises rows of floats to int16 or int8, as dense_i8.h defines it. Internal to the steps that
// multiply such rows.

#if defined(WEFT_KERNELS_MATRIX_INTEGER_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_INTEGER_ROWS_INL_H_
#undef WEFT_KERNELS_MATRIX_INTEGER_ROWS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_INTEGER_ROWS_INL_H_
#endif

#include "kernels/simd/vector-inl.h"

#undef WEFT_ROUNDS_EIGHTS
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && \
    defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_FMA) && !defined(__ARM_FEATURE_MVE)
#include "kernels/matrix/integer_rows_cortex_m-inl.h"
#define WEFT_ROUNDS_EIGHTS
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr uint32_t kMagnitude = 0x7FFFFFFF, kInfinite = 0x7F800000;
inline constexpr uint32_t kMinRow = (127 - 100) << 23;  // 2^-100
// Adding 1.5 * 2^23, whose unit in the last place is 1, rounds a small number to the nearest
// integer, ties to even.
inline constexpr float kRounder = 0x1.8p23f;

// Position of number i in a quantised row: i, except for the DSP extension, whose instructions use
// bytes 0 and 2 of a word of weights, then 1 and 3.
HWY_INLINE size_t PositionInRow(size_t i) {
#if defined(WEFT_ROUNDS_EIGHTS)
  return (i & 1) != (i >> 1 & 1) ? i ^ 3 : i;
#else
  return i;
#endif
}

#if HWY_TARGET == HWY_SCALAR

// The scalar loops below are plain C. With Helium the compiler vectorises them; elsewhere they are
// unrolled by four.
#undef WEFT_FOUR_AN_ITERATION
#if defined(__ARM_FEATURE_MVE)
#define WEFT_FOUR_AN_ITERATION
#else
#define WEFT_FOUR_AN_ITERATION HWY_UNROLL(4)
#endif

HWY_INLINE uint32_t BitsOfNumber(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

// The bits of the maximum magnitude. Bits without sign order magnitudes, then infinity, then NaNs.
WEFT_PART uint32_t MaxMagnitudeBits(const float* x, size_t count) {
  uint32_t largest = 0;
  size_t i = 0;
#if defined(WEFT_ROUNDS_EIGHTS)
  largest = MaxOfEights(x, count / 8, largest);
  i = count / 8 * 8;
#else
  WEFT_FOUR_AN_ITERATION
#endif
  for (; i < count; ++i) {
    const uint32_t bits = BitsOfNumber(x[i]) << 1;
    largest = bits > largest ? bits : largest;
  }
  return largest >> 1;
}

// q = x * factor, rounded; zeros from `count` up to `padded`. The integer is the lower half of the
// sum with kRounder.
template <typename Number>
WEFT_PART void RoundRow(const float* x, float factor, size_t count, size_t padded, Number* q) {
  size_t i = 0;
#if defined(WEFT_ROUNDS_EIGHTS)
  if constexpr (sizeof(Number) == sizeof(int16_t)) {
    RoundEights(x, factor, kRounder, count / 8, q);
    i = count / 8 * 8;
  }
#else
  WEFT_FOUR_AN_ITERATION
#endif
  for (; i < count; ++i) {
    q[PositionInRow(i)] = static_cast<Number>(BitsOfNumber(x[i] * factor + kRounder));
  }
  for (; i < padded; ++i) q[PositionInRow(i)] = 0;
}

#else

// The bits of the maximum magnitude. Bits without sign order magnitudes, then infinity, then NaNs.
WEFT_PART uint32_t MaxMagnitudeBits(const float* x, size_t count) {
  const IntTag tag;
  const IntVec mask = SetInt(static_cast<int32_t>(kMagnitude));
  IntVec a = SetInt(0), b = a, c = a, d = a;
  const auto bits = [&](size_t i) HWY_ATTR { return hn::And(hn::BitCast(tag, Load(x + i)), mask); };
  size_t first = 0;
  for (; first + 4 * kLanes <= count; first += 4 * kLanes) {
    a = hn::Max(a, bits(first));
    b = hn::Max(b, bits(first + kLanes));
    c = hn::Max(c, bits(first + 2 * kLanes));
    d = hn::Max(d, bits(first + 3 * kLanes));
  }
  IntVec largest = hn::Max(hn::Max(a, b), hn::Max(c, d));
  ForVectors(count - first, [&](size_t i, size_t lanes) HWY_ATTR {
    const IntVec rest = hn::BitCast(tag, LoadFirst(x + first + i, lanes));
    largest = hn::Max(largest, hn::And(rest, mask));
  });
  return static_cast<uint32_t>(hn::ReduceMax(tag, largest));
}

// q = x * factor, rounded; zeros from `count` up to `padded`.
template <typename Number>
WEFT_PART void RoundRow(const float* x, float factor, size_t count, size_t padded, Number* q) {
  const FloatVec factors = Set(factor), rounder = Set(kRounder);
  const IntVec rounder_bits = hn::BitCast(IntTag(), rounder);
  const hn::Rebind<Number, FloatTag> narrow;
  ForVectors(padded, [&](size_t i, size_t lanes) HWY_ATTR {
    (void)lanes;  // `padded` is a multiple of the vector length
    const size_t left = i < count ? count - i : 0;
    const FloatVec numbers = LoadFirst(x + i, left < kLanes ? left : kLanes);
    const FloatVec rounded = hn::Add(hn::Mul(numbers, factors), rounder);
    const IntVec integers = hn::Sub(hn::BitCast(IntTag(), rounded), rounder_bits);
    hn::StoreU(hn::DemoteTo(narrow, integers), narrow, q + i);
  });
}

#endif

#if WEFT_CONSTANT_TIME
// All bits of the result are those of `truth`; no compiler makes a branch of it.
HWY_INLINE uint32_t MaskOf(bool truth) {
  uint32_t mask = 0u - uint32_t{truth};
  __asm__("" : "+r"(mask));
  return mask;
}
#endif

// `bits` is the maximum magnitude of a row. Calls round(the factor to integers up to `max`), or
// clear() if all integers are zero. Returns the value of integer 1.
template <class Round, class Clear>
HWY_INLINE float ScaleRow(uint32_t bits, float max, const Round& round, const Clear& clear) {
  if (bits < kMinRow || bits >= kInfinite) {
    clear();
    return bits < kInfinite ? 0.0f : __builtin_nanf("");
  }
  float largest;
  __builtin_memcpy(&largest, &bits, sizeof largest);
  round(max / largest);
  return largest / max;
}

// Quantises a row of x to integers up to `max`. Returns the value of integer 1.
template <typename Number>
HWY_INLINE float QuantizeRow(const float* x, size_t count, size_t padded, float max, Number* q) {
  const uint32_t bits = MaxMagnitudeBits(x, count);
#if WEFT_CONSTANT_TIME
  // Unusual rows are rounded too, with a factor that has no effect.
  const uint32_t finite = MaskOf(bits < kInfinite), usual = MaskOf(bits >= kMinRow) & finite;
  const uint32_t divisor_bits = (bits & usual) | (kInfinite & ~usual);
  float divisor, value;
  __builtin_memcpy(&divisor, &divisor_bits, sizeof divisor);
  RoundRow(x, max / divisor, count, padded, q);
  for (size_t i = 0; i < padded; ++i) q[i] = static_cast<Number>(q[i] & static_cast<Number>(usual));
  const float unit = divisor / max;
  uint32_t value_bits;
  __builtin_memcpy(&value_bits, &unit, sizeof value_bits);
  value_bits = (value_bits & usual) | (0x7FC00000u & ~finite);
  __builtin_memcpy(&value, &value_bits, sizeof value);
  return value;
#else
  return ScaleRow(
      bits, max, [&](float factor) HWY_ATTR { RoundRow(x, factor, count, padded, q); },
      [&]() HWY_ATTR {
        for (size_t i = 0; i < padded; ++i) q[i] = 0;
      });
#endif
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_INTEGER_ROWS_INL_H_
