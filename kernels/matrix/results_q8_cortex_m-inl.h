// SPDX-License-Identifier: Apache-2.0
// Requantises the sums of a panel on a Cortex-M. Instructions per output with the DSP extension:
// 10.5, or 12 if results are clamped.

#if defined(WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
#endif

#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/pack.h"
#include "kernels/simd/codes-inl.h"

#if defined(__ARM_FEATURE_MVE)
#include "kernels/simd/codes_helium-inl.h"
#else
#include "kernels/simd/codes_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Distance between adjacent rows: of y, and of the start values. The sums of several rows are those
// of one panel each.
struct RowSteps {
  size_t y, start;
};
HWY_INLINE FactorsQ8 After(FactorsQ8 factors, const RowSteps& steps) {
  if (factors.start != nullptr) factors.start += steps.start;
  return factors;
}

// The codes of rows that are requantised by integers, in firmware whose model has them
// (integer_codes.cc). Results are contiguous; `rows` is at least 1.
__attribute__((weak)) void IntegerRows(const int32_t* sums, FactorsQ8 factors, size_t rows,
                                       size_t outputs, const CodeRange& codes, int8_t* y,
                                       const RowSteps& steps);

// Defaults for a panel without `first` or `start`.
inline constexpr int32_t kNoFirst[kPanelOutputs] = {};
inline constexpr float kNoStart[kPanelOutputs] = {};

#if defined(__ARM_FEATURE_MVE)

// Returns true if the multipliers of `count` outputs, a multiple of four, are 0 or have negative
// exponents.
HWY_INLINE bool ShiftRight(const FactorsQ8& factors, size_t count) {
  int32_t max = -1;
  for (size_t i = 0; i < count; i += 4) max = vmaxvq_s32(max, vldrwq_s32(factors.exponents() + i));
  if (max < 0) return true;
  max = -1;
  for (size_t i = 0; i < count; i += 4) {
    const mve_pred16_t some = vcmpneq_n_s32(vldrwq_s32(factors.mantissas() + i), 0);
    max = vmaxvq_p_s32(max, vldrwq_s32(factors.exponents() + i), some);
  }
  return max < 0;
}

// Four outputs at a time, with the remainder masked. Sums are contiguous.
WEFT_PART void CodesOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                           const CodeBounds& bounds, int8_t* y) {
  const BoundVectors vectors = VectorsOf(bounds);
  const FactorsQ8 of = factors;  // a copy: bytes written to y could alias the original
  for (size_t i = 0; i < outputs; i += 4) {
    const mve_pred16_t some = vctp32q(static_cast<uint32_t>(outputs - i));
    int32x4_t integers = vldrwq_s32(sums + i);
    if (of.first != nullptr) {
      integers = vaddq_s32(integers, vldrwq_z_s32(of.first + i, some));
    }
    float32x4_t v = vmulq_f32(vcvtq_f32_s32(integers), vldrwq_z_f32(of.scales + i, some));
    if (of.start != nullptr) v = vaddq_f32(v, vldrwq_z_f32(of.start + i, some));
    vstrbq_p_s32(y + i, FourCodes(v, vectors), some);
  }
}
HWY_INLINE void CodesOfRows(const int32_t* sums, const FactorsQ8& factors, size_t rows,
                            size_t outputs, const CodeBounds& bounds, int8_t* y,
                            const RowSteps& steps) {
  FactorsQ8 of = factors;
  for (; rows != 0; --rows, sums += kPanelOutputs, y += steps.y, of = After(of, steps)) {
    CodesOfSums(sums, of, outputs, bounds, y);
  }
}

#else

// Returns true for a multiplier that the assembly of integers supports.
HWY_INLINE bool IsFast(const Multiplier& by) { return by.exponent < 0 && by.mantissa >= 1 << 30; }

HWY_INLINE int8_t CodeOf(float v, const CodeBounds& bounds) {
  const auto high = static_cast<int32_t>(bounds.high);
  const int32_t rounded = RoundToEven(v > bounds.low ? v : bounds.low);
  return static_cast<int8_t>((rounded < high ? rounded : high) + bounds.zero);
}

// The minimum quantised value in each byte, and the maximum.
struct FourLimits {
  uint32_t low, high;
};

// Requantises `outputs` outputs, a multiple of four. Start and limits may be null.
HWY_INLINE void CodesOfFours(const int32_t* sums, const float* scales, const float* start,
                             size_t outputs, int32_t zero, const FourLimits* limits, int8_t* y) {
  const int8_t* const end = y + outputs;
  uint32_t a = 0, b, c, d;
  // clang-format off
  __asm__ volatile(
      "vmov s8, s9, %[a], %[a]\n\t"
      "vmov s10, s11, %[a], %[a]\n"
      "1:\n\t"
      "vldmia %[sums]!, {s0-s3}\n\t"
      "vldmia %[scales]!, {s4-s7}\n\t"
      "cbz %[start], 2f\n\t"
      "vldmia %[start]!, {s8-s11}\n"
      "2:\n\t"
      WEFT_SCALE_FOUR
      "vmov %[a], %[b], s0, s1\n\t"
      "vmov %[c], %[d], s2, s3\n\t"
      WEFT_JOIN_FOUR("%[a]", "%[b]", "%[c]", "%[d]", "%[zero]")
      "cbz %[limits], 3f\n\t"
      "ldrd %[b], %[c], [%[limits]]\n\t"
      WEFT_LIMIT_FOUR("%[a]", "%[b]", "%[c]", "%[d]")
      "3:\n\t"
      "str %[a], [%[y]], #4\n\t"
      "cmp %[y], %[end]\n\t"
      "bne 1b"
      : [a] "+r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [sums] "+r"(sums),
        [scales] "+r"(scales), [start] "+l"(start), [y] "+r"(y)
      : [limits] "l"(limits), [zero] "r"(zero), [end] "r"(end)
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11");
  // clang-format on
}

// Requantises the outputs from `done` on, one at a time.
WEFT_PART void CodesOfRest(const int32_t* sums, const FactorsQ8& factors, size_t done,
                           size_t outputs, const CodeBounds& bounds, int8_t* y) {
  for (; done < outputs; ++done) {
    auto sum = static_cast<uint32_t>(sums[done]);
    if (factors.first != nullptr) sum += static_cast<uint32_t>(factors.first[done]);
    const float scaled = static_cast<float>(static_cast<int32_t>(sum)) * factors.scales[done];
    y[done] = CodeOf(scaled + (factors.start == nullptr ? 0.0f : factors.start[done]), bounds);
  }
}

// `rows` is at least 1.
WEFT_PART void CodesOfRows(const int32_t* sums, const FactorsQ8& factors, size_t rows,
                           size_t outputs, const CodeBounds& bounds, int8_t* y,
                           const RowSteps& steps) {
  size_t done = 0;
  if (factors.first == nullptr && outputs >= 4) {
    const auto low = static_cast<int8_t>(static_cast<int32_t>(bounds.low) + bounds.zero);
    const auto high = static_cast<int8_t>(static_cast<int32_t>(bounds.high) + bounds.zero);
    const FourLimits four = {FourOf(low), FourOf(high)};
    const FourLimits* const limits = low == -128 && high == 127 ? nullptr : &four;
    const size_t start_step = factors.start == nullptr ? 0 : steps.start;
    const float* start = factors.start;
    const int32_t* from = sums;
    int8_t* to = y;
    done = outputs / 4 * 4;
    ForgetInvalid();
    for (size_t r = rows; r != 0; --r, from += kPanelOutputs, start += start_step, to += steps.y) {
      CodesOfFours(from, factors.scales, start, done, bounds.zero, limits, to);
    }
    if (WasInvalid()) done = 0;
    if (done == outputs) return;
  }
  for (FactorsQ8 of = factors;; sums += kPanelOutputs, y += steps.y) {
    CodesOfRest(sums, of, done, outputs, bounds, y);
    if (--rows == 0) return;
    if (of.start != nullptr) of.start += steps.start;
  }
}
HWY_INLINE void CodesOfSums(const int32_t* sums, const FactorsQ8& factors, size_t outputs,
                            const CodeBounds& bounds, int8_t* y) {
  CodesOfRows(sums, factors, 1, outputs, bounds, y, {0, 0});
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_RESULTS_Q8_CORTEX_M_INL_H_
