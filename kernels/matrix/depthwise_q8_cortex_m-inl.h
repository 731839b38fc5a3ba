// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantised values on a Cortex-M: a group of channels of all outputs that
// have the same taps. Channels are contiguous in x and y, and the multiplier is 1. Instructions per
// multiply-add with 3 x 3 taps: DSP extension 3.4, Helium 1.4.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <utility>

#include "kernels/matrix/rectangles.h"
#include "kernels/matrix/results_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Outputs with the same taps relative to their position: x is the first tap of the first output, y
// its first channel.
struct CodePixels {
  uint32_t rows, columns;
  const int8_t* x;
  PixelSteps x_steps;
  int8_t* y;
  PixelSteps y_steps;
};

// A window of weights and its taps inside the input. x_row and x_column are the distances between
// adjacent taps in x.
struct TapWindow {
  uint32_t height, width;
  IndexRange ky, kx;
  size_t x_row, x_column, channels;

  HWY_INLINE bool HasTaps() const { return ky.count() != 0 && kx.count() != 0; }
  HWY_INLINE bool IsInside() const { return ky.count() == height && kx.count() == width; }
  // Offset of the weights of the first tap inside.
  HWY_INLINE size_t First() const { return (size_t{ky.first} * width + kx.first) * channels; }
};

#if defined(__ARM_FEATURE_MVE)

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
// Converts four sums to quantised 32-bit values, clamped between q4 and q5. scales and start are
// the offsets of the factors from r10.
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

template <size_t kChannels>
HWY_NOINLINE void CodesOfRun(PixelRun& run, const int8_t* x, int8_t* y) {
  register PixelRun* at __asm__("r10") = &run;
  register const int8_t* from __asm__("r11") = x;
  register int8_t* to __asm__("r12") = y;
  if constexpr (kChannels == 16) {
    WEFT_RUN_PIXELS("vldrw.u32 q0, [r10]\n\t"
                    "vldrw.u32 q1, [r10, #16]\n\t"
                    "vldrw.u32 q2, [r10, #32]\n\t"
                    "vldrw.u32 q3, [r10, #48]\n\t",
                    WEFT_ADD_EIGHT("", "q0", "q1") WEFT_ADD_EIGHT(", #8", "q2", "q3"),
                    WEFT_FOUR_WORDS("q0", "64", "128") WEFT_FOUR_WORDS("q1", "80", "144")
                    "vmovnt.i32 q0, q1\n\t"
                    "vadd.i16 q0, q0, r2\n\t"
                    "vstrb.16 q0, [r1]\n\t"
                    WEFT_FOUR_WORDS("q2", "96", "160") WEFT_FOUR_WORDS("q3", "112", "176")
                    "vmovnt.i32 q2, q3\n\t"
                    "vadd.i16 q2, q2, r2\n\t"
                    "vstrb.16 q2, [r1, #8]\n\t");
  } else {
    WEFT_RUN_PIXELS("vldrw.u32 q0, [r10]\n\t"
                    "vldrw.u32 q1, [r10, #16]\n\t",
                    WEFT_ADD_EIGHT("", "q0", "q1"),
                    WEFT_FOUR_WORDS("q0", "64", "128") WEFT_FOUR_WORDS("q1", "80", "144")
                    "vmovnt.i32 q0, q1\n\t"
                    "vadd.i16 q0, q0, r2\n\t"
                    "vstrb.16 q0, [r1]\n\t");
  }
}

// Computes kChannels channels, 8 or 16.
template <size_t kChannels>
HWY_NOINLINE bool GroupOfPixels(const GroupTaps& window, const CodePixels& at,
                                const int8_t* weights, int8_t x_zero, const FactorsQ8& factors,
                                const CodeRange& codes) {
  PixelRun run;
  BeginRun<kChannels>(window, weights, x_zero, factors, run);
  const CodeBounds bounds = BoundsOf(codes);
  vstrwq_f32(run.low, vdupq_n_f32(bounds.low));
  vstrwq_f32(run.high, vdupq_n_f32(bounds.high));
  run.height = window.HasTaps() ? window.ky.count() : 0;
  run.width = window.kx.count();
  run.weights = run.height == 0 ? weights : weights + window.First();
  run.x_column = window.x_column;
  run.w_column = window.channels;
  run.x_gap = window.x_row - run.width * window.x_column;
  run.w_gap = (window.width - run.width) * window.channels;
  run.zero = bounds.zero;
  run.x_step = at.x_steps.column;
  run.y_step = at.y_steps.column;
  size_t x_line = 0, y_line = 0;
  for (uint32_t row = at.rows; row != 0;
       --row, x_line += at.x_steps.row, y_line += at.y_steps.row) {
    run.columns = at.columns;
    CodesOfRun<kChannels>(run, at.x + x_line, at.y + y_line);
  }
  return true;
}

#else

inline constexpr size_t kGroup = 4, kMinGroup = 4, kMaxGroupTaps = 16;

struct FourSums {
  int32_t a, b, c, d;
};
// Wraps around.
HWY_INLINE void AddProduct(int32_t a, int32_t b, int32_t& sum) {
  sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(a * b));
}
// The weights of four channels at two taps, as a pair per channel, and the offsets of these taps in
// x.
struct TapPair {
  size_t first, second;
  uint32_t a, b, c, d;
};
HWY_INLINE uint32_t EvenBytes(uint32_t word) {
  uint32_t pair;
  __asm__("sxtb16 %0, %1" : "=r"(pair) : "r"(word));
  return pair;
}
HWY_INLINE uint32_t OddBytes(uint32_t word) {
  uint32_t pair;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
  return pair;
}
HWY_INLINE int16_t LowHalf(uint32_t pair) { return static_cast<int16_t>(pair); }
HWY_INLINE int16_t HighHalf(uint32_t pair) { return static_cast<int16_t>(pair >> 16); }

// The taps of a window. Taps inside the input form pairs: their offsets are shared by all groups of
// channels, their weights are those of the current group. If the count is odd, the second tap of
// the last pair has weight 0.
class GroupTaps {
 public:
  HWY_INLINE explicit GroupTaps(const TapWindow& window)
      : step_(window.channels), end_(pairs_), is_odd_(false) {
    uint8_t inside = 0, outside = static_cast<uint8_t>(window.height * window.width), tap = 0;
    taps_ = outside;
    size_t line = 0;
    for (uint32_t ky = 0; ky != window.height; ++ky) {
      const bool has_row = ky - window.ky.first < window.ky.count();
      size_t from = line;
      for (uint32_t kx = 0; kx != window.width; ++kx, ++tap) {
        if (!has_row || kx - window.kx.first >= window.kx.count()) {
          order_[--outside] = tap;
          continue;
        }
        order_[inside++] = tap;
        if (!is_odd_) end_->first = from;
        end_->second = from;
        end_ += is_odd_;
        is_odd_ = !is_odd_;
        from += window.x_column;
      }
      if (has_row) line += window.x_row;
    }
    end_ += is_odd_;
  }

  const TapPair* begin() const { return pairs_; }
  const TapPair* end() const { return end_; }

  // Loads the weights of four channels and adds the contribution of taps outside the input to sums.
  HWY_NOINLINE inline void Take(const int8_t* weights, int8_t x_zero, FourSums& sums) {
    const uint8_t* tap = order_;
    for (TapPair* pair = pairs_; pair != end_; ++pair, tap += 2) {
      const uint32_t one = Word(weights, tap[0]);
      SetWeights(one, pair + 1 == end_ && is_odd_ ? 0 : Word(weights, tap[1]), *pair);
    }
    if (x_zero == 0) return;
    tap -= is_odd_;
    const int16_t zero = x_zero;
    for (const uint8_t* const end = order_ + taps_; tap != end; ++tap) {
      const uint32_t word = Word(weights, *tap), even = EvenBytes(word), odd = OddBytes(word);
      AddProduct(zero, LowHalf(even), sums.a);
      AddProduct(zero, LowHalf(odd), sums.b);
      AddProduct(zero, HighHalf(even), sums.c);
      AddProduct(zero, HighHalf(odd), sums.d);
    }
  }

 private:
  HWY_INLINE uint32_t Word(const int8_t* weights, uint8_t tap) const {
    uint32_t word;
    __builtin_memcpy(&word, weights + tap * step_, sizeof word);
    return word;
  }
  static HWY_INLINE void SetWeights(uint32_t one, uint32_t other, TapPair& pair) {
    const uint32_t low = (one & 0xFFFFu) | other << 16;
    const uint32_t high = one >> 16 | (other & 0xFFFF0000u);
    pair.a = EvenBytes(low);
    pair.b = OddBytes(low);
    pair.c = EvenBytes(high);
    pair.d = OddBytes(high);
  }

  size_t step_;
  TapPair* end_;
  bool is_odd_;
  uint8_t taps_;
  uint8_t order_[kMaxGroupTaps];  // taps inside first
  TapPair pairs_[(kMaxGroupTaps + 1) / 2];
};

// A row of pixels. The assembly accesses the fields before `columns` and those from `columns` on as
// blocks.
struct PixelRun {
  const int8_t* x;
  const TapPair* taps;
  FourSums begins;
  size_t skipped;  // bytes of code, in the first iteration
  uint32_t columns;
  int32_t zero;
  uint32_t low, high;
  int8_t* y;
  size_t y_step, x_step;
};
static_assert(offsetof(PixelRun, columns) == 28 && sizeof(PixelRun) == 56, "words without gaps");

// clang-format off
// One pair of taps of four channels: joins the values of a channel at both taps and multiplies them
// by its weights. Each instruction has four bytes, so that the number of skipped pairs gives the
// jump.
#undef WEFT_ADD_PAIR
#define WEFT_ADD_PAIR                        \
  "ldmia.w r1!, {r6, r8-r12}\n\t"            \
  "ldr.w r6, [r0, r6]\n\t"                  \
  "ldr.w r8, [r0, r8]\n\t"                  \
  "pkhbt lr, r6, r8, lsl #16\n\t"           \
  "pkhtb r6, r8, r6, asr #16\n\t"           \
  "sxtb16.w r8, lr\n\t"                     \
  "smlad r2, r8, r9, r2\n\t"                \
  "sxtb16.w lr, lr, ror #8\n\t"             \
  "smlad r3, lr, r10, r3\n\t"               \
  "sxtb16.w r8, r6\n\t"                     \
  "smlad r4, r8, r11, r4\n\t"               \
  "sxtb16.w r6, r6, ror #8\n\t"             \
  "smlad r5, r6, r12, r5\n\t"
// clang-format on
inline constexpr size_t kPairsOfIteration = 5, kPairBytes = 13 * 4;

// Five pairs of taps per iteration; the first iteration jumps to its last pairs. s4-s11 hold scales
// and start, s16 the address of run.columns, s17 the end of the taps.
HWY_NOINLINE inline void CodesOfRun(PixelRun& run, const TapPair* taps_end, const float* scales,
                                    const float* start) {
  register uint32_t* at __asm__("r6") = &run.columns;
  register const TapPair* end __asm__("r1") = taps_end;
  register const float* by __asm__("r2") = scales;
  register const float* on __asm__("r3") = start;
  // clang-format off
  __asm__ volatile(
      "vmov s16, s17, r6, r1\n\t"
      "vldmia r2, {s4-s7}\n\t"
      "vldmia r3, {s8-s11}\n"
      "1:\n\t"
      "vmov r6, s16\n\t"
      "ldmdb r6, {r0-r5, lr}\n\t"
      "add pc, lr\n\t"
      "nop.n\n"
      "2:\n\t"
      WEFT_ADD_PAIR WEFT_ADD_PAIR WEFT_ADD_PAIR WEFT_ADD_PAIR WEFT_ADD_PAIR
      "vmov lr, s17\n\t"
      "cmp r1, lr\n\t"
      "bne 2b\n\t"
      "vmov s0, s1, r2, r3\n\t"
      "vmov s2, s3, r4, r5\n\t"
      WEFT_SCALE_FOUR
      "vmov r2, r3, s0, s1\n\t"
      "vmov r4, r5, s2, s3\n\t"
      "vmov r6, s16\n\t"
      "ldmia r6, {r1, r8-r12, lr}\n\t"
      WEFT_JOIN_FOUR("r2", "r3", "r4", "r5", "r8")
      WEFT_LIMIT_FOUR("r2", "r9", "r10", "r3")
      "str r2, [r11]\n\t"
      "add r11, r12\n\t"
      "add r0, lr\n\t"
      "str r11, [r6, #16]\n\t"
      "str r0, [r6, #-28]\n\t"
      "subs r1, #1\n\t"
      "str r1, [r6]\n\t"
      "bne 1b"
      : "+r"(at), "+r"(end), "+r"(by), "+r"(on)
      :
      : "cc", "memory", "r0", "r4", "r5", "r8", "r9", "r10", "r11", "r12", "lr", "s0", "s1", "s2",
        "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s16", "s17");
  // clang-format on
}

// Computes four channels. Returns false if a conversion to integer was invalid; results may then be
// wrong.
template <size_t kChannels>
HWY_NOINLINE bool GroupOfPixels(GroupTaps& taps, const CodePixels& at, const int8_t* weights,
                                int8_t x_zero, const FactorsQ8& factors, const CodeRange& codes) {
  static_assert(kChannels == 4, "results are written as words of four");
  PixelRun run;
  __builtin_memcpy(&run.begins, factors.first, sizeof run.begins);
  taps.Take(weights, x_zero, run.begins);
  run.taps = taps.begin();
  const TapPair* const end = taps.end();
  const size_t left = static_cast<size_t>(end - run.taps) % kPairsOfIteration;
  run.skipped = left == 0 && end != run.taps ? 0 : (kPairsOfIteration - left) * kPairBytes;
  run.zero = codes.zero;
  run.low = FourOf(codes.low);
  run.high = FourOf(codes.high);
  run.x_step = at.x_steps.column;
  run.y_step = at.y_steps.column;
  ForgetInvalid();
  size_t x_line = 0, y_line = 0;
  for (uint32_t row = at.rows; row != 0;
       --row, x_line += at.x_steps.row, y_line += at.y_steps.row) {
    run.x = at.x + x_line;
    run.y = at.y + y_line;
    run.columns = at.columns;
    CodesOfRun(run, end, factors.scales, factors.start);
  }
  return !WasInvalid();
}

#endif

// Computes a rectangle. Returns false if it has too few channels or too many taps, or if results
// may be wrong. The last group is moved back to end with the last channel and recomputes some
// results; y does not overlap x.
HWY_INLINE bool RunGroups(const DepthwiseQ8Shape& shape, const TapWindow& window, CodePixels pixels,
                          const int8_t* weights, const FactorsQ8& factors) {
  if (shape.channels < kMinGroup) return false;
  if (size_t{window.height} * window.width > kMaxGroupTaps) return false;
  const size_t step = shape.channels < kGroup ? kMinGroup : kGroup;
  // Rows and columns of pixels are interchangeable: iterate over the longer side.
  if (pixels.columns < pixels.rows) {
    std::swap(pixels.rows, pixels.columns);
    std::swap(pixels.x_steps.row, pixels.x_steps.column);
    std::swap(pixels.y_steps.row, pixels.y_steps.column);
  }
  const auto group = step == kGroup ? GroupOfPixels<kGroup> : GroupOfPixels<kMinGroup>;
  GroupTaps taps(window);
  size_t before = 0;
  for (size_t next = 0; next < shape.channels; next += step) {
    const size_t channel = next + step > shape.channels ? shape.channels - step : next;
    FactorsQ8 of = After(factors, channel);
    if (of.first == nullptr) of.first = kNoFirst;
    if (of.start == nullptr) of.start = kNoStart;
    const size_t further = channel - before;
    before = channel;
    if (window.HasTaps()) pixels.x += further;
    pixels.y += further;
    if (!group(taps, pixels, weights + channel, shape.x_zero, of, shape.results.codes)) {
      return false;
    }
  }
  return true;
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_CORTEX_M_INL_H_
