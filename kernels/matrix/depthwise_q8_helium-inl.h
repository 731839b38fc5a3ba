// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantised values with Helium: 16 or 8 channels of a run of pixels.
// Included only by depthwise_q8_cortex_m-inl.h.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_HELIUM_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_HELIUM_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_HELIUM_INL_H_
#endif

#include <cstddef>

#include "kernels/matrix/results_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kMaxDoubledTaps = 9;

// Sums of eight channels, even and odd ones separately; or of every second of 16 channels.
struct EightSums {
  int32x4_t even, odd;
};
HWY_INLINE void AddProducts(int16x8_t products, EightSums& sums) {
  sums.even = vaddq_s32(sums.even, vmovlbq_s16(products));
  sums.odd = vaddq_s32(sums.odd, vmovltq_s16(products));
}

// Calls add(weights) for each tap outside the input.
template <typename Add>
HWY_INLINE void ForOutside(const TapWindow& window, const int8_t* weights, const Add& add) {
  const size_t line = window.width * window.channels;
  const int8_t* const end = weights + window.height * line;
  const int8_t* inside = weights + window.First();
  for (uint32_t row = window.HasTaps() ? window.ky.count() : 0;; --row, inside += line) {
    for (const int8_t* const next = row == 0 ? end : inside; weights != next;) {
      add(weights);
      weights += window.channels;
    }
    if (row == 0) return;
    weights += window.kx.count() * window.channels;
  }
}

// A row of pixels and the factors of its requantisation. Of 16 channels, those of each remainder of
// a division by four are adjacent: 0, 2, 1, 3. Of eight channels, the even ones come first. The
// assembly depends on the offsets of the fields.
struct PixelRun {
  int32_t begins[16];
  float scales[16], start[16];
  float low[4], high[4];  // or the bits of 8-bit codes for 16 channels, of 16-bit codes for eight
  const int8_t* weights;
  // Rows of taps: of three taps whose first two weights are not both -128, for 16 channels; others.
  uint32_t triples, rows;
  uint32_t width;
  size_t x_column, w_column, x_gap, w_gap;  // gap: from the last tap of a row to the next row
  int32_t zero;
  uint32_t columns;
  size_t x_step, y_step;
};
static_assert(offsetof(PixelRun, weights) == 224 && sizeof(PixelRun) == 272, "no gaps");

template <size_t kChannels>
HWY_INLINE void KeepFloats(const float* from, float* to) {
  if constexpr (kChannels == 16) {
    const float32x4x4_t all = vld4q_f32(from);
    vstrwq_f32(to, all.val[0]);
    vstrwq_f32(to + 4, all.val[2]);
    vstrwq_f32(to + 8, all.val[1]);
    vstrwq_f32(to + 12, all.val[3]);
  } else {
    const float32x4x2_t both = vld2q_f32(from);
    vstrwq_f32(to, both.val[0]);
    vstrwq_f32(to + 4, both.val[1]);
  }
}

// Sums begin with the contribution of the taps outside the input, whose values are all x_zero.
template <size_t kChannels>
HWY_NOINLINE void BeginRun(const TapWindow& window, const int8_t* weights, int8_t x_zero,
                           const FactorsQ8& factors, PixelRun& run) {
  EightSums sums, more = {};
  if constexpr (kChannels == 16) {
    const int32x4x4_t first = vld4q_s32(factors.first);
    sums = {first.val[0], first.val[2]};
    more = {first.val[1], first.val[3]};
  } else {
    const int32x4x2_t first = vld2q_s32(factors.first);
    sums = {first.val[0], first.val[1]};
  }
  if (x_zero != 0 && !window.IsInside()) {
    ForOutside(window, weights, [&](const int8_t* w) {
      if constexpr (kChannels == 16) {
        const int8x16_t by = vldrbq_s8(w), zero = vdupq_n_s8(x_zero);
        AddProducts(vmullbq_int_s8(by, zero), sums);
        AddProducts(vmulltq_int_s8(by, zero), more);
      } else {
        AddProducts(vmulq_n_s16(vldrbq_s16(w), x_zero), sums);
      }
    });
  }
  vstrwq_s32(run.begins, sums.even);
  vstrwq_s32(run.begins + 4, sums.odd);
  if constexpr (kChannels == 16) {
    vstrwq_s32(run.begins + 8, more.even);
    vstrwq_s32(run.begins + 12, more.odd);
  }
  KeepFloats<kChannels>(factors.scales, run.scales);
  KeepFloats<kChannels>(factors.start, run.start);
}

// clang-format off
// One tap of eight channels.
#undef WEFT_ADD_EIGHT
#define WEFT_ADD_EIGHT                        \
  "vldrb.s16 q4, [r0]\n\t"                   \
  "add r0, r3\n\t"                           \
  "vldrb.s16 q5, [r1]\n\t"                   \
  "add r1, r4\n\t"                           \
  "vmullb.s16 q6, q4, q5\n\t"                \
  "vmullt.s16 q7, q4, q5\n\t"                \
  "vadd.i32 q0, q0, q6\n\t"                  \
  "vadd.i32 q1, q1, q7\n\t"
// Adds the products of 16 bits in q4 (even channels) and q6 (odd ones).
#undef WEFT_ADD_SIXTEEN
#define WEFT_ADD_SIXTEEN \
  "vmovlb.s16 q5, q4\n\t"        \
  "vadd.i32 q0, q0, q5\n\t"      \
  "vmovlt.s16 q4, q4\n\t"        \
  "vadd.i32 q1, q1, q4\n\t"      \
  "vmovlb.s16 q5, q6\n\t"        \
  "vadd.i32 q2, q2, q5\n\t"      \
  "vmovlt.s16 q6, q6\n\t"        \
  "vadd.i32 q3, q3, q6\n\t"
// One tap of 16 channels.
#undef WEFT_TAP
#define WEFT_TAP \
  "vldrb.u8 q6, [r0]\n\t"        \
  "add r0, r3\n\t"               \
  "vldrb.u8 q7, [r1]\n\t"        \
  "add r1, r4\n\t"               \
  "vmullb.s8 q4, q6, q7\n\t"     \
  "vmullt.s8 q6, q6, q7\n\t" \
  WEFT_ADD_SIXTEEN
// A row of three taps of 16 channels. The products of the first two are added in 16 bits. Loads and
// products are between sums, because a core executes half of each at the same time: 52 cycles by
// llvm-mca, instead of 60 with sums of 32 bits for each tap.
#undef WEFT_TRIPLE
#define WEFT_TRIPLE \
  "vldrb.u8 q6, [r0]\n\t"        \
  "add r0, r3\n\t"               \
  "vldrb.u8 q7, [r1]\n\t"        \
  "add r1, r4\n\t"               \
  "vmullb.s8 q4, q6, q7\n\t"     \
  "vmullt.s8 q5, q6, q7\n\t"     \
  "vldrb.u8 q7, [r1]\n\t"        \
  "add r1, r4\n\t"               \
  "vldrb.u8 q6, [r0]\n\t"        \
  "vmullb.s8 q6, q6, q7\n\t"     \
  "vadd.i16 q4, q4, q6\n\t"      \
  "vldrb.u8 q6, [r0]\n\t"        \
  "vmullt.s8 q6, q6, q7\n\t"     \
  "add r0, r3\n\t"               \
  "vldrb.u8 q7, [r0]\n\t"        \
  "vadd.i16 q5, q5, q6\n\t"      \
  "vmovlb.s16 q6, q4\n\t"        \
  "vmovlt.s16 q4, q4\n\t"        \
  "vadd.i32 q0, q0, q6\n\t"      \
  "vldrb.u8 q6, [r1]\n\t"        \
  "vadd.i32 q1, q1, q4\n\t"      \
  "vmullb.s8 q4, q6, q7\n\t"     \
  "add r0, r5\n\t"               \
  "vmullt.s8 q6, q6, q7\n\t"     \
  "vmovlb.s16 q7, q5\n\t"        \
  "add r1, r6\n\t"               \
  "vmovlt.s16 q5, q5\n\t"        \
  "vadd.i32 q2, q2, q7\n\t"      \
  "vadd.i32 q3, q3, q5\n\t" \
  WEFT_ADD_SIXTEEN
// Converts four sums to quantised 32-bit values, clamped between q4 and q5 if they are floats.
// scales and start are the offsets of the factors from r10.
#undef WEFT_FOUR_WORDS
#define WEFT_FOUR_WORDS(sums, scales, start)  \
  "vcvt.f32.s32 " sums ", " sums "\n\t"       \
  "vldrw.u32 q6, [r10, #" scales "]\n\t"     \
  "vmul.f32 " sums ", " sums ", q6\n\t"      \
  "vldrw.u32 q7, [r10, #" start "]\n\t"      \
  "vadd.f32 " sums ", " sums ", q7\n\t"      \
  "vmaxnm.f32 " sums ", " sums ", q4\n\t"    \
  "vminnm.f32 " sums ", " sums ", q5\n\t"    \
  "vcvtn.s32.f32 " sums ", " sums "\n\t"
// The same by integers (requantise.h): scales are mantissas and start exponents. Halves are rounded
// up by VRSHL, so negative numbers are lowered by one first. All exponents are negative, or may
// have any sign. Numbers are negative where the sign of `signs` is set. If no code is below the
// zero, the rounding of negative numbers has no effect.
#undef WEFT_SHIFT
#define WEFT_SHIFT(sums, signs)                  \
  "vshr.s32 q6, " signs ", #31\n\t"            \
  "vqadd.s32 " sums ", " sums ", q6\n\t"       \
  "vrshl.s32 " sums ", " sums ", q7\n\t"
#undef WEFT_FOUR_FRACTIONS
#define WEFT_FOUR_FRACTIONS(sums, scales, start) \
  "vldrw.u32 q6, [r10, #" scales "]\n\t"       \
  "vqrdmulh.s32 " sums ", " sums ", q6\n\t"    \
  "vldrw.u32 q7, [r10, #" start "]\n\t"        \
  WEFT_SHIFT(sums, sums)
#undef WEFT_FOUR_RECTIFIED
#define WEFT_FOUR_RECTIFIED(sums, scales, start) \
  "vldrw.u32 q6, [r10, #" scales "]\n\t"       \
  "vqrdmulh.s32 " sums ", " sums ", q6\n\t"    \
  "vldrw.u32 q7, [r10, #" start "]\n\t"        \
  "vrshl.s32 " sums ", " sums ", q7\n\t"
#undef WEFT_FOUR_INTEGERS
#define WEFT_FOUR_INTEGERS(sums, scales, start)  \
  "vldrw.u32 q7, [r10, #" start "]\n\t"        \
  "vmov.i32 q6, #0\n\t"                        \
  "vmax.s32 q6, q6, q7\n\t"                    \
  "vshl.s32 " sums ", " sums ", q6\n\t"        \
  "vldrw.u32 q6, [r10, #" scales "]\n\t"       \
  "vqrdmulh.s32 " sums ", " sums ", q6\n\t"    \
  "vmov.i32 q6, #0\n\t"                        \
  "vmin.s32 q7, q7, q6\n\t"                    \
  "vand q6, " sums ", q7\n\t"                  \
  WEFT_SHIFT(sums, "q6")
// A loop over the pixels of a run. r3-r6: distances between taps, r8: zero, r9: pixels left.
#undef WEFT_BEGIN_PIXEL
#define WEFT_BEGIN_PIXEL                      \
  "add r2, r10, #240\n\t"                    \
  "ldmia r2, {r3-r6, r8-r9}\n"               \
  "1:\n\t"                                   \
  "ldrd r1, r2, [r10, #224]\n\t"             \
  "mov r0, r11\n\t"                          \
  "vldrw.u32 q0, [r10]\n\t"                  \
  "vldrw.u32 q1, [r10, #16]\n\t"
#undef WEFT_ROWS_OF_TAPS
#define WEFT_ROWS_OF_TAPS(tap, end)           \
  "ldr r2, [r10, #232]\n\t"                  \
  "cmp r2, #0\n\t"                           \
  "beq " end "\n"                             \
  "3:\n\t"                                   \
  "ldr lr, [r10, #236]\n"                    \
  "4:\n\t"                                   \
  tap                                         \
  "le lr, 4b\n\t"                            \
  "add r0, r5\n\t"                           \
  "add r1, r6\n\t"                           \
  "subs r2, #1\n\t"                          \
  "bne 3b\n\t"
#undef WEFT_LOAD_BOUNDS
#define WEFT_LOAD_BOUNDS                      \
  "vldrw.u32 q4, [r10, #192]\n\t"            \
  "vldrw.u32 q5, [r10, #208]\n\t"
#undef WEFT_NEXT_PIXEL
#define WEFT_NEXT_PIXEL                       \
  "ldrd r2, r0, [r10, #264]\n\t"             \
  "add r11, r2\n\t"                          \
  "add r12, r0\n\t"                          \
  "subs r9, #1\n\t"                          \
  "bne 1b\n\t"
#undef WEFT_RUN_ASM
#define WEFT_RUN_ASM(code)                    \
  __asm__ volatile(code                       \
      : "+r"(at), "+r"(from), "+r"(to)        \
      :                                       \
      : "cc", "memory", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "lr", "q0", "q1",  \
        "q2", "q3", "q4", "q5", "q6", "q7")
// Join results to codes and write them: words between the bounds, and integers.
#undef WEFT_SIXTEEN_WORDS
#define WEFT_SIXTEEN_WORDS                    \
  "vmovnt.i32 q0, q1\n\t"                    \
  "vmovnt.i32 q2, q3\n\t"                    \
  "vadd.i16 q0, q0, r8\n\t"                  \
  "vadd.i16 q2, q2, r8\n\t"                  \
  "vmovnt.i16 q0, q2\n\t"                    \
  "vstrb.8 q0, [r12]\n\t"
#undef WEFT_SIXTEEN_INTEGERS
#define WEFT_SIXTEEN_INTEGERS                 \
  "vqmovnb.s32 q0, q0\n\t"                   \
  "vqmovnt.s32 q0, q1\n\t"                   \
  "vqmovnb.s32 q2, q2\n\t"                   \
  "vqmovnt.s32 q2, q3\n\t"                   \
  "vqadd.s16 q0, q0, r8\n\t"                 \
  "vqadd.s16 q2, q2, r8\n\t"                 \
  "vqmovnb.s16 q0, q0\n\t"                   \
  "vqmovnt.s16 q0, q2\n\t"                   \
  "vmax.s8 q0, q0, q4\n\t"                   \
  "vmin.s8 q0, q0, q5\n\t"                   \
  "vstrb.8 q0, [r12]\n\t"
#undef WEFT_EIGHT_WORDS
#define WEFT_EIGHT_WORDS                      \
  "vmovnt.i32 q0, q1\n\t"                    \
  "vadd.i16 q0, q0, r8\n\t"                  \
  "mov r0, r12\n\t"                          \
  "vstrb.16 q0, [r0]\n\t"
#undef WEFT_EIGHT_OF_INTEGERS
#define WEFT_EIGHT_OF_INTEGERS                \
  "vqmovnb.s32 q0, q0\n\t"                   \
  "vqmovnt.s32 q0, q1\n\t"                   \
  "vqadd.s16 q0, q0, r8\n\t"                 \
  "vmax.s16 q0, q0, q4\n\t"                  \
  "vmin.s16 q0, q0, q5\n\t"                  \
  "mov r0, r12\n\t"                          \
  "vstrb.16 q0, [r0]\n\t"
#undef WEFT_RUN_SIXTEEN
#define WEFT_RUN_SIXTEEN(four, codes)                                     \
  WEFT_RUN_ASM(                                                           \
      WEFT_BEGIN_PIXEL                                                    \
      "vldrw.u32 q2, [r10, #32]\n\t"                                     \
      "vldrw.u32 q3, [r10, #48]\n\t"                                     \
      "wls lr, r2, 6f\n"                                                  \
      "2:\n\t"                                                           \
      WEFT_TRIPLE                                                         \
      "le lr, 2b\n"                                                       \
      "5:\n\t"                                                           \
      WEFT_LOAD_BOUNDS                                                    \
      four("q0", "64", "128") four("q1", "80", "144")                     \
      four("q2", "96", "160") four("q3", "112", "176")                    \
      codes                                                               \
      WEFT_NEXT_PIXEL                                                     \
      "b 7f\n"                                                            \
      "6:\n\t"                                                           \
      WEFT_ROWS_OF_TAPS(WEFT_TAP, "5b")                                   \
      "b 5b\n"                                                            \
      "7:")
#undef WEFT_RUN_EIGHT
#define WEFT_RUN_EIGHT(four, codes)                                       \
  WEFT_RUN_ASM(                                                           \
      WEFT_BEGIN_PIXEL                                                    \
      WEFT_ROWS_OF_TAPS(WEFT_ADD_EIGHT, "5f")                             \
      "5:\n\t"                                                           \
      WEFT_LOAD_BOUNDS                                                    \
      four("q0", "64", "128") four("q1", "80", "144")                     \
      codes                                                               \
      WEFT_NEXT_PIXEL)
// clang-format on

// Results by floats, or by integers: with negative exponents, also without codes below the zero, or
// with exponents of any sign.
enum class RunResults : uint8_t { kFloats, kFractions, kRectified, kIntegers };

template <size_t kChannels, RunResults results>
HWY_NOINLINE void CodesOfRun(PixelRun& run, const int8_t* x, int8_t* y) {
  register PixelRun* at __asm__("r10") = &run;
  register const int8_t* from __asm__("r11") = x;
  register int8_t* to __asm__("r12") = y;
  if constexpr (kChannels == 8 && results == RunResults::kFloats) {
    WEFT_RUN_EIGHT(WEFT_FOUR_WORDS, WEFT_EIGHT_WORDS);
  } else if constexpr (kChannels == 8) {
    WEFT_RUN_EIGHT(WEFT_FOUR_INTEGERS, WEFT_EIGHT_OF_INTEGERS);
  } else if constexpr (results == RunResults::kFloats) {
    WEFT_RUN_SIXTEEN(WEFT_FOUR_WORDS, WEFT_SIXTEEN_WORDS);
  } else if constexpr (results == RunResults::kFractions) {
    WEFT_RUN_SIXTEEN(WEFT_FOUR_FRACTIONS, WEFT_SIXTEEN_INTEGERS);
  } else {
    WEFT_RUN_SIXTEEN(WEFT_FOUR_RECTIFIED, WEFT_SIXTEEN_INTEGERS);
  }
}

// The bits of a bound in PixelRun.
template <size_t kChannels, bool kByIntegers>
HWY_INLINE void KeepBound(int32_t code, int32_t zero, float* to) {
  if constexpr (!kByIntegers) {
    vstrwq_f32(to, vcvtq_f32_s32(vdupq_n_s32(code - zero)));
  } else if constexpr (kChannels == 16) {
    vstrwq_f32(to, vreinterpretq_f32_s8(vdupq_n_s8(static_cast<int8_t>(code))));
  } else {
    vstrwq_f32(to, vreinterpretq_f32_s16(vdupq_n_s16(static_cast<int16_t>(code))));
  }
}

// Returns true if rows of taps inside are triples, and no first two weights of a row are both -128,
// so that two products fit in 16 bits.
HWY_INLINE bool HasTriples(const TapWindow& window, const int8_t* weights) {
  if (window.kx.count() != 3) return false;
  int8x16_t most = vdupq_n_s8(127);
  for (uint32_t row = window.ky.count(); row != 0; --row) {
    const int8x16_t first = vldrbq_s8(weights), second = vldrbq_s8(weights + window.channels);
    most = vminq_s8(most, vmaxq_s8(first, second));
    weights += window.width * window.channels;
  }
  return vminvq_s8(127, most) != -128;
}

template <size_t kChannels>
HWY_INLINE void SetTaps(const TapWindow& window, const int8_t* weights, PixelRun& run) {
  const bool has_taps = window.HasTaps();
  run.weights = has_taps ? weights + window.First() : weights;
  run.rows = has_taps ? window.ky.count() : 0;
  run.triples = 0;
  run.width = window.kx.count();
  run.x_column = window.x_column;
  run.w_column = window.channels;
  run.x_gap = window.x_row - run.width * window.x_column;
  run.w_gap = (window.width - run.width) * window.channels;
  if (kChannels == 16 && has_taps && HasTriples(window, run.weights)) {
    run.triples = run.rows;
    run.x_gap += run.x_column;
    run.w_gap += run.w_column;
  }
}

// Eight channels of two adjacent pixels as 16 channels. Returns the factors in `run`.
HWY_INLINE FactorsQ8 DoubleFactors(const FactorsQ8& factors, PixelRun& run) {
  for (size_t i = 0; i < 16; i += 4) {
    vstrwq_s32(run.begins + i, vldrwq_s32(factors.first + i % 8));
    vstrwq_f32(run.scales + i, vldrwq_f32(factors.scales + i % 8));
    vstrwq_f32(run.start + i, vldrwq_f32(factors.start + i % 8));
  }
  return {run.scales, run.begins, run.start};
}
HWY_INLINE const int8_t* DoubleWeights(const TapWindow& window, const int8_t* weights,
                                       int8_t* doubled) {
  for (size_t i = 0; i < size_t{window.height} * window.width * 16; i += 16) {
    const int16x8_t eight = vldrbq_s16(weights + i);
    vstrbq_s16(doubled + i, eight);
    vstrbq_s16(doubled + i + 8, eight);
  }
  return doubled;
}

// Computes kChannels channels: 8, 16, or 2 * 8, as above. Exponents are negative unless kChannels
// is 8; those of mantissas of 0 may have any value.
template <size_t kChannels, bool kByIntegers>
HWY_NOINLINE void GroupOfPixels(const TapWindow& window, const CodePixels& at,
                                const int8_t* weights, int8_t x_zero, FactorsQ8 factors,
                                const CodeRange& codes) {
  PixelRun run;
  int8_t doubled[kChannels == 16 ? kMaxDoubledTaps * 16 : 1];
  const bool are_doubled = kChannels == 16 && at.are_doubled;
  if (are_doubled) {
    factors = DoubleFactors(factors, run);
    weights = DoubleWeights(window, weights, doubled);
  }
  BeginRun<kChannels>(window, weights, x_zero, factors, run);
  KeepBound<kChannels, kByIntegers>(codes.low, codes.zero, run.low);
  KeepBound<kChannels, kByIntegers>(codes.high, codes.zero, run.high);
  SetTaps<kChannels>(window, weights, run);
  run.zero = codes.zero;
  run.x_step = at.x_steps.column << are_doubled;
  run.y_step = at.y_steps.column << are_doubled;
  constexpr auto kResults = !kByIntegers      ? RunResults::kFloats
                            : kChannels == 16 ? RunResults::kFractions
                                              : RunResults::kIntegers;
  auto codes_of_run = CodesOfRun<kChannels, kResults>;
  if constexpr (kByIntegers && kChannels == 16) {
    if (codes.low >= codes.zero) codes_of_run = CodesOfRun<kChannels, RunResults::kRectified>;
  }
  const int8_t* x = at.x;
  int8_t* y = at.y;
  for (uint32_t row = at.rows; row != 0; --row, x += at.x_steps.row, y += at.y_steps.row) {
    run.columns = at.columns >> are_doubled;
    codes_of_run(run, x, y);
    if (!are_doubled || at.columns % 2 == 0) continue;
    run.columns = 1;  // of the last two pixels
    codes_of_run(run, x + (at.columns - 2) * 8, y + (at.columns - 2) * 8);
  }
}

// Computes a rectangle. Returns false if it has too few channels. The last group is moved back to
// end with the last channel and recomputes some results; y does not overlap x.
template <bool kByIntegers>
HWY_INLINE bool RunGroupsWith(const DepthwiseQ8Shape& shape, const TapWindow& window,
                              CodePixels pixels, const int8_t* weights, const FactorsQ8& factors) {
  const size_t channels = shape.channels;
  if (channels < 8) return false;
  PutLongSideInRows(pixels);
  const bool can_double = channels == 8 && pixels.columns > 1 && pixels.x_steps.column == 8 &&
                          pixels.y_steps.column == 8 &&
                          size_t{window.height} * window.width <= kMaxDoubledTaps;
  const size_t wide = can_double ? 8 : 16;
  size_t before = 0;
  for (size_t next = 0; next < channels;) {
    const auto from = [&](size_t count) {
      return next + count > channels ? channels - count : next;
    };
    const bool is_wide =
        channels >= wide && (!kByIntegers || ShiftRight(After(factors, from(wide)), wide));
    const size_t count = is_wide ? wide : 8, channel = from(count);
    FactorsQ8 of = After(factors, channel);
    if (of.first == nullptr) of.first = kNoFirst;
    if (of.start == nullptr) of.start = kNoStart;
    if (window.HasTaps()) pixels.x += channel - before;
    pixels.y += channel - before;
    pixels.are_doubled = is_wide && can_double;
    const auto group = is_wide ? GroupOfPixels<16, kByIntegers> : GroupOfPixels<8, kByIntegers>;
    group(window, pixels, weights + channel, shape.x_zero, of, shape.results.codes);
    before = channel;
    next = channel + count;
  }
  return true;
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_HELIUM_INL_H_
