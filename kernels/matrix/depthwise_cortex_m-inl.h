// SPDX-License-Identifier: Apache-2.0
// The tile of depthwise.cc for Cortex-M with a scalar FPU. The sums of sixteen channels of a pixel
// stay in registers over all taps, or of eight or four channels if there are fewer. Uses 24
// instructions per tap of sixteen channels, 40 for f16 weights. Results are bit-identical to those
// of the other targets.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_CORTEX_M_INL_H_
#endif

#include <type_traits>

#include "kernels/matrix/relu_cortex_m-inl.h"
#include "kernels/matrix/weights-inl.h"
#include "kernels/matrix/weights_cortex_m-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Increments in bytes, added to the pointers after the loads of a tap or of a row.
struct DepthwiseSkips {
  size_t x_tap, weights_tap;
  size_t x_row, weights_row;
};

// One tap of eight channels, with sums in s0 to s7, or in s8 to s15.
#undef WEFT_LOW_CHANNELS
#define WEFT_LOW_CHANNELS(eight)      \
  "vldmia %[x]!, {s24-s31}\n\t" eight \
  "vfma.f32 s0, s16, s24\n\t"         \
  "vfma.f32 s1, s17, s25\n\t"         \
  "vfma.f32 s2, s18, s26\n\t"         \
  "vfma.f32 s3, s19, s27\n\t"         \
  "vfma.f32 s4, s20, s28\n\t"         \
  "vfma.f32 s5, s21, s29\n\t"         \
  "vfma.f32 s6, s22, s30\n\t"         \
  "vfma.f32 s7, s23, s31\n\t"
#undef WEFT_HIGH_CHANNELS
#define WEFT_HIGH_CHANNELS(eight)     \
  "vldmia %[x]!, {s24-s31}\n\t" eight \
  "vfma.f32 s8, s16, s24\n\t"         \
  "vfma.f32 s9, s17, s25\n\t"         \
  "vfma.f32 s10, s18, s26\n\t"        \
  "vfma.f32 s11, s19, s27\n\t"        \
  "vfma.f32 s12, s20, s28\n\t"        \
  "vfma.f32 s13, s21, s29\n\t"        \
  "vfma.f32 s14, s22, s30\n\t"        \
  "vfma.f32 s15, s23, s31\n\t"
// One tap of four channels.
#undef WEFT_FOUR_CHANNELS
#define WEFT_FOUR_CHANNELS(four)     \
  "vldmia %[x]!, {s24-s27}\n\t" four \
  "vfma.f32 s0, s16, s24\n\t"        \
  "vfma.f32 s1, s17, s25\n\t"        \
  "vfma.f32 s2, s18, s26\n\t"        \
  "vfma.f32 s3, s19, s27\n\t"
// The loop over all taps.
#undef WEFT_ADD_CHANNELS
#define WEFT_ADD_CHANNELS(range, tap)                                                              \
  __asm__ volatile(                                                                                \
      "vldmia %[from], {" range                                                                    \
      "}\n"                                                                                        \
      "1:\n\t"                                                                                     \
      "ldr %[columns], %[all_columns]\n"                                                           \
      "2:\n\t" tap                                                                                 \
      "add %[weights], %[weights_tap]\n\t"                                                         \
      "add %[x], %[x_tap]\n\t"                                                                     \
      "subs %[columns], #1\n\t"                                                                    \
      "bne 2b\n\t"                                                                                 \
      "subs %[rows], #1\n\t"                                                                       \
      "beq 3f\n\t"                                                                                 \
      "ldr %[columns], %[x_row]\n\t"                                                               \
      "add %[x], %[columns]\n\t"                                                                   \
      "ldr %[columns], %[weights_row]\n\t"                                                         \
      "add %[weights], %[columns]\n\t"                                                             \
      "b 1b\n"                                                                                     \
      "3:\n\t"                                                                                     \
      "vstmia %[to], {" range "}"                                                                  \
      : [x] "+r"(x), [weights] "+r"(weights), [rows] "+r"(rows), [columns] "=&r"(columns)          \
      : [from] "r"(from), [to] "r"(to), [x_tap] "r"(skips.x_tap),                                  \
        [weights_tap] "r"(skips.weights_tap), [all_columns] "m"(taps.columns),                     \
        [x_row] "m"(skips.x_row), [weights_row] "m"(skips.weights_row)                             \
      : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11",  \
        "s12", "s13", "s14", "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", \
        "s25", "s26", "s27", "s28", "s29", "s30", "s31")

// to[n] = from[n] + the sum of x[n] * weights[n] over the taps, at least one, for n < count. count
// is 16, 8 or 4.
HWY_INLINE void AddChannels(const DepthwiseTaps& taps, const DepthwiseSkips& skips, size_t count,
                            const float* from, const float* x, const float* weights, float* to) {
  size_t rows = taps.rows, columns;
  if (count == 16) {
    WEFT_ADD_CHANNELS("s0-s15",
                      WEFT_LOW_CHANNELS(WEFT_EIGHT_FLOATS) WEFT_HIGH_CHANNELS(WEFT_EIGHT_FLOATS));
  } else if (count == 8) {
    WEFT_ADD_CHANNELS("s0-s7", WEFT_LOW_CHANNELS(WEFT_EIGHT_FLOATS));
  } else {
    WEFT_ADD_CHANNELS("s0-s3", WEFT_FOUR_CHANNELS(WEFT_FOUR_FLOATS));
  }
}
HWY_INLINE void AddChannels(const DepthwiseTaps& taps, const DepthwiseSkips& skips, size_t count,
                            const float* from, const float* x, const F16* weights, float* to) {
  size_t rows = taps.rows, columns;
  if (count == 16) {
    WEFT_ADD_CHANNELS("s0-s15",
                      WEFT_LOW_CHANNELS(WEFT_EIGHT_HALVES) WEFT_HIGH_CHANNELS(WEFT_EIGHT_HALVES));
  } else if (count == 8) {
    WEFT_ADD_CHANNELS("s0-s7", WEFT_LOW_CHANNELS(WEFT_EIGHT_HALVES));
  } else {
    WEFT_ADD_CHANNELS("s0-s3", WEFT_FOUR_CHANNELS(WEFT_FOUR_HALVES));
  }
}

// One channel of one output.
template <class Weight>
HWY_INLINE void AddChannel(const DepthwiseTaps& taps, const float* x, const Weight* weights,
                           float sum, bool relu, float* y) {
  for (size_t ky = 0; ky < taps.rows; ++ky) {
    for (size_t kx = 0; kx < taps.columns; ++kx) {
      sum = Fma(x[ky * taps.x_row + kx * taps.x_column],
                WidenWeight(weights[ky * taps.weights_row + kx * taps.weights_column]), sum);
    }
  }
  *y = relu && sum < 0.0f ? 0.0f : sum;
}

inline constexpr float kNoBias[16] = {};

// The arguments of DepthwiseRun.
template <class Weight>
struct DepthwisePixels {
  const float* x;
  size_t x_pixel;
  float* y;
  size_t y_pixel;
  size_t pixels;
  const Weight* weights;
  const float* bias;
  size_t channels;
  bool relu;
};

// All channels, `count` at a time; there are at least `count`. The last block is moved back to end
// with the last channel and recomputes some sums.
template <class Weight>
HWY_NOINLINE void AddBlocks(const DepthwiseTaps& taps, size_t count, DepthwisePixels<Weight> at) {
  const DefaultNan scope;
  const DepthwiseSkips skips = {
      (taps.x_column - count) * sizeof(float), (taps.weights_column - count) * sizeof(Weight),
      (taps.x_row - taps.columns * taps.x_column) * sizeof(float),
      (taps.weights_row - taps.columns * taps.weights_column) * sizeof(Weight)};
  for (size_t next = 0; next < at.channels; next += count) {
    const size_t c = next + count > at.channels ? at.channels - count : next;
    const float* from = at.bias == nullptr ? kNoBias : at.bias + c;
    const float* x = at.x + c;
    float* y = at.y + c;
    for (size_t pixels = at.pixels; pixels != 0; --pixels) {
      AddChannels(taps, skips, count, from, x, at.weights + c, y);
      if (at.relu && count == 4) ReluFour(y, y);
      if (at.relu && count != 4) ReluEights(y, y, count / 8);
      x += at.x_pixel;
      y += at.y_pixel;
    }
  }
}

// `pixels` >= 1 consecutive outputs with the same taps, `channels` >= 1 channels each:
//   y[p * y_pixel + c] = bias[c] + sum_{ky, kx} x[p * x_pixel + ky * x_row + kx * x_column + c] *
//                                               weights[ky * weights_row + kx * weights_column + c]
// without bias from 0, and then ReLU if `relu`. The stride of an axis of length 1 is 0.
template <class Weight>
inline void DepthwiseRun(const DepthwiseTaps& taps, const float* x, size_t x_pixel, float* y,
                         size_t y_pixel, size_t pixels, const Weight* weights, const float* bias,
                         size_t channels, bool relu) {
  DepthwisePixels<Weight> all = {x, x_pixel, y, y_pixel, pixels, weights, bias, channels, relu};
  const bool has_taps = taps.rows != 0 && taps.columns != 0;
  size_t done = 0;
  if constexpr (std::is_same<Weight, float>::value) {
    if (has_taps && channels >= 4) {
      return AddBlocks(taps, channels >= 16 ? 16 : (channels >= 8 ? 8 : 4), all);
    }
  } else if constexpr (std::is_same<Weight, F16>::value) {
    // F16 weights are loaded as words, which begin at even channels: blocks do not overlap, and the
    // last channels are computed one at a time.
    for (size_t count = 16; has_taps && count >= 4; count /= 2) {
      const size_t some = (channels - done) / count * count;
      if (some == 0) continue;
      all.x = x + done;
      all.y = y + done;
      all.weights = weights + done;
      all.bias = bias == nullptr ? nullptr : bias + done;
      all.channels = some;
      AddBlocks(taps, count, all);
      done += some;
    }
  }
  for (; pixels != 0; --pixels) {
    for (size_t c = done; c < channels; ++c) {
      AddChannel(taps, x + c, weights + c, bias == nullptr ? 0.0f : bias[c], relu, y + c);
    }
    x += x_pixel;
    y += y_pixel;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_CORTEX_M_INL_H_
