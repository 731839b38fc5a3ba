// SPDX-License-Identifier: Apache-2.0
// The tile of depthwise.cc for Cortex-M with Helium. The sums of sixteen channels of a pixel stay
// in registers over all taps, or of eight or four channels if there are fewer. Uses 15 instructions
// per tap of sixteen channels, 19 for 16-bit weights. Results are bit-identical to those of the
// other targets.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_HELIUM_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_HELIUM_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_HELIUM_INL_H_
#endif

#include <cstddef>
#include <type_traits>

#include "kernels/matrix/relu_helium-inl.h"
#include "kernels/matrix/weights-inl.h"

// Loads four weights into q from the given byte offset to `weights`, for floats or for halves.
#undef WEFT_FLOATS_AT
#define WEFT_FLOATS_AT(floats, halves) "vldrw.32 %q[f], [%[weights], #" floats "]\n\t"
#undef WEFT_HALVES_AT
#define WEFT_HALVES_AT(floats, halves)     \
  "vldrh.u32 %q[f], [%[weights], #" halves \
  "]\n\t"                                  \
  "vcvtb.f32.f16 %q[f], %q[f]\n\t"
#undef WEFT_BFLOATS_AT
#define WEFT_BFLOATS_AT(floats, halves)    \
  "vldrh.u32 %q[f], [%[weights], #" halves \
  "]\n\t"                                  \
  "vshl.i32 %q[f], %q[f], #16\n\t"
// One tap of four channels.
#undef WEFT_FOUR_CHANNELS
#define WEFT_FOUR_CHANNELS(four_at, sum, floats, halves)    \
  four_at(floats, halves) "vldrw.32 %q[g], [%[x], #" floats \
                          "]\n\t"                           \
                          "vfma.f32 %q[" sum "], %q[f], %q[g]\n\t"
// The loop over the taps of a row; `address` is the constraint of the address register of weight
// loads.
#undef WEFT_ADD_CHANNELS
#define WEFT_ADD_CHANNELS(address, tap)                                                    \
  __asm__ volatile(                                                                        \
      "dls lr, %[columns]\n"                                                               \
      "1:\n\t" tap                                                                         \
      "add %[x], %[x_tap]\n\t"                                                             \
      "add %[weights], %[weights_tap]\n\t"                                                 \
      "le lr, 1b"                                                                          \
      : [x] "+r"(x), [weights] "+" address(weights), [a] "+w"(sums[0]), [b] "+w"(sums[1]), \
        [c] "+w"(sums[2]), [d] "+w"(sums[3]), [f] "=&w"(f), [g] "=&w"(g)                   \
      : [columns] "r"(taps.columns), [x_tap] "r"(x_tap), [weights_tap] "r"(weights_tap)    \
      : "memory", "lr")

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The arguments of DepthwiseRun; bias is null or has as many floats as are read.
template <class Weight>
struct DepthwisePixels {
  const float* x;
  size_t x_pixel;
  float* y;
  size_t y_pixel;
  size_t pixels;
  const Weight* weights;
  const float* bias;
  bool relu;
};

#undef WEFT_ADD_COUNT
#define WEFT_ADD_COUNT(address, four_at)                                                  \
  if constexpr (kCount == 16) {                                                           \
    WEFT_ADD_CHANNELS(address, WEFT_FOUR_CHANNELS(four_at, "a", "0", "0")                 \
                                   WEFT_FOUR_CHANNELS(four_at, "b", "16", "8")            \
                                       WEFT_FOUR_CHANNELS(four_at, "c", "32", "16")       \
                                           WEFT_FOUR_CHANNELS(four_at, "d", "48", "24")); \
  } else if constexpr (kCount == 8) {                                                     \
    WEFT_ADD_CHANNELS(address, WEFT_FOUR_CHANNELS(four_at, "a", "0", "0")                 \
                                   WEFT_FOUR_CHANNELS(four_at, "b", "16", "8"));          \
  } else {                                                                                \
    static_assert(kCount == 4, "16, 8 or 4 channels");                                    \
    WEFT_ADD_CHANNELS(address, WEFT_FOUR_CHANNELS(four_at, "a", "0", "0"));               \
  }

// 16, 8 or 4 channels of all pixels; at least one column of taps.
template <size_t kCount, class Weight>
HWY_NOINLINE void AddChannels(const DepthwiseTaps& taps, DepthwisePixels<Weight> at) {
  const size_t x_tap = taps.x_column * sizeof(float);
  const size_t weights_tap = taps.weights_column * sizeof(Weight);
  const size_t x_skip = taps.x_row - taps.columns * taps.x_column;
  const size_t weights_skip = taps.weights_row - taps.columns * taps.weights_column;
  for (; at.pixels != 0; --at.pixels, at.x += at.x_pixel, at.y += at.y_pixel) {
    float32x4_t sums[4];
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) {
      const bool is_read = v < kCount / 4 && at.bias != nullptr;
      sums[v] = is_read ? vldrwq_f32(at.bias + 4 * v) : vdupq_n_f32(0.0f);
    }
    const float* x = at.x;
    const Weight* weights = at.weights;
    for (size_t rows = taps.rows; rows != 0; --rows) {
      float32x4_t f, g;
      if constexpr (std::is_same<Weight, float>::value) {
        WEFT_ADD_COUNT("r", WEFT_FLOATS_AT)
      } else if constexpr (std::is_same<Weight, F16>::value) {
        WEFT_ADD_COUNT("l", WEFT_HALVES_AT)
      } else {
        static_assert(std::is_same<Weight, BF16>::value, "a type of weights.inc");
        WEFT_ADD_COUNT("l", WEFT_BFLOATS_AT)
      }
      x += x_skip;
      weights += weights_skip;
    }
    HWY_UNROLL(4)
    for (size_t v = 0; v < kCount / 4; ++v) {
      vstrwq_f32(at.y + 4 * v, at.relu ? Relu(sums[v]) : sums[v]);
    }
  }
}

// At most four channels of all pixels, any number of taps.
template <class Weight>
HWY_NOINLINE void AddFewChannels(const DepthwiseTaps& taps, DepthwisePixels<Weight> at,
                                 size_t channels) {
  const mve_pred16_t there = vctp32q(channels);
  for (; at.pixels != 0; --at.pixels, at.x += at.x_pixel, at.y += at.y_pixel) {
    float32x4_t sum = vdupq_n_f32(0.0f);
    if (at.bias != nullptr) sum = vldrwq_z_f32(at.bias, there);
    const float* x = at.x;
    const Weight* weights = at.weights;
    for (size_t rows = taps.rows; rows != 0; --rows) {
      const float* from = x;
      const Weight* by = weights;
      for (size_t columns = taps.columns; columns != 0; --columns) {
        sum = vfmaq_f32(sum, vldrwq_z_f32(from, there), LoadFour(by));
        from += taps.x_column;
        by += taps.weights_column;
      }
      x += taps.x_row;
      weights += taps.weights_row;
    }
    vstrwq_p_f32(at.y, at.relu ? Relu(sum) : sum, there);
  }
}

// `pixels` >= 1 consecutive outputs with the same taps, `channels` >= 1 channels each:
//   y[p * y_pixel + c] = bias[c] + sum_{ky, kx} x[p * x_pixel + ky * x_row + kx * x_column + c] *
//                                               weights[ky * weights_row + kx * weights_column + c]
// without bias from 0, and then ReLU if `relu`. The stride of an axis of length 1 is 0. The last
// block is moved back to end with the last channel and recomputes some sums; y does not overlap x.
template <class Weight>
inline void DepthwiseRun(const DepthwiseTaps& taps, const float* x, size_t x_pixel, float* y,
                         size_t y_pixel, size_t pixels, const Weight* weights, const float* bias,
                         size_t channels, bool relu) {
  const bool is_whole = taps.columns != 0 && channels >= 4;
  const size_t step = is_whole && channels >= 8 ? (channels >= 16 ? 16 : 8) : 4;
  for (size_t next = 0; next < channels; next += step) {
    const size_t c = is_whole && next + step > channels ? channels - step : next;
    const DepthwisePixels<Weight> at = {
        x + c, x_pixel, y + c, y_pixel, pixels, weights + c, bias == nullptr ? nullptr : bias + c,
        relu};
    if (!is_whole) {
      AddFewChannels(taps, at, channels - c < 4 ? channels - c : 4);
    } else if (step == 16) {
      AddChannels<16>(taps, at);
    } else if (step == 8) {
      AddChannels<8>(taps, at);
    } else {
      AddChannels<4>(taps, at);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_HELIUM_INL_H_
