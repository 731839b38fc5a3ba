// SPDX-License-Identifier: Apache-2.0
// Requantisation by integers in firmware, for the sums of dense_q8, conv_q8 and depthwise_q8.
#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/depthwise_q8.h"
#include "kernels/matrix/rectangles.h"
#include "kernels/variants.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/integer_codes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/rows_q8-inl.h"

#if defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/depthwise_q8_cortex_m-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if defined(WEFT_HELIUM_RUNS_ROWS)

void RunIntegerRows(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  RunRowsWith<true>(at, x, row, count);
}

// One row.
void IntegerOutputs(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                    const CodeRange& codes, int8_t* y) {
  const int32x4_t low = vdupq_n_s32(codes.low - codes.zero);
  const int32x4_t high = vdupq_n_s32(codes.high - codes.zero);
  const int32x4_t none = vdupq_n_s32(0);
  const FactorsQ8 of = factors;  // a copy: bytes written to y could alias the original
  const int32_t zero = codes.zero;
  for (size_t i = 0; i < outputs; i += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(outputs - i));
    int32x4_t v = vldrwq_z_s32(sums + i, some);
    if (of.first != nullptr) v = vaddq_s32(v, vldrwq_z_s32(of.first + i, some));
    const int32x4_t exponents = vldrwq_z_s32(of.exponents() + i, some);
    v = vshlq_s32(v, vmaxq_s32(exponents, none));
    v = vqrdmulhq_s32(v, vldrwq_z_s32(of.mantissas() + i, some));
    // Halves are rounded up, so negative numbers are lowered by one first.
    const int32x4_t right = vminq_s32(exponents, none);
    v = vrshlq_s32(vqaddq_s32(v, vshrq_n_s32(vandq_s32(v, right), 31)), right);
    v = vaddq_n_s32(vminq_s32(vmaxq_s32(v, low), high), zero);
    vstrbq_p_s32(y + i, v, some);
  }
}

#else

// clang-format off
// Two outputs: the products are rounded to 32 bits by adding half and twice themselves, so that
// their upper words remain. Halves are rounded up, so negative numbers are lowered by one first.
#undef WEFT_PRODUCT
#define WEFT_PRODUCT(sum, mantissa)                                   \
  "smull " mantissa ", " sum ", " sum ", " mantissa "\n\t"            \
  "adds " mantissa ", " mantissa ", #0x40000000\n\t"                 \
  "adc " sum ", " sum ", #0\n\t"                                     \
  "adds " mantissa ", " mantissa ", " mantissa "\n\t"                \
  "adc " sum ", " sum ", " sum "\n\t"                                \
  "add " sum ", " sum ", " sum ", asr #31\n\t"
#undef WEFT_TWO_CODES
#define WEFT_TWO_CODES(a, b)                                          \
  "ldrd " a ", " b ", [%[sums]], #8\n\t"                             \
  "ldrd %[m], %[n], [%[mantissas]], #8\n\t"                          \
  WEFT_PRODUCT(a, "%[m]") WEFT_PRODUCT(b, "%[n]")                     \
  "ldrd %[m], %[n], [%[exponents]], #8\n\t"                          \
  "mvn %[m], %[m]\n\t"                                               \
  "mvn %[n], %[n]\n\t"                                               \
  "asr " a ", " a ", %[m]\n\t"                                       \
  "asr " b ", " b ", %[n]\n\t"                                       \
  WEFT_ROUNDED_CODE(a, "%[zero]") WEFT_ROUNDED_CODE(b, "%[zero]")
// clang-format on

// Requantises `outputs` outputs, a multiple of four, whose exponents are all negative. `zero` is
// twice the zero plus one; limits may be null.
HWY_INLINE void IntegersOfFours(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                                int32_t zero, const FourLimits* limits, int8_t* y) {
  const int8_t* const end = y + outputs;
  const int32_t *mantissas = factors.mantissas(), *exponents = factors.exponents();
  uint32_t a, b, c, d, m, n;
  __asm__ volatile(
      "1:\n\t"  //
      WEFT_TWO_CODES("%[a]", "%[b]") WEFT_TWO_CODES("%[c]", "%[d]")
          WEFT_JOIN_BYTES("%[a]", "%[b]", "%[c]", "%[d]")
      "cbz %[limits], 3f\n\t"
      "ldrd %[b], %[c], [%[limits]]\n\t"  //
      WEFT_LIMIT_FOUR("%[a]", "%[b]", "%[c]", "%[d]")
      "3:\n\t"
      "str %[a], [%[y]], #4\n\t"
      "cmp %[y], %[end]\n\t"
      "bne 1b"
      : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [m] "=&r"(m), [n] "=&r"(n),
        [sums] "+&r"(sums), [mantissas] "+&r"(mantissas), [exponents] "+&r"(exponents), [y] "+&r"(y)
      : [limits] "l"(limits), [zero] "r"(zero), [end] "r"(end)
      : "cc", "memory");
}

// One row from `done` on.
WEFT_PART void IntegerRest(const int32_t* sums, const FactorsQ8& factors, size_t done,
                           size_t outputs, const CodeRange& codes, int8_t* y) {
  for (; done < outputs; ++done) {
    const int32_t first = factors.first == nullptr ? 0 : factors.first[done];
    const Multiplier by = {factors.mantissas()[done], factors.exponents()[done]};
    y[done] = CodeOfInteger(Rescaled(WrappingAdd(sums[done], first), by), codes);
  }
}

#endif

void IntegerRows(const int32_t* sums, FactorsQ8 factors, size_t rows, size_t outputs,
                 const CodeRange& codes, int8_t* y, const RowSteps& steps) {
#if !defined(WEFT_HELIUM_RUNS_ROWS)
  const FourLimits four = {FourOf(codes.low), FourOf(codes.high)};
  const FourLimits* const limits = codes.low == -128 && codes.high == 127 ? nullptr : &four;
  // Rows of their own have exponents of their own.
  const bool has_fours = factors.first == nullptr && outputs >= 4 &&
                         (rows == 1 || steps.start == 0) &&
                         AreNegative(factors.exponents(), outputs);
#endif
  for (;; sums += kPanelOutputs, y += steps.y) {
#if defined(WEFT_HELIUM_RUNS_ROWS)
    IntegerOutputs(sums, factors, outputs, codes, y);
#else
    size_t done = 0;
    if (has_fours) {
      done = outputs / 4 * 4;
      IntegersOfFours(sums, factors, done, 2 * codes.zero + 1, limits, y);
    }
    IntegerRest(sums, factors, done, outputs, codes, y);
#endif
    if (--rows == 0) return;
    factors = After(factors, steps);
  }
}

bool RunIntegerGroups(const DepthwiseQ8Shape& shape, const TapWindow& window,
                      const CodePixels& pixels, const int8_t* weights, const FactorsQ8& factors) {
  return RunGroupsWith<true>(shape, window, pixels, weights, factors);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
const char weft_variant_integer_codes = 0;
#endif  // HWY_ONCE
