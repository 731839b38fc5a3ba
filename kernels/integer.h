// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic that wraps around and never traps, for int32_t, int64_t, int8_t and uint8_t.
// Processors without a 64-bit divider get the same results without calls into the compiler's
// library. Internal to the kernels.
#ifndef WEFT_KERNELS_INTEGER_H_
#define WEFT_KERNELS_INTEGER_H_

#include <cstdint>
#include <limits>
#include <type_traits>

namespace weft::kernels {

// The unsigned type in which a T may wrap around: at least 32 bits, so that no operand is promoted
// to a signed int.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// a + b, a - b and a * b, modulo 2^n for a T of n bits.
template <typename T>
constexpr T WrappingAdd(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <typename T>
constexpr T WrappingSubtract(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <typename T>
constexpr T WrappingMultiply(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

struct Division {
  uint64_t quotient;
  uint64_t remainder;
};

// Long division bit by bit, for processors that divide at most 32 bits; divisor is not 0.
constexpr Division DivideByBits(uint64_t dividend, uint64_t divisor) {
  Division result = {0, 0};
  for (int bit = 63; bit >= 0; --bit) {
    const bool carries = (result.remainder >> 63) != 0;
    result.remainder = (result.remainder << 1) | ((dividend >> bit) & 1);
    if (carries || result.remainder >= divisor) {
      result.remainder -= divisor;
      result.quotient |= uint64_t{1} << bit;
    }
  }
  return result;
}

// The unsigned quotient and remainder; divisor is not 0.
constexpr Division Divide(uint64_t dividend, uint64_t divisor) {
  if (((dividend | divisor) >> 32) == 0) {
    const uint32_t n = static_cast<uint32_t>(dividend);
    const uint32_t d = static_cast<uint32_t>(divisor);
    return {n / d, n % d};
  }
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ == 8
  return {dividend / divisor, dividend % divisor};
#else
  return DivideByBits(dividend, divisor);
#endif
}

constexpr uint64_t QuotientOf(uint64_t a, uint64_t b) { return Divide(a, b).quotient; }
constexpr uint32_t QuotientOf(uint32_t a, uint32_t b) { return a / b; }
constexpr uint64_t RemainderOf(uint64_t a, uint64_t b) { return Divide(a, b).remainder; }
constexpr uint32_t RemainderOf(uint32_t a, uint32_t b) { return a % b; }

// |value|, exact also for the minimum of a T.
template <typename T>
constexpr Wrapping<T> MagnitudeOf(T value) {
  const auto wide = static_cast<Wrapping<T>>(value);
  return value < 0 ? 0 - wide : wide;
}

// a / b truncated towards zero; x / 0 = 0, MIN / -1 = MIN.
template <typename T>
constexpr T Quotient(T a, T b) {
  if (b == 0) return 0;
  const Wrapping<T> magnitude = QuotientOf(MagnitudeOf(a), MagnitudeOf(b));
  return static_cast<T>((a < 0) != (b < 0) ? 0 - magnitude : magnitude);
}

// a - a / b * b, with the sign of a; 0 if b is 0.
template <typename T>
constexpr T Remainder(T a, T b) {
  if (b == 0) return 0;
  const Wrapping<T> magnitude = RemainderOf(MagnitudeOf(a), MagnitudeOf(b));
  return static_cast<T>(a < 0 ? 0 - magnitude : magnitude);
}

// The remainder with the sign of b; 0 if b is 0.
template <typename T>
constexpr T FloorRemainder(T a, T b) {
  const T remainder = Remainder(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? WrappingAdd(remainder, b) : remainder;
}

// base to the power of exponent. A negative exponent truncates 1 / base^|exponent|: the result is
// base or 1 for base 1 and -1, and 0 for all others.
template <typename T>
constexpr T Power(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (MagnitudeOf(base) != 1) return 0;
    return exponent % 2 == 0 ? T{1} : base;
  }
  T result = 1;
  for (auto left = static_cast<Wrapping<T>>(exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) result = WrappingMultiply(result, base);
    base = WrappingMultiply(base, base);
  }
  return result;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_INTEGER_H_
