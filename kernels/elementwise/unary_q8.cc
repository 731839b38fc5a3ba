// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/unary_q8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/unary_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/recurrent/gates_q8-inl.h"
#include "kernels/simd/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// `lanes` integers from element i on.
HWY_INLINE ints::Vec LoadAt(Element type, const void* x, size_t i, size_t lanes) {
  if (type == Element::kI8) return ints::Load(static_cast<const int8_t*>(x) + i, lanes);
  if (type == Element::kI16) return ints::Load(static_cast<const int16_t*>(x) + i, lanes);
  return ints::Load(static_cast<const int32_t*>(x) + i, lanes);
}
HWY_INLINE void StoreAt(ints::Vec v, Element type, void* y, size_t i, size_t lanes) {
  if (type == Element::kI8) return ints::Store(v, static_cast<int8_t*>(y) + i, lanes);
  if (type == Element::kI16) return ints::Store(v, static_cast<int16_t*>(y) + i, lanes);
  ints::Store(v, static_cast<int32_t*>(y) + i, lanes);
}

#undef WEFT_DSP_RESCALES
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_DSP) && !defined(__ARM_FEATURE_MVE)
#define WEFT_DSP_RESCALES
#endif

HWY_INLINE bool AreEqual(const Multiplier& a, const Multiplier& b) {
  return a.mantissa == b.mantissa && a.exponent == b.exponent;
}

// Returns true for differences of int8 codes and their zero point, which are within their limits.
HWY_INLINE bool IsDifference(const UnaryQ8Shape& shape) {
  constexpr Multiplier kOne = {1 << 30, 1};
  return shape.from == Element::kI8 && shape.to == Element::kI16 && shape.zero == 0 &&
         shape.x_zero >= -128 && shape.x_zero <= 127 && shape.low <= -255 && shape.high >= 255 &&
         AreEqual(shape.above, kOne) && AreEqual(shape.below, kOne);
}

WEFT_PART void Subtract(const UnaryQ8Shape& shape, const int8_t* x, int16_t* y) {
  size_t count = shape.count;
#if defined(WEFT_DSP_RESCALES)
  const uint32_t zeros =
      static_cast<uint32_t>(shape.x_zero) * 0x10000 + static_cast<uint16_t>(shape.x_zero);
  for (; count >= 4; count -= 4, x += 4, y += 4) {
    uint32_t low, high, even, odd;
    __builtin_memcpy(&low, x, sizeof(low));
    __asm__(
        "sxtb16 %[even], %[low]\n\t"
        "sxtb16 %[odd], %[low], ror #8\n\t"
        "ssub16 %[even], %[even], %[zeros]\n\t"
        "ssub16 %[odd], %[odd], %[zeros]\n\t"
        "pkhbt %[low], %[even], %[odd], lsl #16\n\t"
        "pkhtb %[high], %[odd], %[even], asr #16\n\t"
        : [low] "+r"(low), [high] "=&r"(high), [even] "=&r"(even), [odd] "=&r"(odd)
        : [zeros] "r"(zeros));
    __builtin_memcpy(y, &low, sizeof(low));
    __builtin_memcpy(y + 2, &high, sizeof(high));
  }
#endif
  const ints::Vec zero = ints::Set(shape.x_zero);
  ints::ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    ints::Store(ints::Sub(ints::Load(x + i, lanes), zero), y + i, lanes);
  });
}

#if defined(WEFT_DSP_RESCALES)

// Codes without limits. The mantissa is at least 2^30 and the exponent negative, as in
// matrix/integer_codes.cc, which explains the instructions.
WEFT_PART void RescaleFast(const UnaryQ8Shape& shape, const int32_t* x, int8_t* y) {
  const uint32_t mantissa = static_cast<uint32_t>(shape.above.mantissa) * 2;
  const int32_t shift = ~shape.above.exponent, zero = 2 * shape.zero + 1, from = shape.x_zero;
  for (size_t i = 0; i < shape.count; ++i) {
    int32_t v = WrappingSubtract(x[i], from), t;
    __asm__(
        "add %[t], %[v], %[v], asr #31\n\t"
        "smmlar %[v], %[v], %[mantissa], %[t]\n\t"
        "asr %[v], %[v], %[shift]\n\t"
        "qadd %[v], %[v], %[zero]\n\t"
        "ssat %[v], #8, %[v], asr #1\n\t"
        : [v] "+r"(v), [t] "=&r"(t)
        : [mantissa] "r"(mantissa), [shift] "r"(shift), [zero] "r"(zero)
        : "cc");
    y[i] = static_cast<int8_t>(v);
  }
}
#endif

// Sums of products, which have one factor.
WEFT_PART void RescaleSums(const UnaryQ8Shape& shape, const int32_t* x, int8_t* y) {
#if defined(WEFT_DSP_RESCALES)
  const bool is_fast = shape.above.mantissa >= 1 << 30 && shape.above.exponent < 0;
  if (is_fast && shape.low == -128 && shape.high == 127) return RescaleFast(shape, x, y);
#endif
  const ints::Rescaler by(shape.above);
  const ints::Vec from = ints::Set(shape.x_zero), to = ints::Set(shape.zero);
  const int32_t low = shape.low - shape.zero, high = shape.high - shape.zero;
  ints::ForVectors(shape.count, [&](size_t i, size_t lanes) HWY_ATTR {
    const ints::Vec v = by(ints::Sub(ints::Load(x + i, lanes), from));
    ints::Store(ints::Add(ints::Limited(v, low, high), to), y + i, lanes);
  });
}

WEFT_PART void Rescale(const UnaryQ8Shape& shape, const void* x, void* y) {
  const ints::Rescaler above(shape.above), below(shape.below);
  const bool is_limited = shape.to != Element::kI32;
  const int32_t low = is_limited ? shape.low - shape.zero : 0;
  const int32_t high = is_limited ? shape.high - shape.zero : 0;
  ints::ForVectors(shape.count, [&](size_t i, size_t lanes) HWY_ATTR {
    const ints::Vec from = ints::Sub(LoadAt(shape.from, x, i, lanes), ints::Set(shape.x_zero));
    ints::Vec v = ints::If(ints::Lt(from, ints::Set(0)), below(from), above(from));
    if (is_limited) v = ints::Limited(v, low, high);
    StoreAt(ints::Add(v, ints::Set(shape.zero)), shape.to, y, i, lanes);
  });
}

WEFT_PART void Gate(const UnaryQ8Shape& shape, const int16_t* x, int16_t* y) {
  const int32_t shift = -shape.above.exponent, half = shift == 0 ? 0 : 1 << (shift - 1);
  ints::ForVectors(shape.count, [&](size_t i, size_t lanes) HWY_ATTR {
    const ints::Vec product = ints::Mul(ints::Load(x + i, lanes), ints::Set(shape.above.mantissa));
    const ints::Vec t = ints::ShiftRightSame(ints::Add(product, ints::Set(half)), shift);
    const bool is_sigmoid = shape.op == CodeFunction::kSigmoid;
    ints::Store(is_sigmoid ? ints::TableSigmoid(t) : ints::TableTanh(t), y + i, lanes);
  });
}

// Sums of products of int16 codes.
WEFT_PART void RescaleSums(const UnaryQ8Shape& shape, const int64_t* x, int16_t* y) {
  for (size_t i = 0; i < shape.count; ++i) {
    const int64_t v = RescaledOnce(x[i], shape.above);
    y[i] = static_cast<int16_t>(v < shape.low ? shape.low : v > shape.high ? shape.high : v);
  }
}

void UnaryQ8(const UnaryQ8Shape& shape, const void* x, void* y) {
  if (shape.from == Element::kI64) {
    return RescaleSums(shape, static_cast<const int64_t*>(x), static_cast<int16_t*>(y));
  }
  if (IsDifference(shape)) {
    return Subtract(shape, static_cast<const int8_t*>(x), static_cast<int16_t*>(y));
  }
  if (shape.from == Element::kI32 && shape.to == Element::kI8 &&
      AreEqual(shape.above, shape.below)) {
    return RescaleSums(shape, static_cast<const int32_t*>(x), static_cast<int8_t*>(y));
  }
  if (shape.op == CodeFunction::kRescale) return Rescale(shape, x, y);
  Gate(shape, static_cast<const int16_t*>(x), static_cast<int16_t*>(y));
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(UnaryQ8, (const UnaryQ8Shape& shape, const void* x, void* y), (shape, x, y))
