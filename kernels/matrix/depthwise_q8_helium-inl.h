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

inline constexpr size_t kGroup = 16, kMinGroup = 8, kMaxGroupTaps = 0xFFFFFFFFu;

using GroupTaps = TapWindow;

// Sums of eight channels, even and odd channels separately.
struct EightSums {
  int32x4_t even, odd;
};
HWY_INLINE void AddEight(int16x8_t codes, const int8_t* weights, EightSums& sums) {
  const int16x8_t by = vldrbq_s16(weights);
  sums.even = vaddq_s32(sums.even, vmullbq_int_s16(codes, by));
  sums.odd = vaddq_s32(sums.odd, vmulltq_int_s16(codes, by));
}

// Calls add(weights) for each tap outside the input.
template <typename Add>
HWY_INLINE void ForOutside(const TapWindow& window, const int8_t* weights, const Add& add) {
  const uint32_t width = window.width;
  for (uint32_t ky = 0; ky < window.height; ++ky, weights += width * window.channels) {
    const bool has_inside = ky - window.ky.first < window.ky.count() && window.kx.count() != 0;
    const uint32_t first = has_inside ? window.kx.first : width;
    const uint32_t end = has_inside ? window.kx.end : width;
    for (uint32_t kx = first == 0 ? end : 0; kx < width;) {
      add(weights + kx * window.channels);
      if (++kx == first) kx = end;
    }
  }
}

// A row of pixels and the factors of its requantisation. Within eight channels, the even ones come
// first, then the odd ones. The assembly depends on the offsets of the fields.
struct PixelRun {
  int32_t begins[16];
  float scales[16], start[16];
  float low[4], high[4];
  const int8_t* weights;
  uint32_t height, width;
  size_t x_column, w_column, x_gap, w_gap;  // gap: from the end of a row of taps to the next row
  int32_t zero;
  size_t x_step, y_step;
  uint32_t columns;
};
static_assert(offsetof(PixelRun, weights) == 224 && sizeof(PixelRun) == 268, "no gaps");

HWY_INLINE void KeepFloats(const float* from, float* to) {
  const float32x4x2_t both = vld2q_f32(from);
  vstrwq_f32(to, both.val[0]);
  vstrwq_f32(to + 4, both.val[1]);
}

// Sums begin with the contribution of the taps outside the input, whose values are all x_zero.
template <size_t kChannels>
HWY_NOINLINE void BeginRun(const TapWindow& window, const int8_t* weights, int8_t x_zero,
                           const FactorsQ8& factors, PixelRun& run) {
  const int32x4x2_t first = vld2q_s32(factors.first);
  const int32x4x2_t further = vld2q_s32(factors.first + kChannels - 8);
  EightSums sums = {first.val[0], first.val[1]}, more = {further.val[0], further.val[1]};
  if (x_zero != 0 && !window.IsInside()) {
    const int16x8_t zero = vdupq_n_s16(x_zero);
    ForOutside(window, weights, [&](const int8_t* w) {
      AddEight(zero, w, sums);
      if constexpr (kChannels == 16) AddEight(zero, w + 8, more);
    });
  }
  vstrwq_s32(run.begins, sums.even);
  vstrwq_s32(run.begins + 4, sums.odd);
  KeepFloats(factors.scales, run.scales);
  KeepFloats(factors.start, run.start);
  if constexpr (kChannels == 16) {
    vstrwq_s32(run.begins + 8, more.even);
    vstrwq_s32(run.begins + 12, more.odd);
    KeepFloats(factors.scales + 8, run.scales + 8);
    KeepFloats(factors.start + 8, run.start + 8);
  }
}

// clang-format off
// One tap of eight channels, with the registers of the even and odd sums.
#undef WEFT_ADD_EIGHT
#define WEFT_ADD_EIGHT(offset, even, odd)   \
  "vldrb.s16 q4, [r0" offset "]\n\t"        \
  "vldrb.s16 q5, [r1" offset "]\n\t"        \
  "vmullb.s16 q6, q4, q5\n\t"              \
  "vmullt.s16 q7, q4, q5\n\t"              \
  "vadd.i32 " even ", " even ", q6\n\t"    \
  "vadd.i32 " odd ", " odd ", q7\n\t"
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
// have any sign. Numbers are negative where the sign of `signs` is set.
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
#undef WEFT_RUN_PIXELS
#define WEFT_RUN_PIXELS(begin, taps, codes)   \
  __asm__ volatile(                            \
      "add r2, r10, #236\n\t"                 \
      "ldmia r2, {r3-r6}\n\t"                 \
      "ldr r8, [r10, #232]\n"                 \
      "1:\n\t"                                \
      "ldrd r1, r2, [r10, #224]\n\t"          \
      "mov r0, r11\n\t"                       \
      begin                                    \
      "cbz r2, 4f\n"                          \
      "2:\n\t"                                \
      "dls lr, r8\n"                          \
      "3:\n\t"                                \
      taps                                     \
      "add r0, r3\n\t"                        \
      "add r1, r4\n\t"                        \
      "le lr, 3b\n\t"                         \
      "add r0, r5\n\t"                        \
      "add r1, r6\n\t"                        \
      "subs r2, #1\n\t"                       \
      "bne 2b\n"                              \
      "4:\n\t"                                \
      "vldrw.u32 q4, [r10, #192]\n\t"         \
      "vldrw.u32 q5, [r10, #208]\n\t"         \
      "ldrd r2, r0, [r10, #252]\n\t"          \
      "ldrd lr, r9, [r10, #260]\n\t"          \
      "mov r1, r12\n\t"                       \
      codes                                   \
      "add r11, r0\n\t"                       \
      "add r12, lr\n\t"                       \
      "subs r9, r9, #1\n\t"                   \
      "str r9, [r10, #264]\n\t"               \
      "bne 1b"                                 \
      : "+r"(at), "+r"(from), "+r"(to)         \
      :                                        \
      : "cc", "memory", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "lr", "q0", "q1",  \
        "q2", "q3", "q4", "q5", "q6", "q7")
// clang-format on

// clang-format off
// Joins words to 16-bit values and adds the zero in r2. Integers are then clamped between q4 and
// q5.
#undef WEFT_JOIN_WORDS
#define WEFT_JOIN_WORDS(even, odd)              \
  "vmovnt.i32 " even ", " odd "\n\t"           \
  "vadd.i16 " even ", " even ", r2\n\t"
#undef WEFT_JOIN_INTEGERS
#define WEFT_JOIN_INTEGERS(even, odd)           \
  "vqmovnb.s32 " even ", " even "\n\t"         \
  "vqmovnt.s32 " even ", " odd "\n\t"          \
  "vqadd.s16 " even ", " even ", r2\n\t"       \
  "vmax.s16 " even ", " even ", q4\n\t"        \
  "vmin.s16 " even ", " even ", q5\n\t"
// The codes of eight channels, written to r1 + offset.
#undef WEFT_EIGHT_OF_RUN
#define WEFT_EIGHT_OF_RUN(words, join, even, odd, even_scales, even_start, odd_scales, odd_start, \
                          offset)                                         \
  words(even, even_scales, even_start) words(odd, odd_scales, odd_start)  \
  join(even, odd)                                                         \
  "vstrb.16 " even ", [r1" offset "]\n\t"
#undef WEFT_RUN_SIXTEEN
#define WEFT_RUN_SIXTEEN(words, join)                                      \
  WEFT_RUN_PIXELS("vldrw.u32 q0, [r10]\n\t"                               \
                  "vldrw.u32 q1, [r10, #16]\n\t"                          \
                  "vldrw.u32 q2, [r10, #32]\n\t"                          \
                  "vldrw.u32 q3, [r10, #48]\n\t",                         \
                  WEFT_ADD_EIGHT("", "q0", "q1") WEFT_ADD_EIGHT(", #8", "q2", "q3"), \
                  WEFT_EIGHT_OF_RUN(words, join, "q0", "q1", "64", "128", "80", "144", "")  \
                  WEFT_EIGHT_OF_RUN(words, join, "q2", "q3", "96", "160", "112", "176", ", #8"))
#undef WEFT_RUN_EIGHT
#define WEFT_RUN_EIGHT(words, join)                                        \
  WEFT_RUN_PIXELS("vldrw.u32 q0, [r10]\n\t"                               \
                  "vldrw.u32 q1, [r10, #16]\n\t",                         \
                  WEFT_ADD_EIGHT("", "q0", "q1"),                          \
                  WEFT_EIGHT_OF_RUN(words, join, "q0", "q1", "64", "128", "80", "144", ""))
// clang-format on

// Results by floats, or by integers with negative exponents or with exponents of any sign.
enum class RunResults : uint8_t { kFloats, kFractions, kIntegers };

template <size_t kChannels, RunResults results>
HWY_NOINLINE void CodesOfRun(PixelRun& run, const int8_t* x, int8_t* y) {
  register PixelRun* at __asm__("r10") = &run;
  register const int8_t* from __asm__("r11") = x;
  register int8_t* to __asm__("r12") = y;
  constexpr bool kAreFloats = results == RunResults::kFloats;
  constexpr bool kAreFractions = results == RunResults::kFractions;
  if constexpr (kChannels == 16 && kAreFloats) WEFT_RUN_SIXTEEN(WEFT_FOUR_WORDS, WEFT_JOIN_WORDS);
  if constexpr (kChannels == 16 && kAreFractions) {
    WEFT_RUN_SIXTEEN(WEFT_FOUR_FRACTIONS, WEFT_JOIN_INTEGERS);
  }
  if constexpr (kChannels == 16 && results == RunResults::kIntegers) {
    WEFT_RUN_SIXTEEN(WEFT_FOUR_INTEGERS, WEFT_JOIN_INTEGERS);
  }
  if constexpr (kChannels == 8 && kAreFloats) WEFT_RUN_EIGHT(WEFT_FOUR_WORDS, WEFT_JOIN_WORDS);
  if constexpr (kChannels == 8 && kAreFractions) {
    WEFT_RUN_EIGHT(WEFT_FOUR_FRACTIONS, WEFT_JOIN_INTEGERS);
  }
  if constexpr (kChannels == 8 && results == RunResults::kIntegers) {
    WEFT_RUN_EIGHT(WEFT_FOUR_INTEGERS, WEFT_JOIN_INTEGERS);
  }
}

// Computes kChannels channels, 8 or 16.
template <size_t kChannels, bool kByIntegers>
HWY_NOINLINE bool GroupOfPixels(const GroupTaps& window, const CodePixels& at,
                                const int8_t* weights, int8_t x_zero, const FactorsQ8& factors,
                                const CodeRange& codes) {
  PixelRun run;
  BeginRun<kChannels>(window, weights, x_zero, factors, run);
  const auto keep = [](int32_t limit, float* to) {  // floats, or the bits of 16-bit codes
    vstrwq_f32(to, kByIntegers ? vreinterpretq_f32_s16(vdupq_n_s16(static_cast<int16_t>(limit)))
                               : vcvtq_f32_s32(vdupq_n_s32(limit)));
  };
  const int32_t zero = kByIntegers ? 0 : codes.zero;
  keep(codes.low - zero, run.low);
  keep(codes.high - zero, run.high);
  run.height = window.HasTaps() ? window.ky.count() : 0;
  run.width = window.kx.count();
  run.weights = run.height == 0 ? weights : weights + window.First();
  run.x_column = window.x_column;
  run.w_column = window.channels;
  run.x_gap = window.x_row - run.width * window.x_column;
  run.w_gap = (window.width - run.width) * window.channels;
  run.zero = codes.zero;
  run.x_step = at.x_steps.column;
  run.y_step = at.y_steps.column;
  auto codes_of_run = CodesOfRun<kChannels, RunResults::kFloats>;
  if constexpr (kByIntegers) {
    codes_of_run = ShiftRight(factors, kChannels) ? CodesOfRun<kChannels, RunResults::kFractions>
                                                  : CodesOfRun<kChannels, RunResults::kIntegers>;
  }
  size_t x_line = 0, y_line = 0;
  for (uint32_t row = at.rows; row != 0;
       --row, x_line += at.x_steps.row, y_line += at.y_steps.row) {
    run.columns = at.columns;
    codes_of_run(run, at.x + x_line, at.y + y_line);
  }
  return true;
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_HELIUM_INL_H_
