// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh of int16 codes, as lstm_q8.h names them: by a table, and by polynomials.

#if defined(WEFT_KERNELS_RECURRENT_GATES_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_GATES_Q8_INL_H_
#undef WEFT_KERNELS_RECURRENT_GATES_Q8_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_GATES_Q8_INL_H_
#endif

#include "kernels/recurrent/sigmoid_table.h"
#include "kernels/simd/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE::ints {

// -|x|
HWY_INLINE Vec NegativeMagnitude(Vec x) { return Min(x, Neg(x)); }

// Interpolates the rises of the sigmoid at `m`, which is not negative and has `bits` bits of
// fraction. From index 255 on the result is `last`.
HWY_INLINE Vec Rise(Vec m, int32_t bits, int32_t last) {
  const int32_t max = (255 << bits) - 1;
#if HWY_TARGET == HWY_SCALAR && !defined(WEFT_HELIUM_INTEGERS)
  if (m.raw > max) return Set(last);
  const uint16_t* const at = kSigmoidRises.values + (m.raw >> bits);
  const Vec low(at[0]), high(at[1]), fraction = And(m, Set((1 << bits) - 1));
  return Add(ShiftLeftSame(low, bits), Mul(fraction, Sub(high, low)));
#else
  const Vec limited = Min(m, Set(max)), fraction = And(limited, Set((1 << bits) - 1));
  const Vec index = ShiftRightSame(limited, bits);
#if defined(WEFT_HELIUM_INTEGERS)
  const uint32x4_t at = vreinterpretq_u32_s32(index.raw);
  const uint16_t* const values = kSigmoidRises.values;
  const Vec low = {vreinterpretq_s32_u32(vldrhq_gather_shifted_offset_u32(values, at))};
  const Vec high = {vreinterpretq_s32_u32(vldrhq_gather_shifted_offset_u32(values + 1, at))};
#else
  const Vec pairs = hn::GatherIndex(IntTag(), kSigmoidPairs.words, index);
  const Vec low = And(pairs, Set(0xFFFF)), high = ShiftRight<16>(pairs);
#endif
  const Vec r = Add(ShiftLeftSame(low, bits), Mul(fraction, Sub(high, low)));
  return If(Gt(m, Set(max)), Set(last), r);
#endif
}

// The functions of an argument in units of 1/12288, in units of 2^-15. For a negative argument the
// rise is complemented: ~r is -r - 1.
HWY_INLINE Vec TableSigmoid(Vec v) {
  const Vec r = Rise(Abs(v), 9, 0x7FFF << 10 & ~(1 << 24));
  Vec bias = Set((1 << 24) + 512);
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_7M__)
  __asm__("" : "+r"(bias.raw));  // would be two immediate operands
#endif
  return ShiftRight<10>(Add(Xor(r, ShiftRight<31>(v)), bias));
}
HWY_INLINE Vec TableTanh(Vec v) {
  const Vec r = Rise(Abs(v), 8, 0x7FFF << 8);
  return ShiftRight<8>(Add(Xor(r, ShiftRight<31>(v)), Set(128)));
}

// The rest is gemmlowp's fixed-point arithmetic of 16 bits.

// a * b / 2^15, halves towards +infinity, saturated.
HWY_INLINE Vec Product16(Vec a, Vec b) {
  const Vec rounded = ShiftRight<15>(Add(Mul(a, b), Set(1 << 14)));
  return Min(rounded, Set(32767));
}
// x / 2^kBits, halves away from zero.
template <int kBits>
HWY_INLINE Vec Halved(Vec x) {
  const Vec half = Add(Set(1 << (kBits - 1)), ShiftRight<31>(x));
  return ShiftRight<kBits>(Add(x, half));
}
HWY_INLINE Vec WrappedTo16(Vec x) { return ShiftRight<16>(ShiftLeft<16>(x)); }
// x * 2^kBits; the extremes beyond +-(2^(15 - kBits) - 1).
template <int kBits>
HWY_INLINE Vec Doubled(Vec x) {
  constexpr int32_t kLimit = (1 << (15 - kBits)) - 1;
  const Vec shifted = ShiftLeft<kBits>(x);
  const Vec raised = If(Lt(x, Set(-kLimit)), Set(-32768), shifted);
  return If(Gt(x, Set(kLimit)), Set(32767), raised);
}

// exp(a) for a <= 0 with `integer_bits` bits before the point, from 1 to 7.
HWY_INLINE Vec ExpOfNegative(Vec a, int32_t integer_bits) {
  const int32_t fraction = 15 - integer_bits, quarter = 1 << (fraction - 2);
  const Vec mod = Sub(And(a, Set(quarter - 1)), Set(quarter));
  // A polynomial around -1/8.
  const Vec x = Add(ShiftLeftSame(mod, integer_bits), Set(1 << 12));
  const Vec x2 = Product16(x, x), x3 = Product16(x2, x), x4 = Product16(x2, x2);
  const Vec third = Product16(Add(Halved<2>(x4), x3), Set(10923));
  const Vec tail = Halved<1>(Add(third, x2));
  const Vec begin = Set(28918);
  Vec r = LimitedTo<16>(Add(begin, Product16(begin, WrappedTo16(Add(x, tail)))));
  // exp(-2^k) for each bit of the rest.
  constexpr int32_t kFactors[] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const Vec rest = Sub(mod, a);
  for (int32_t i = 0; i < 7 && i - 2 < integer_bits; ++i) {
    const Vec bit = And(rest, Set(1 << (fraction + i - 2)));
    r = If(Eq(bit, Set(0)), r, Product16(r, Set(kFactors[i])));
  }
  if (integer_bits > 5) {
    r = If(Lt(a, Set(-(32 << fraction))), Set(0), r);
  }
  return If(Eq(a, Set(0)), Set(32767), r);
}

// 2 / (1 + a) with two bits before the point, for a from 0 to 1.
HWY_INLINE Vec TwoOverOnePlus(Vec a) {
  const Vec half = ShiftRight<1>(Add(a, Set(32768)));
  Vec x = Add(Set(23130), Product16(half, Set(-15420)));
  for (int i = 0; i < 3; ++i) {
    const Vec error = Sub(Set(1 << 13), Product16(half, x));
    x = WrappedTo16(Add(x, Doubled<2>(Product16(x, error))));
  }
  return x;
}

HWY_INLINE Vec FixedSigmoid(Vec a, int32_t integer_bits) {
  const Vec of_positive =
      Doubled<1>(TwoOverOnePlus(ExpOfNegative(NegativeMagnitude(a), integer_bits)));
  const Vec of_negative = Sub(Set(32767), of_positive);
  const Vec r = If(Gt(a, Set(0)), of_positive, of_negative);
  return If(Eq(a, Set(0)), Set(1 << 14), r);
}
HWY_INLINE Vec FixedTanh(Vec a, int32_t integer_bits) {
  const Vec x = TwoOverOnePlus(ExpOfNegative(NegativeMagnitude(a), integer_bits + 1));
  const Vec r = Doubled<2>(Sub(x, Set(1 << 13)));
  const Vec with_sign = If(Lt(a, Set(0)), Neg(r), r);
  return If(Eq(a, Set(0)), Set(0), with_sign);
}

}  // namespace weft::kernels::HWY_NAMESPACE::ints
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_GATES_Q8_INL_H_
