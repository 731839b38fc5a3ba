// SPDX-License-Identifier: Apache-2.0
// Requantisation by integers, bit-identical to TensorFlow Lite for Microcontrollers and CMSIS-NN: a
// positive real factor is mantissa / 2^31 * 2^exponent.
#ifndef WEFT_KERNELS_SIMD_REQUANTISE_H_
#define WEFT_KERNELS_SIMD_REQUANTISE_H_

#include <cstdint>

#include "kernels/integer.h"
#include "kernels/simd/code_range.h"

namespace weft::kernels {

// The mantissa is at least 0, usually at least 2^30; the exponent is from -31 to 30.
struct Multiplier {
  int32_t mantissa = 0;
  int32_t exponent = 0;
};

constexpr bool IsMultiplier(int32_t mantissa, int32_t exponent) {
  return exponent >= -31 && exponent <= 30 && mantissa >= 0;
}

// x * mantissa / 2^31, rounded to the nearest integer, halves towards +infinity. If the mantissa is
// at least 0, the result is above -2^31.
constexpr int32_t HighProductBy64(int32_t x, int32_t mantissa) {
  return static_cast<int32_t>((int64_t{x} * mantissa + (int64_t{1} << 30)) >> 31);
}
// The same by products of 32 bits, for a core without longer ones. All terms are below 2^31 in
// magnitude; the lower half of the product of the lower halves does not affect the result.
constexpr int32_t HighProductBy32(int32_t x, int32_t mantissa) {
  const int32_t x_high = x >> 16, x_low = x & 0xFFFF;
  const int32_t m_high = mantissa >> 16, m_low = mantissa & 0xFFFF;
  const uint32_t lowest = static_cast<uint32_t>(x_low) * static_cast<uint32_t>(m_low);
  const int32_t low = x_high * m_low + static_cast<int32_t>(lowest >> 16);
  const int32_t middle = x_low * m_high + (low & 0xFFFF);
  const int32_t high = x_high * m_high + (low >> 16) + (middle >> 16);
  const auto rounded = static_cast<uint32_t>((((middle & 0xFFFF) >> 14) + 1) >> 1);
  return static_cast<int32_t>(static_cast<uint32_t>(high) * 2 + rounded);
}
constexpr int32_t HighProduct(int32_t x, int32_t mantissa) {
#if defined(__ARM_ARCH_6M__)
  return HighProductBy32(x, mantissa);
#else
  return HighProductBy64(x, mantissa);
#endif
}

// x / 2^exponent, rounded to the nearest integer, halves away from zero; exponent is at most 31.
constexpr int32_t DivideByPower(int32_t x, int32_t exponent) {
  const auto mask = static_cast<int32_t>((uint32_t{1} << exponent) - 1);
  return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0) ? 1 : 0);
}

// The same, in fewer instructions, for x other than -2^31.
constexpr int32_t DivideProduct(int32_t x, int32_t exponent) {
  if (exponent == 0) return x;
  return (((x + (x >> 31)) >> ((exponent - 1) & 31)) + 1) >> 1;
}

// x times the factor: a shift to the left that wraps around, or a product and a shift to the right,
// each rounded.
constexpr int32_t Rescaled(int32_t x, const Multiplier& by) {
  const int32_t left = by.exponent > 0 ? by.exponent & 31 : 0;
  const int32_t right = by.exponent < 0 ? -by.exponent & 31 : 0;
  const auto shifted = static_cast<int32_t>(static_cast<uint32_t>(x) << left);
  return DivideProduct(HighProduct(shifted, by.mantissa), right);
}

// A factor below 1/2, prepared for many integers: both roundings are in one sum of 64 bits, because
// floor((floor(p / 2^31) + c) / 2^r) is floor((p + 2^31 c) / 2^(31 + r)). A product from -2^30 to
// 0 results in 0 whether or not the rounded product counts as negative.
class SmallFactor {
 public:
  // Returns false if the factor is too large.
  static constexpr bool Fits(const Multiplier& by) { return by.exponent < -1; }
  constexpr explicit SmallFactor(const Multiplier& by)
      : mantissa_(by.mantissa), right_((-by.exponent - 1) & 31), half_(1 << right_ >> 1) {}
  // Rescaled(x, by): the sum is that of the product, 2^30 for the first rounding, 2^32 half_ for
  // the second one, and -2^31 if x is negative.
#if defined(__ARM_ARCH_6M__) && defined(__GNUC__)
  // As HighProductBy32. The compiler has too few registers and would need 40 instructions.
  int32_t operator()(int32_t x) const {
    const int32_t m_high = mantissa_ >> 16, m_low = mantissa_ & 0xFFFF;
    int32_t high, low, t;
    __asm__(
        ".syntax unified\n\t"
        "asrs %[high], %[x], #16\n\t"
        "uxth %[low], %[x]\n\t"
        "asrs %[x], %[x], #31\n\t"
        "lsls %[x], %[x], #1\n\t"
        "adds %[x], #1\n\t"
        "lsls %[x], %[x], #14\n\t"
        "movs %[t], %[low]\n\t"
        "muls %[t], %[m_low]\n\t"
        "lsrs %[t], %[t], #16\n\t"
        "adds %[x], %[x], %[t]\n\t"
        "movs %[t], %[high]\n\t"
        "muls %[t], %[m_low]\n\t"
        "adds %[x], %[x], %[t]\n\t"
        "muls %[high], %[m_high]\n\t"
        "muls %[low], %[m_high]\n\t"
        "asrs %[t], %[x], #16\n\t"
        "adds %[high], %[high], %[t]\n\t"
        "uxth %[x], %[x]\n\t"
        "adds %[x], %[x], %[low]\n\t"
        "lsrs %[x], %[x], #16\n\t"
        "adds %[x], %[x], %[high]\n\t"
        : [x] "+&l"(x), [high] "=&l"(high), [low] "=&l"(low), [t] "=&l"(t)
        : [m_low] "l"(m_low), [m_high] "l"(m_high)
        : "cc");
    return ((x >> (right_ - 1)) + 1) >> 1;
  }
#else
  constexpr int32_t operator()(int32_t x) const {
    const uint32_t low = (static_cast<uint32_t>(x) & 0x80000000) | 0x40000000;
    const auto high = static_cast<uint32_t>(half_ + (x >> 31));
    const auto sum = static_cast<int64_t>(uint64_t{high} << 32 | low);
    return static_cast<int32_t>((sum + int64_t{x} * mantissa_) >> 32) >> right_;
  }
#endif

 private:
  int32_t mantissa_, right_, half_;
};

// Rescaled for sums of int16 codes: the factor has 15 bits, and the product is rounded once, halves
// towards +infinity. The exponent is at most kMaxShortExponent, x below 2^47 in magnitude.
inline constexpr int32_t kMaxShortExponent = 14;
constexpr int64_t RescaledOnce(int64_t x, const Multiplier& by) {
  const int64_t factor = by.mantissa < 0x7FFF0000 ? (by.mantissa + (1 << 15)) >> 16 : 0x7FFF;
  const int32_t shift = (15 - by.exponent) & 63;
  const auto half = static_cast<int64_t>((uint64_t{1} << shift) >> 1);
  return WrappingAdd(WrappingMultiply(x, factor), half) >> shift;
}

// The code of an integer in units of the scale of y: v + zero, limited to the range.
constexpr int8_t CodeOfInteger(int32_t v, const CodeRange& codes) {
  const int32_t low = codes.low - codes.zero, high = codes.high - codes.zero;
  return static_cast<int8_t>((v < low ? low : v > high ? high : v) + codes.zero);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SIMD_REQUANTISE_H_
