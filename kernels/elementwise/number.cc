// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/number.h"

namespace weft::kernels {
namespace {

// Shifts the mantissa so that its top bit is bit 63.
void Normalise(Number* number) {
  if (number->mantissa == 0) return;
  for (int32_t step = 32; step > 0; step /= 2) {
    if ((number->mantissa >> (64 - step)) == 0) {
      number->mantissa <<= step;
      number->exponent -= step;
    }
  }
}

}  // namespace

Number DecodeFloat(uint64_t bits, FloatFormat format) {
  const uint64_t fraction_mask = (uint64_t{1} << format.fraction_bits) - 1;
  const int32_t exponent_mask = (1 << format.exponent_bits) - 1;
  const int32_t bias = exponent_mask / 2;
  const int32_t exponent = static_cast<int32_t>(bits >> format.fraction_bits) & exponent_mask;
  Number number;
  number.negative = (bits >> (format.fraction_bits + format.exponent_bits) & 1) != 0;
  number.mantissa = bits & fraction_mask;
  if (exponent == exponent_mask) {
    number.kind = number.mantissa == 0 ? Number::kInfinite : Number::kNan;
    number.mantissa <<= 64 - format.fraction_bits;  // the payload, from the top
    return number;
  }
  number.exponent = (exponent == 0 ? 1 : exponent) - bias - format.fraction_bits;
  if (exponent != 0) number.mantissa |= fraction_mask + 1;
  Normalise(&number);
  return number;
}

Number DecodeInteger(int64_t value) {
  Number number;
  number.negative = value < 0;
  number.mantissa =
      value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  Normalise(&number);
  return number;
}

uint64_t EncodeFloat(const Number& number, FloatFormat format) {
  const int32_t exponent_mask = (1 << format.exponent_bits) - 1;
  const int32_t bias = exponent_mask / 2;
  const uint64_t sign = uint64_t{number.negative} << (format.fraction_bits + format.exponent_bits);
  const uint64_t infinity = static_cast<uint64_t>(exponent_mask) << format.fraction_bits;
  if (number.kind == Number::kNan) {
    const uint64_t quiet = uint64_t{1} << (format.fraction_bits - 1);
    return sign | infinity | quiet | number.mantissa >> (64 - format.fraction_bits);
  }
  if (number.kind == Number::kInfinite) return sign | infinity;
  if (number.mantissa == 0) return sign;

  // The exponent field if normal; below 1 the mantissa is shifted further instead.
  const int32_t field = number.exponent + 63 + bias;
  if (field >= exponent_mask) return sign | infinity;
  const int32_t extra = field < 1 ? 1 - field : 0;
  const int32_t shift = 63 - format.fraction_bits + extra;
  if (shift > 64) return sign;
  const uint64_t kept = shift == 64 ? 0 : number.mantissa >> shift;
  const uint64_t half = uint64_t{1} << (shift - 1);
  const uint64_t rest = shift == 64 ? number.mantissa : number.mantissa & (half * 2 - 1);
  const bool rounds_up = rest > half || (rest == half && (kept & 1) != 0);
  // With field < 1 `kept` is the fraction; else it holds the leading one, which adds 1 to the
  // field. A carry out of the fraction steps the exponent, up to infinity.
  const uint64_t base = field < 1 ? 0 : static_cast<uint64_t>(field - 1) << format.fraction_bits;
  return sign | (base + kept + (rounds_up ? 1 : 0));
}

int64_t ToInteger(const Number& number, int64_t low, int64_t high) {
  if (number.kind == Number::kNan) return 0;
  const int32_t bits = number.exponent + 64;  // the magnitude is below 2^bits
  if (number.kind == Number::kInfinite || bits > 63) {
    if (number.mantissa == 0 && number.kind == Number::kFinite) return 0;
    return number.negative ? low : high;
  }
  const uint64_t magnitude = bits <= 0 ? 0 : number.mantissa >> (64 - bits);
  const int64_t value =
      number.negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return value < low ? low : (value > high ? high : value);
}

}  // namespace weft::kernels
