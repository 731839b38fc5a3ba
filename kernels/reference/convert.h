// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for convert, through long double, which represents every element of every
// type exactly (64 bits of mantissa or more). Exact: values are rounded once, to nearest, ties to
// even.
#ifndef WEFT_KERNELS_REFERENCE_CONVERT_H_
#define WEFT_KERNELS_REFERENCE_CONVERT_H_

#include "kernels/elementwise/convert.h"
#include "kernels/reference/reference.h"

namespace weft::kernels {

// Exponents of the minimum and the maximum power of two in each format's normal range.
struct FormatReference {
  int fraction_bits;
  int min_exponent;
  int largest_exponent;
};

inline FormatReference FormatReferenceOf(Element type) {
  if (type == Element::kF16) return {10, -14, 15};
  if (type == Element::kBF16) return {7, -126, 127};
  if (type == Element::kF64) return {52, -1022, 1023};
  return {23, -126, 127};
}

// The value of a float of any format, given its bits.
inline long double DecodeReference(uint64_t bits, Element type) {
  const FormatReference format = FormatReferenceOf(type);
  const uint64_t fraction = bits & ((uint64_t{1} << format.fraction_bits) - 1);
  const int bias = format.largest_exponent;
  const int field = static_cast<int>(bits >> format.fraction_bits) & (2 * bias + 1);
  const bool negative =
      (bits >> (format.fraction_bits + (bias == 15 ? 5 : (bias == 127 ? 8 : 11))) & 1) != 0;
  long double value = static_cast<long double>(fraction);
  if (field == 2 * bias + 1) {
    value = fraction != 0 ? static_cast<long double>(NAN) : static_cast<long double>(INFINITY);
  } else if (field == 0) {
    value = std::ldexp(value, format.min_exponent - format.fraction_bits);
  } else {
    value += std::ldexp(1.0L, format.fraction_bits);
    value = std::ldexp(value, field - bias - format.fraction_bits);
  }
  return negative ? -value : value;
}

// The nearest value that the format can represent.
inline long double RoundReference(long double value, Element type) {
  if (value == 0 || std::isnan(value) || std::isinf(value)) return value;
  const FormatReference format = FormatReferenceOf(type);
  int exponent = std::ilogb(value);
  if (exponent < format.min_exponent) exponent = format.min_exponent;
  const long double unit = std::ldexp(1.0L, exponent - format.fraction_bits);
  const long double rounded = std::nearbyint(value / unit) * unit;
  if (std::fabs(rounded) >= std::ldexp(1.0L, format.largest_exponent + 1)) {
    return std::copysign(static_cast<long double>(INFINITY), value);
  }
  return rounded;
}

// Float to integer: truncates and saturates; NaN becomes 0.
inline int64_t TruncateReference(long double value, int64_t low, int64_t high) {
  if (std::isnan(value)) return 0;
  if (value <= static_cast<long double>(low)) return low;
  if (value >= static_cast<long double>(high)) return high;
  return static_cast<int64_t>(value);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_CONVERT_H_
