// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantised values on a Cortex-M: a group of channels of all outputs that
// have the same taps. Channels are contiguous in x and y, and the multiplier is 1. Instructions per
// multiply-add with 3 x 3 taps: DSP extension 3.4, Helium 1.1.

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
#if defined(__ARM_FEATURE_MVE)
  bool are_doubled = false;  // eight channels of two adjacent pixels are 16 channels of one
#endif
};

// Rows and columns of pixels are interchangeable: iterate over the longer side.
HWY_INLINE void PutLongSideInRows(CodePixels& pixels) {
  if (pixels.columns < pixels.rows) {
    std::swap(pixels.rows, pixels.columns);
    std::swap(pixels.x_steps.row, pixels.x_steps.column);
    std::swap(pixels.y_steps.row, pixels.y_steps.column);
  }
}

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

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if defined(__ARM_FEATURE_MVE)
#include "kernels/matrix/depthwise_q8_helium-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if !defined(__ARM_FEATURE_MVE)

inline constexpr size_t kGroup = 4, kMaxGroupTaps = 16;

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
// Requantises the sums in r2-r5 by floats; r6 and r8-lr are free.
#undef WEFT_SCALE_SUMS
#define WEFT_SCALE_SUMS                      \
  "vmov s0, s1, r2, r3\n\t"                 \
  "vmov s2, s3, r4, r5\n\t"                 \
  WEFT_SCALE_FOUR                            \
  "vmov r2, r3, s0, s1\n\t"                 \
  "vmov r4, r5, s2, s3\n\t"
// Zeros are added to these results, and four codes joined in r2.
#undef WEFT_JOIN_SUMS
#define WEFT_JOIN_SUMS WEFT_JOIN_FOUR("r2", "r3", "r4", "r5", "r8")
// The same by integers (integer_codes.cc), with twice the mantissas in s4-s7 and the complements of
// the exponents in s8-s11. The last bit is shifted out when r8, twice the zero plus one, is added.
#undef WEFT_RESCALE_SUM
#define WEFT_RESCALE_SUM(sum, mantissa, shift)  \
  "add lr, " sum ", " sum ", asr #31\n\t"      \
  "smmlar " sum ", " sum ", " mantissa ", lr\n\t" \
  "asr " sum ", " sum ", " shift "\n\t"
#undef WEFT_RESCALE_SUMS
#define WEFT_RESCALE_SUMS                    \
  "vmov r8, r9, s4, s5\n\t"                 \
  "vmov r10, r11, s8, s9\n\t"               \
  WEFT_RESCALE_SUM("r2", "r8", "r10")        \
  WEFT_RESCALE_SUM("r3", "r9", "r11")        \
  "vmov r8, r9, s6, s7\n\t"                 \
  "vmov r10, r11, s10, s11\n\t"             \
  WEFT_RESCALE_SUM("r4", "r8", "r10")        \
  WEFT_RESCALE_SUM("r5", "r9", "r11")
#undef WEFT_JOIN_RESCALED
#define WEFT_JOIN_RESCALED                                                \
  WEFT_ROUNDED_CODE("r2", "r8") WEFT_ROUNDED_CODE("r3", "r8")             \
  WEFT_ROUNDED_CODE("r4", "r8") WEFT_ROUNDED_CODE("r5", "r8") WEFT_JOIN_BYTES("r2", "r3", "r4", "r5")
#undef WEFT_RUN_PAIRS
#define WEFT_RUN_PAIRS(scale_sums, join)     \
  __asm__ volatile(                          \
      "vmov s16, s17, r6, r1\n\t"           \
      "vldmia r2, {s4-s7}\n\t"              \
      "vldmia r3, {s8-s11}\n"               \
      "1:\n\t"                              \
      "vmov r6, s16\n\t"                    \
      "ldmdb r6, {r0-r5, lr}\n\t"           \
      "add pc, lr\n\t"                      \
      "nop.n\n"                             \
      "2:\n\t"                              \
      WEFT_ADD_PAIR WEFT_ADD_PAIR WEFT_ADD_PAIR WEFT_ADD_PAIR WEFT_ADD_PAIR \
      "vmov lr, s17\n\t"                    \
      "cmp r1, lr\n\t"                      \
      "bne 2b\n\t"                          \
      scale_sums                             \
      "vmov r6, s16\n\t"                    \
      "ldmia r6, {r1, r8-r12, lr}\n\t"      \
      join                                   \
      WEFT_LIMIT_FOUR("r2", "r9", "r10", "r3") \
      "str r2, [r11]\n\t"                   \
      "add r11, r12\n\t"                    \
      "add r0, lr\n\t"                      \
      "str r11, [r6, #16]\n\t"              \
      "str r0, [r6, #-28]\n\t"              \
      "subs r1, #1\n\t"                     \
      "str r1, [r6]\n\t"                    \
      "bne 1b"                               \
      : "+r"(at), "+r"(end), "+r"(by), "+r"(on) \
      :                                      \
      : "cc", "memory", "r0", "r4", "r5", "r8", "r9", "r10", "r11", "r12", "lr", "s0", "s1", "s2", \
        "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s16", "s17")
// clang-format on
inline constexpr size_t kPairsOfIteration = 5, kPairBytes = 13 * 4;

// Five pairs of taps per iteration; the first iteration jumps to its last pairs. s4-s11 hold scales
// and start, s16 the address of run.columns, s17 the end of the taps.
template <bool kByIntegers>
HWY_NOINLINE void CodesOfRun(PixelRun& run, const TapPair* taps_end, const float* scales,
                             const float* start) {
  register uint32_t* at __asm__("r6") = &run.columns;
  register const TapPair* end __asm__("r1") = taps_end;
  register const float* by __asm__("r2") = scales;
  register const float* on __asm__("r3") = start;
  if constexpr (kByIntegers) {
    WEFT_RUN_PAIRS(WEFT_RESCALE_SUMS, WEFT_JOIN_RESCALED);
  } else {
    WEFT_RUN_PAIRS(WEFT_SCALE_SUMS, WEFT_JOIN_SUMS);
  }
}

// The words that WEFT_RESCALE_SUMS needs.
struct FourShifts {
  int32_t mantissas[4], exponents[4];

  // Returns false for multipliers that it does not support.
  HWY_NOINLINE bool Set(const FactorsQ8& factors) {
    const int32_t* from = factors.mantissas();
    int32_t* to = mantissas;
    int32_t all;
    // clang-format off
    __asm__ volatile(
        "ldmia %[from], {r2-r5}\n\t"
        "lsl r2, r2, #1\n\t"
        "lsl r3, r3, #1\n\t"
        "lsl r4, r4, #1\n\t"
        "lsl r5, r5, #1\n\t"
        "stmia %[to]!, {r2-r5}\n\t"
        "and r2, r2, r3\n\t"
        "and r4, r4, r5\n\t"
        "and %[all], r2, r4\n\t"
        "ldmia %[exponents], {r2-r5}\n\t"
        "and %[all], %[all], r2\n\t"
        "and %[all], %[all], r3\n\t"
        "and %[all], %[all], r4\n\t"
        "and %[all], %[all], r5\n\t"
        "mvn r2, r2\n\t"
        "mvn r3, r3\n\t"
        "mvn r4, r4\n\t"
        "mvn r5, r5\n\t"
        "stmia %[to], {r2-r5}"
        : [to] "+&r"(to), [all] "=&r"(all)
        : [from] "r"(from), [exponents] "r"(factors.exponents())
        : "memory", "r2", "r3", "r4", "r5");
    // clang-format on
    if (all < 0) return true;
    for (size_t i = 0; i < 4; ++i) {
      const Multiplier by = {factors.mantissas()[i], factors.exponents()[i]};
      if (IsFast(by)) continue;
      if (by.mantissa != 0) return false;
      mantissas[i] = INT32_MIN, exponents[i] = 31;  // any sum becomes 0
    }
    return true;
  }
};

// Computes four channels. Returns false if a conversion to integer was invalid; results may then be
// wrong.
template <size_t kChannels, bool kByIntegers>
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
  run.zero = kByIntegers ? 2 * codes.zero + 1 : codes.zero;
  run.low = FourOf(codes.low);
  run.high = FourOf(codes.high);
  run.x_step = at.x_steps.column;
  run.y_step = at.y_steps.column;
  FourShifts shifts;
  const float* start = factors.start;
  if constexpr (kByIntegers) {
    if (!shifts.Set(factors)) return false;
    start = reinterpret_cast<const float*>(shifts.exponents);
  } else {
    ForgetInvalid();
  }
  size_t x_line = 0, y_line = 0;
  for (uint32_t row = at.rows; row != 0;
       --row, x_line += at.x_steps.row, y_line += at.y_steps.row) {
    run.x = at.x + x_line;
    run.y = at.y + y_line;
    run.columns = at.columns;
    const float* const scales =
        kByIntegers ? reinterpret_cast<const float*>(shifts.mantissas) : factors.scales;
    CodesOfRun<kByIntegers>(run, end, scales, start);
  }
  return kByIntegers || !WasInvalid();
}

// Computes a rectangle. Returns false if it has too few channels or too many taps, or if results
// may be wrong. The last group is moved back to end with the last channel and recomputes some
// results; y does not overlap x.
template <bool kByIntegers>
HWY_INLINE bool RunGroupsWith(const DepthwiseQ8Shape& shape, const TapWindow& window,
                              CodePixels pixels, const int8_t* weights, const FactorsQ8& factors) {
  if (shape.channels < kGroup) return false;
  if (size_t{window.height} * window.width > kMaxGroupTaps) return false;
  PutLongSideInRows(pixels);
  const auto group = GroupOfPixels<kGroup, kByIntegers>;
  GroupTaps taps(window);
  size_t before = 0;
  for (size_t next = 0; next < shape.channels; next += kGroup) {
    const size_t channel = next + kGroup > shape.channels ? shape.channels - kGroup : next;
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

#endif

// RunGroupsWith<true>, in firmware whose model needs it (integer_codes.cc).
__attribute__((weak)) bool RunIntegerGroups(const DepthwiseQ8Shape& shape, const TapWindow& window,
                                            const CodePixels& pixels, const int8_t* weights,
                                            const FactorsQ8& factors);

// Computes an image with windows of 3 x 3, in firmware whose model needs it (integer_codes.cc).
// Returns false for unsupported shapes.
__attribute__((weak)) bool RunIntegerLines(const DepthwiseQ8Shape& shape, const int8_t* x,
                                           const int8_t* weights, const FactorsQ8& factors,
                                           int8_t* y);

HWY_INLINE bool RunGroups(const DepthwiseQ8Shape& shape, const TapWindow& window,
                          const CodePixels& pixels, const int8_t* weights,
                          const FactorsQ8& factors) {
  if (!shape.results.codes.by_integers) {
    return RunGroupsWith<false>(shape, window, pixels, weights, factors);
  }
  return &RunIntegerGroups != nullptr && RunIntegerGroups(shape, window, pixels, weights, factors);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_CORTEX_M_INL_H_
