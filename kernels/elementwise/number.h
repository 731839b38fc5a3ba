// SPDX-License-Identifier: Apache-2.0
// Numbers of any element type in one exact form, and conversions from and to the floating-point
// formats by integer arithmetic only. So every processor gives the same results, whatever its own
// conversions, rounding mode or treatment of subnormal numbers. Internal to convert and unary.
#ifndef WEFT_KERNELS_ELEMENTWISE_NUMBER_H_
#define WEFT_KERNELS_ELEMENTWISE_NUMBER_H_

#include <cstdint>
#include <cstring>

namespace weft::kernels {

// +-mantissa * 2^exponent. The mantissa has its top bit (63) set, unless the number is zero.
struct Number {
  enum Kind : uint8_t { kFinite, kInfinite, kNan };
  uint64_t mantissa = 0;
  int32_t exponent = 0;
  bool negative = false;
  Kind kind = kFinite;
};

// A binary interchange format: sign, exponent and fraction, starting at the top bit.
struct FloatFormat {
  int32_t fraction_bits;
  int32_t exponent_bits;
};
inline constexpr FloatFormat kFormatF16 = {10, 5};
inline constexpr FloatFormat kFormatBF16 = {7, 8};
inline constexpr FloatFormat kFormatF32 = {23, 8};
inline constexpr FloatFormat kFormatF64 = {52, 11};

inline uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

Number DecodeFloat(uint64_t bits, FloatFormat format);
Number DecodeInteger(int64_t value);

// Rounds to nearest, ties to even; too large becomes infinite.
uint64_t EncodeFloat(const Number& number, FloatFormat format);
// Truncates towards zero and saturates to [low, high]; NaN gives 0.
int64_t ToInteger(const Number& number, int64_t low, int64_t high);

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_NUMBER_H_
