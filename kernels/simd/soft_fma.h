// SPDX-License-Identifier: Apache-2.0
// a * b + c, rounded once, to the nearest number, ties to even: for targets whose C library rounds
// it in another way. SoftFma uses integers of 64 bits. FmaInDouble is faster if the processor has
// doubles.
#ifndef WEFT_KERNELS_SIMD_SOFT_FMA_H_
#define WEFT_KERNELS_SIMD_SOFT_FMA_H_

#include <cstdint>

namespace weft::kernels {
// MinGW-w64 names weak symbols after the first external symbol of their object file. A function
// that several files define would give different symbols the same name.
#if defined(__MINGW32__)
namespace {
#endif

// A finite number other than 0: mantissa * 2^exponent, the mantissa is from 2^23 to 2^24 - 1.
struct Unpacked {
  uint32_t mantissa;
  int32_t exponent;
};

inline Unpacked UnpackedOf(uint32_t magnitude) {
  if (magnitude >> 23 != 0) {
    return {(magnitude & 0x7FFFFF) | 0x800000, static_cast<int32_t>(magnitude >> 23) - 150};
  }
  const int32_t shift = __builtin_clz(magnitude) - 8;
  return {magnitude << shift, -149 - shift};
}

// x / 2^bits; the lowest bit also stands for all bits that are lost.
inline uint64_t ShiftedWithRest(uint64_t x, int32_t bits) {
  if (bits > 62) return 1;
  return x >> bits | ((x & ((uint64_t{1} << bits) - 1)) != 0 ? 1 : 0);
}

// The bits of sum * 2^exponent for a sum other than 0, without sign.
inline uint32_t RoundedBits(uint64_t sum, int32_t exponent) {
  const auto upper = static_cast<uint32_t>(sum >> 32);
  const int32_t zeros =
      upper != 0 ? __builtin_clz(upper) : 32 + __builtin_clz(static_cast<uint32_t>(sum));
  sum <<= zeros;
  const int32_t biased = exponent - zeros + 63 + 127;
  if (biased >= 255) return 0x7F800000;
  int32_t shift = 40;
  if (biased < 1) shift += 1 - biased;
  if (shift > 64) return 0;
  sum = ShiftedWithRest(sum, shift - 2);
  auto bits = static_cast<uint32_t>(sum >> 2) +
              (biased < 1 ? 0 : (static_cast<uint32_t>(biased) - 1) << 23);
  const uint32_t rest = static_cast<uint32_t>(sum) & 3;
  if (rest > 2 || (rest == 2 && (bits & 1) != 0)) ++bits;
  return bits;
}

__attribute__((noinline)) inline float SoftFma(float a, float b, float c) {
  uint32_t of_a, of_b, of_c;
  __builtin_memcpy(&of_a, &a, sizeof a);
  __builtin_memcpy(&of_b, &b, sizeof b);
  __builtin_memcpy(&of_c, &c, sizeof c);
  constexpr uint32_t kMagnitudeBits = 0x7FFFFFFF, kInfinity = 0x7F800000;
  const uint32_t m_a = of_a & kMagnitudeBits, m_b = of_b & kMagnitudeBits,
                 m_c = of_c & kMagnitudeBits;
  const bool is_finite = m_a < kInfinity && m_b < kInfinity && m_c < kInfinity;
  if (!is_finite && m_a < kInfinity && m_b < kInfinity) return c + c;
  if (!is_finite || m_a == 0 || m_b == 0) return a * b + c;
  if (m_c == 0) return a * b;
  const Unpacked x = UnpackedOf(m_a), y = UnpackedOf(m_b), z = UnpackedOf(m_c);
  // Both terms from 2^60 to 2^62 - 1: a sum does not overflow, and bits are lost only of a term
  // that cannot cancel the other.
  uint64_t product = (uint64_t{x.mantissa} * y.mantissa) << 14, added = uint64_t{z.mantissa} << 37;
  const int32_t of_product = x.exponent + y.exponent - 14, of_added = z.exponent - 37;
  int32_t exponent = of_product;
  if (of_product >= of_added) {
    added = ShiftedWithRest(added, of_product - of_added);
  } else {
    product = ShiftedWithRest(product, of_added - of_product);
    exponent = of_added;
  }
  uint32_t sign = (of_a ^ of_b) >> 31;
  uint64_t sum = product + added;
  if (sign != of_c >> 31) {
    if (product == added) return 0.0f;
    if (product < added) sign ^= 1;
    sum = product < added ? added - product : product - added;
  }
  const uint32_t bits = RoundedBits(sum, exponent) | sign << 31;
  float result;
  __builtin_memcpy(&result, &bits, sizeof result);
  return result;
}

// The product is exact in double. The sum is rounded to double and then to float; the first
// rounding changes the result only if it gives a number halfway between two floats. Subnormal
// floats have such numbers at other bits.
inline float FmaInDouble(float a, float b, float c) {
  const double sum = static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c);
  uint64_t bits;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  constexpr uint64_t kDroppedBits = (uint64_t{1} << 29) - 1, kHalfway = uint64_t{1} << 28;
  const bool is_normal = (bits >> 52 & 0x7FF) >= 1023 - 126;
  if (sum == 0 || (is_normal && (bits & kDroppedBits) != kHalfway)) return static_cast<float>(sum);
  return SoftFma(a, b, c);
}

#if defined(__MINGW32__)
}  // namespace
#endif
}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_SOFT_FMA_H_
