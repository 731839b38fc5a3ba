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
#include "kernels/matrix/depthwise_q8_lines_cortex_m-inl.h"

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
// Rescales a sum with twice its mantissa and the complement of its exponent, and returns its code.
// The mantissa is at least 2^30, so twice it is a negative word m, and the upper word of sum * m
// misses one sum. Halves are rounded up, so one is subtracted from negative sums. The last bit is
// shifted out when twice the zero plus one is added.
#undef WEFT_CODE_OF_SUM
#define WEFT_CODE_OF_SUM(sum, mantissa, shift)            \
  "add %[t], " sum ", " sum ", asr #31\n\t"              \
  "smmlar " sum ", " sum ", " mantissa ", %[t]\n\t"      \
  "asr " sum ", " sum ", " shift "\n\t"                  \
  WEFT_ROUNDED_CODE(sum, "%[zero]")
// Doubles a mantissa and complements an exponent. Both were negative if `all` stays so.
#undef WEFT_BEGIN_FACTOR
#define WEFT_BEGIN_FACTOR(mantissa, exponent)             \
  "lsl " mantissa ", " mantissa ", #1\n\t"               \
  "and %[all], %[all], " mantissa "\n\t"                 \
  "and %[all], %[all], " exponent "\n\t"                 \
  "mvn " exponent ", " exponent "\n\t"
#undef WEFT_TWO_CODES
#define WEFT_TWO_CODES                                    \
  "ldrd %[m], %[n], [%[mantissas]], #8\n\t"              \
  "ldrd %[e], %[f], [%[exponents]], #8\n\t"              \
  WEFT_BEGIN_FACTOR("%[m]", "%[e]")                        \
  WEFT_BEGIN_FACTOR("%[n]", "%[f]")                        \
  "ldrd %[x], %[w], [%[sums]], #8\n\t"                   \
  WEFT_CODE_OF_SUM("%[x]", "%[m]", "%[e]")                 \
  WEFT_CODE_OF_SUM("%[w]", "%[n]", "%[f]")                 \
  "strb %[x], [%[y]], #1\n\t"                            \
  "strb %[w], [%[y]], #1\n\t"
#undef WEFT_THREE_CODES
#define WEFT_THREE_CODES                                  \
  "ldr %[m], [%[mantissas]], #4\n\t"                     \
  "ldr %[e], [%[exponents]], #4\n\t"                     \
  WEFT_BEGIN_FACTOR("%[m]", "%[e]")                        \
  "ldr %[x], [%[sums], #64]\n\t"                         \
  WEFT_CODE_OF_SUM("%[x]", "%[m]", "%[e]")                 \
  "strb %[x], [%[y], %[step]]\n\t"                       \
  "ldr %[x], [%[sums], #128]\n\t"                        \
  WEFT_CODE_OF_SUM("%[x]", "%[m]", "%[e]")                 \
  "strb %[x], [%[y], %[step], lsl #1]\n\t"               \
  "ldr %[x], [%[sums]], #4\n\t"                          \
  WEFT_CODE_OF_SUM("%[x]", "%[m]", "%[e]")                 \
  "strb %[x], [%[y]], #1\n\t"
// clang-format on

// Requantises an even number of outputs of one row. `zero` is twice the zero plus one. Returns
// false if a multiplier is not fast; its codes may then be wrong.
HWY_INLINE bool CodesOfOneRow(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                              int32_t zero, int8_t* y) {
  const int8_t* const end = y + outputs;
  const int32_t *mantissas = factors.mantissas(), *exponents = factors.exponents();
  int32_t all = -1, m, n, e, f, x, w, t;
  __asm__ volatile("1:\n\t"  //
                   WEFT_TWO_CODES
                   "cmp %[y], %[end]\n\t"
                   "bne 1b"
                   : [m] "=&r"(m), [n] "=&r"(n), [e] "=&r"(e), [f] "=&r"(f), [x] "=&r"(x),
                     [w] "=&r"(w), [t] "=&r"(t), [all] "+&r"(all), [sums] "+&r"(sums),
                     [mantissas] "+&r"(mantissas), [exponents] "+&r"(exponents), [y] "+&r"(y)
                   : [zero] "r"(zero), [end] "r"(end)
                   : "cc", "memory");
  return all < 0;
}

// The same for three rows, which share factors; `step` is the distance between their codes.
HWY_INLINE bool CodesOfThreeRows(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                                 int32_t zero, int8_t* y, size_t step) {
  static_assert(kPanelOutputs * sizeof(int32_t) == 64, "distance between rows of sums");
  const int8_t* const end = y + outputs;
  const int32_t *mantissas = factors.mantissas(), *exponents = factors.exponents();
  int32_t all = -1, m, e, x, t;
  __asm__ volatile(
      "1:\n\t"  //
      WEFT_THREE_CODES WEFT_THREE_CODES
      "cmp %[y], %[end]\n\t"
      "bne 1b"
      : [m] "=&r"(m), [e] "=&r"(e), [x] "=&r"(x), [t] "=&r"(t), [all] "+&r"(all),
        [sums] "+&r"(sums), [mantissas] "+&r"(mantissas), [exponents] "+&r"(exponents), [y] "+&r"(y)
      : [zero] "r"(zero), [end] "r"(end), [step] "r"(step)
      : "cc", "memory");
  return all < 0;
}

// Limits `count` codes.
WEFT_PART void LimitCodes(const CodeRange& codes, size_t count, int8_t* y) {
  for (int8_t* const end = y + count; y != end; ++y) {
    const int8_t code = *y;
    *y = code < codes.low ? codes.low : code > codes.high ? codes.high : code;
  }
}

// One row from `first` on, except outputs before `done` that have a fast multiplier.
WEFT_PART void IntegerRest(const int32_t* sums, const FactorsQ8& factors, size_t first, size_t done,
                           size_t outputs, const CodeRange& codes, int8_t* y) {
  for (size_t n = first; n < outputs; ++n) {
    const Multiplier by = {factors.mantissas()[n], factors.exponents()[n]};
    if (n < done && IsFast(by)) continue;
    const int32_t add = factors.first == nullptr ? 0 : factors.first[n];
    y[n] = CodeOfInteger(Rescaled(WrappingAdd(sums[n], add), by), codes);
  }
}

#endif

void IntegerRows(const int32_t* sums, FactorsQ8 factors, size_t rows, size_t outputs,
                 const CodeRange& codes, int8_t* y, const RowSteps& steps) {
#if defined(WEFT_HELIUM_RUNS_ROWS)
  for (;; sums += kPanelOutputs, y += steps.y) {
    IntegerOutputs(sums, factors, outputs, codes, y);
    if (--rows == 0) return;
    factors = After(factors, steps);
  }
#else
  size_t first = 0, done = 0;
  int32_t begun[kPanelOutputs];
  if (factors.first != nullptr && rows == 1 && outputs <= kPanelOutputs) {
    for (size_t i = 0; i < outputs; ++i) begun[i] = WrappingAdd(factors.first[i], sums[i]);
    sums = begun;
    factors.first = nullptr;
  }
  // Rows of their own have exponents of their own.
  const bool share = rows == kRowsQ8 && steps.start == 0;
  if (factors.first == nullptr && outputs >= 2 && (rows == 1 || share)) {
    done = outputs & ~size_t{1};
    const int32_t zero = 2 * codes.zero + 1;
    const bool are_fast = share ? CodesOfThreeRows(sums, factors, done, zero, y, steps.y)
                                : CodesOfOneRow(sums, factors, done, zero, y);
    if (are_fast) first = done;
    if (codes.low != -128 || codes.high != 127) {
      for (size_t r = 0; r < rows; ++r) LimitCodes(codes, done, y + r * steps.y);
    }
    if (first == outputs) return;
  }
  for (;; sums += kPanelOutputs, y += steps.y) {
    IntegerRest(sums, factors, first, done, outputs, codes, y);
    if (--rows == 0) return;
    factors = After(factors, steps);
  }
#endif
}

bool RunIntegerGroups(const DepthwiseQ8Shape& shape, const TapWindow& window,
                      const CodePixels& pixels, const int8_t* weights, const FactorsQ8& factors) {
  return RunGroupsWith<true>(shape, window, pixels, weights, factors);
}

#if !defined(__ARM_FEATURE_MVE)
bool RunIntegerLines(const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
                     const FactorsQ8& factors, int8_t* y) {
  return RunLines(shape, x, weights, factors, y);
}
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
const char weft_variant_integer_codes = 0;
#endif  // HWY_ONCE
