// SPDX-License-Identifier: Apache-2.0
// The pairs of binary_q8 whose codes are computed by integers.
#include <type_traits>

#include "kernels/elementwise/binary_q8.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary_q8_integers.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/integer_pair-inl.h"

#undef WEFT_DSP_PAIRS
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_DSP) && !defined(WEFT_HELIUM_INTEGERS)
#define WEFT_DSP_PAIRS
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The differences to the zero point.
HWY_INLINE ints::Vec Above(const CodeLine<int8_t>& line, size_t i, size_t lanes) {
  int8_t block[ints::kLanes] = {};
  return ints::Sub(ints::Load(line.From(i, lanes, block), lanes), ints::Set(line.zero));
}

#if defined(WEFT_DSP_PAIRS) || defined(WEFT_HELIUM_INTEGERS)

// Gives the exact half of a difference of codes, after both roundings.
inline constexpr Multiplier kAlmostHalf = {0x7FFFFFFF, -1};
constexpr bool IsHalf(const Multiplier& by) { return by.mantissa == 1 << 30 && by.exponent == 0; }

#endif

#if defined(WEFT_HELIUM_INTEGERS)

// Rescaled of small numbers, for a multiplier with a negative exponent.
HWY_INLINE int32x4_t Fraction(int32x4_t x, const Multiplier& by) {
  x = vqrdmulhq_n_s32(x, by.mantissa);
  return vrshlq_n_s32(vaddq_s32(x, vshrq_n_s32(x, 31)), by.exponent);
}

// Multiplies contiguous lines, 14 instructions per four pairs. Returns false without writing for a
// multiplier of 1/2 or more.
WEFT_PART bool ProductLine(const BinaryQ8Shape& shape, const CodeLine<int8_t>& a,
                           const CodeLine<int8_t>& b, size_t count, int8_t* y) {
  const Multiplier of_y = shape.multiplier;
  if (of_y.exponent >= 0 || a.stride != 1 || b.stride != 1) return false;
  const int32_t zero = shape.codes.zero, a_zero = a.zero, b_zero = b.zero;
  const int32x4_t low = vdupq_n_s32(shape.codes.low - zero);
  const int32x4_t high = vdupq_n_s32(shape.codes.high - zero);
  const int8_t *p = a.x, *q = b.x;
  for (auto left = static_cast<int32_t>(count); left > 0; left -= 4, p += 4, q += 4, y += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(left));
    const int32x4_t above_a = vsubq_n_s32(vldrbq_z_s32(p, some), a_zero);
    const int32x4_t above_b = vsubq_n_s32(vldrbq_z_s32(q, some), b_zero);
    const int32x4_t v = Fraction(vmulq_s32(above_a, above_b), of_y);
    vstrbq_p_s32(y, vaddq_n_s32(vminq_s32(vmaxq_s32(v, low), high), zero), some);
  }
  return true;
}

#elif defined(WEFT_DSP_PAIRS)

// Returns more + (x * y + 2^31) / 2^32, rounded down.
HWY_INLINE int32_t AddUpperProduct(int32_t x, int32_t y, int32_t more) {
  __asm__("smmlar %0, %1, %2, %0" : "+r"(more) : "r"(x), "r"(y));
  return more;
}

// Multiplies contiguous lines, 13 instructions per pair. Returns false without writing for a
// multiplier of 1/2 or more.
WEFT_PART bool ProductLine(const BinaryQ8Shape& shape, const CodeLine<int8_t>& a,
                           const CodeLine<int8_t>& b, size_t count, int8_t* y) {
  const int32_t right = -shape.multiplier.exponent, mantissa = shape.multiplier.mantissa;
  // Rounding and the zero point are one addition, which then fits.
  const bool fits = right > 0 && right <= 21;
  const bool is_full = shape.codes.low == -128 && shape.codes.high == 127;
  if (!fits || !is_full || a.stride != 1 || b.stride != 1) return false;
  const int32_t half = (2 * shape.codes.zero + 1) * (1 << (right - 1));
  const int32_t a_zero = -2 * a.zero, b_zero = b.zero;  // twice, for SMMLAR
  const int8_t *p = a.x, *q = b.x;
  for (int8_t* const end = y + count; y != end; ++y) {
    const int32_t v = (a_zero + 2 * *p++) * (*q++ - b_zero);
    int32_t code = AddUpperProduct(v, mantissa, half + (v >> 31)) >> right;
    __asm__("ssat %0, #8, %0" : "+r"(code) : : "cc");
    *y = static_cast<int8_t>(code);
  }
  return true;
}

#endif

#if defined(WEFT_DSP_PAIRS) || defined(WEFT_HELIUM_INTEGERS)

// Adds contiguous lines: 16 instructions per pair, with Helium per four pairs. Returns false
// without writing for multipliers that the files of TFLite do not have: the operand with the larger
// scale has the multiplier 1/2, so its rescaled value is exact, and all others shift to the right.
WEFT_PART bool SumLine(const BinaryQ8Shape& shape, const CodeLine<int8_t>& a,
                       const CodeLine<int8_t>& b, size_t count, int8_t* y) {
  const bool is_swapped = !IsHalf(shape.a_multiplier);
  const CodeLine<int8_t>&exact = is_swapped ? b : a, &other = is_swapped ? a : b;
  Multiplier by = is_swapped ? shape.a_multiplier : shape.b_multiplier;
  if (is_swapped && !IsHalf(shape.b_multiplier)) return false;
  if (IsHalf(by)) by = kAlmostHalf;
  const int32_t right = -by.exponent, y_right = -shape.multiplier.exponent;
#if defined(WEFT_HELIUM_INTEGERS)
  if (right <= 0 || y_right <= 0 || exact.stride != 1 || other.stride != 1) return false;
  const int8_t *p = exact.x, *q = other.x;
  // VRSHL rounds halves up, so the products of negative numbers are added to -1. A product that
  // rounds to 0 is then -1 before the shift, and 0 after it, too.
  const int32_t zero = shape.codes.zero;
  __asm__ volatile(
      "dlstp.32 lr, %[count]\n"
      "1:\n\t"
      "vldrb.s32 q0, [%[q]], #4\n\t"
      "vmlas.s32 q0, %q[one], %[other_zero]\n\t"
      "vldrb.s32 q1, [%[p]], #4\n\t"
      "vmlas.s32 q1, %q[half], %[exact_zero]\n\t"
      "vshr.s32 q2, q0, #31\n\t"
      "vqrdmlah.s32 q2, q0, %[mantissa]\n\t"
      "vrshl.s32 q2, %[exponent]\n\t"
      "vadd.i32 q1, q1, q2\n\t"
      "vshr.s32 q2, q1, #31\n\t"
      "vqrdmlah.s32 q2, q1, %[y_mantissa]\n\t"
      "vrshl.s32 q2, %[y_exponent]\n\t"
      "vmax.s32 q2, q2, %q[low]\n\t"
      "vmin.s32 q2, q2, %q[high]\n\t"
      "vadd.i32 q2, q2, %[zero]\n\t"
      "vstrb.32 q2, [%[y]], #4\n\t"
      "letp lr, 1b"
      : [p] "+l"(p), [q] "+l"(q), [y] "+l"(y)
      : [count] "r"(count), [exact_zero] "r"(-exact.zero * (1 << (kSumFraction - 1))),
        [other_zero] "r"(-other.zero * (1 << kSumFraction)), [mantissa] "r"(by.mantissa),
        [exponent] "r"(by.exponent), [y_mantissa] "r"(shape.multiplier.mantissa),
        [y_exponent] "r"(shape.multiplier.exponent), [zero] "r"(zero),
        [half] "w"(vdupq_n_s32(1 << (kSumFraction - 1))), [one] "w"(vdupq_n_s32(1 << kSumFraction)),
        [low] "w"(vdupq_n_s32(shape.codes.low - zero)),
        [high] "w"(vdupq_n_s32(shape.codes.high - zero))
      : "cc", "memory", "lr", "q0", "q1", "q2");
#else
  // Rounding and the zero point are one addition, which then fits.
  const bool fits = right > 0 && y_right > 0 && y_right <= 21;
  const bool is_full = shape.codes.low == -128 && shape.codes.high == 127;
  if (!fits || !is_full || exact.stride != 1 || other.stride != 1) return false;
  const int32_t exact_zero = -exact.zero * (1 << (kSumFraction - 1));
  const int32_t other_zero = -other.zero * (1 << (kSumFraction + 1));  // twice, for SMMLAR
  const int32_t half = 1 << (right - 1), mantissa = by.mantissa;
  const int32_t y_half = (2 * shape.codes.zero + 1) * (1 << (y_right - 1));
  const int32_t y_mantissa = shape.multiplier.mantissa;
  const int8_t *p = exact.x, *q = other.x;
  for (int8_t* const end = y + count; y != end; ++y) {
    const int32_t x = other_zero + *q++ * (1 << (kSumFraction + 1));
    const int32_t fine = AddUpperProduct(x, mantissa, half + (x >> 31)) >> right;
    const int32_t v = exact_zero + *p++ * (1 << (kSumFraction - 1)) + fine;
    int32_t code = AddUpperProduct(2 * v, y_mantissa, y_half + (v >> 31)) >> y_right;
    __asm__("ssat %0, #8, %0" : "+r"(code) : : "cc");
    *y = static_cast<int8_t>(code);
  }
#endif
  return true;
}

#endif

#if HWY_TARGET <= HWY_AVX3

// Rescaled(above * 2^kSumFraction, by) for differences of codes: x * m * 2^20 / 2^31 is x times the
// upper bits of m plus x times the lower 11 bits / 2^11.
class FineOperand {
 public:
  static bool Fits(const Multiplier& by) { return by.exponent <= 0; }
  explicit FineOperand(const Multiplier& by)
      : upper_(by.mantissa >> 11),
        lower_(by.mantissa & 2047),
        right_(-by.exponent),
        half_(right_ == 0 ? 0 : 1 << (right_ - 1)),
        sign_(right_ == 0 ? 0 : -1) {}
  HWY_INLINE IntVec operator()(IntVec above) const {
    const IntVec lower = hn::Add(hn::Mul(above, SetInt(lower_)), SetInt(1 << 10));
    const IntVec product = hn::Add(hn::Mul(above, SetInt(upper_)), hn::ShiftRight<11>(lower));
    const IntVec sign = hn::And(hn::ShiftRight<31>(product), SetInt(sign_));
    return hn::ShiftRightSame(hn::Add(hn::Add(product, SetInt(half_)), sign), right_);
  }

 private:
  static_assert(kSumFraction == 31 - 11, "the fraction and the lower bits are a product's shift");
  int32_t upper_, lower_, right_, half_, sign_;
};

// The result of SumLine in units of the scale of y, as a float: without roundings it is a sum of
// two products and a constant. The result rounds each operand twice, by up to 1 in units of the
// scale of the sum, and shifts before it rounds by half of 2^exponent (RightRescaler). The float
// rounds its factors and both sums, which are at most 256 * (a + b).
class NearSum {
 public:
  // Multipliers have exponents of at most 0.
  NearSum(const BinaryQ8Shape& shape, bool adds) {
    const auto factor = [](const Multiplier& by) {
      return by.mantissa / static_cast<double>(int64_t{1} << (31 - by.exponent));
    };
    const double scale = factor(shape.multiplier);
    const double a = factor(shape.a_multiplier) * (1 << kSumFraction) * scale;
    const double b = factor(shape.b_multiplier) * (1 << kSumFraction) * scale * (adds ? 1 : -1);
    a_ = static_cast<float>(a);
    b_ = static_cast<float>(b);
    start_ = static_cast<float>(-shape.a_zero * a - shape.b_zero * b);
    const double unit = 1 / static_cast<double>(int64_t{1} << -shape.multiplier.exponent);
    const double error = 2.5 * unit + 3 * 0x1p-24 * 256 * (a + (adds ? b : -b));
    max_distance_ = static_cast<float>(0.5 - 2 * error);
  }
  // Converts to the nearest integer; `distance` as in RightRescaler.
  HWY_INLINE IntVec operator()(IntVec a, IntVec b, FloatVec& distance) const {
    const FloatVec partial = hn::MulAdd(ToFloats(b), Set(b_), Set(start_));
    return RoundedNear(hn::MulAdd(ToFloats(a), Set(a_), partial), distance);
  }
  HWY_INLINE bool AreNear(FloatVec distance) const {
    return !WEFT_CONSTANT_TIME && hn::AllTrue(FloatTag(), hn::Lt(distance, Set(max_distance_)));
  }

 private:
  float a_, b_, start_, max_distance_;
};

// Writes the first codes of contiguous lines, 64 at a time. Returns
// their number.
template <bool kAdds>
WEFT_PART size_t SumLine(const BinaryQ8Shape& shape, const CodeLine<int8_t>& a,
                         const CodeLine<int8_t>& b, size_t count, int8_t* y) {
  const IntVec exponents = SetInt(shape.multiplier.exponent);
  const bool fits = FineOperand::Fits(shape.a_multiplier) && RightRescaler::Fits(exponents) &&
                    FineOperand::Fits(shape.b_multiplier);
  if (!fits || a.stride != 1 || b.stride != 1 || count < 4 * kLanes) return 0;
  const FineOperand fine_a(shape.a_multiplier), fine_b(shape.b_multiplier);
  const RightRescaler result(SetInt(shape.multiplier.mantissa), exponents);
  const NearSum near(shape, kAdds);
  const IntVec a_zero = SetInt(a.zero), b_zero = SetInt(b.zero);
  const int32_t zero = shape.codes.zero;
  const auto low = hn::Set(CodeBytes(), shape.codes.low);
  const auto high = hn::Set(CodeBytes(), shape.codes.high);
  const int8_t *const of_a = a.x, *const of_b = b.x;
  const auto exact = [&](size_t i) HWY_ATTR {
    const IntVec x = fine_a(hn::Sub(LoadCodes(of_a + i, kLanes), a_zero));
    const IntVec other = fine_b(hn::Sub(LoadCodes(of_b + i, kLanes), b_zero));
    return result.Exact(kAdds ? hn::Add(x, other) : hn::Sub(x, other));
  };
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    IntVec four[4];
    FloatVec distance = Set(0.0f);
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) {
      const size_t at = i + v * kLanes;
      four[v] = near(LoadCodes(of_a + at, kLanes), LoadCodes(of_b + at, kLanes), distance);
    }
    if (HWY_UNLIKELY(!near.AreNear(distance))) {
      for (size_t v = 0; v < 4; ++v) four[v] = exact(i + v * kLanes);
    }
    const auto codes = JoinCodes(four, zero);
    hn::StoreU(hn::Min(hn::Max(codes, low), high), CodeBytes(), y + i);
  }
  return i;
}

#endif

template <typename Op>
WEFT_PART void IntegerLines(Op op, const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b,
                            int8_t* y) {
  const IntegerPair<Op, kSumFraction, kSquareFraction> shared = {
      op, ints::Rescaler(shape.a_multiplier), ints::Rescaler(shape.b_multiplier),
      ints::Rescaler(shape.multiplier)};
  const CodeRange codes = shape.codes;
  const int32_t low = codes.low - codes.zero, high = codes.high - codes.zero;
  const auto line = [&](CodeLine<int8_t> of_a, CodeLine<int8_t> of_b, size_t count,
                        int8_t* to) HWY_ATTR WEFT_INLINE_BODY {
#if defined(WEFT_DSP_PAIRS) || defined(WEFT_HELIUM_INTEGERS)
    if (op == BinaryOp::kAdd && SumLine(shape, of_a, of_b, count, to)) return;
    if (op == BinaryOp::kMultiply && ProductLine(shape, of_a, of_b, count, to)) return;
#endif
    size_t done = 0;
#if HWY_TARGET <= HWY_AVX3
    if (op == BinaryOp::kAdd) done = SumLine<true>(shape, of_a, of_b, count, to);
    if (op == BinaryOp::kSubtract) done = SumLine<false>(shape, of_a, of_b, count, to);
#endif
    // Copies, because the bytes written could alias the originals.
    const auto pair = shared;
    const int32_t least = low, most = high, zero = codes.zero;
    ints::ForVectors(count - done, [&](size_t i, size_t lanes) HWY_ATTR WEFT_INLINE_BODY {
      i += done;
      const ints::Vec v = pair(Above(of_a, i, lanes), Above(of_b, i, lanes));
      ints::Store(ints::Add(ints::Limited(v, least, most), ints::Set(zero)), to + i, lanes);
    });
  };
  ForLines(shape, a, b, y, line);
}

template <BinaryOp op>
using Constant = std::integral_constant<BinaryOp, op>;

void BinaryQ8Integers(const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y) {
  // Without vectors, a loop for each operation is not worth its code.
  if (HWY_TARGET == HWY_SCALAR) return IntegerLines(shape.op, shape, a, b, y);
  switch (shape.op) {
    case BinaryOp::kMultiply:
      return IntegerLines(Constant<BinaryOp::kMultiply>(), shape, a, b, y);
    case BinaryOp::kPrelu:
      return IntegerLines(Constant<BinaryOp::kPrelu>(), shape, a, b, y);
    case BinaryOp::kSquaredDifference:
      return IntegerLines(Constant<BinaryOp::kSquaredDifference>(), shape, a, b, y);
    case BinaryOp::kSubtract:
      return IntegerLines(Constant<BinaryOp::kSubtract>(), shape, a, b, y);
    default:
      return IntegerLines(Constant<BinaryOp::kAdd>(), shape, a, b, y);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(BinaryQ8Integers,
            (const BinaryQ8Shape& shape, const int8_t* a, const int8_t* b, int8_t* y),
            (shape, a, b, y))

#if HWY_ONCE
const char weft_variant_binary_q8_integers = 0;
#endif  // HWY_ONCE
