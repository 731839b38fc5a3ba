// SPDX-License-Identifier: Apache-2.0
// The inner loops of depthwise where lanes are channels that are contiguous in x and in y. A run of
// pixels with the same taps keeps its sums in registers from the bias to y. Each output is one
// chain of fused multiply-adds in ascending order of (ky, kx), so that tile sizes change speed but
// no result.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_TILE_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_TILE_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_TILE_INL_H_
#endif

#include "kernels/matrix/weights-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The taps of a run, with strides in floats. The stride of an axis with one tap is 0.
struct DepthwiseTaps {
  size_t rows, columns;
  size_t x_row, x_column;
  size_t weights_row, weights_column;
};

// Number of sums of a tile that stay in registers in addition to its weights: 16 of 32, 8 of 16.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr size_t kDepthwiseSums = 16;
#else
inline constexpr size_t kDepthwiseSums = 8;
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// A Cortex-M has its own DepthwiseRun, depending on its FPU.
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/matrix/depthwise_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_FMA) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M'
#include "kernels/matrix/depthwise_cortex_m-inl.h"
#else

#include "kernels/matrix/depthwise_slide-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// kPixels pixels of kVectors vectors of channels, the last of which begins at channel `last`. If
// kIsPart, of the first `last` channels, fewer than a vector. kRows and kColumns are the counts of
// taps if known at compile time, else 0.
template <size_t kPixels, size_t kVectors, size_t kRows, size_t kColumns, bool kIsPart,
          class Weight>
HWY_INLINE void DepthwiseTile(const DepthwiseTaps& taps, const float* x, size_t x_pixel, float* y,
                              size_t y_pixel, const Weight* weights, const float* bias, size_t last,
                              bool relu) {
  const auto at = [=](size_t v) HWY_ATTR WEFT_ALWAYS_INLINE {
    return v + 1 == kVectors && !kIsPart ? last : v * kLanes;
  };
  const auto load = [=](const float* from) HWY_ATTR WEFT_ALWAYS_INLINE {
    return kIsPart ? LoadFirst(from, last) : Load(from);
  };
  // If channels are computed one at a time, the last weights may have less than a vector after
  // them.
  const auto load_weights = [=](const Weight* from) HWY_ATTR WEFT_ALWAYS_INLINE {
    if constexpr (kIsPart) {
      return LoadFirstWeights(from, last);
    } else {
      return LoadWeights(from);
    }
  };
  FloatVec sums[kPixels][kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) {
    const FloatVec start = bias != nullptr ? load(bias + at(v)) : Set(0.0f);
    HWY_UNROLL(8)
    for (size_t p = 0; p < kPixels; ++p) sums[p][v] = start;
  }
  const size_t rows = kRows != 0 ? kRows : taps.rows;
  const size_t columns = kColumns != 0 ? kColumns : taps.columns;
  HWY_UNROLL(3)
  for (size_t ky = 0; ky < rows; ++ky) {
    const float* row = x;
    const Weight* from = weights;
    HWY_UNROLL(3)
    for (size_t kx = 0; kx < columns; ++kx) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) {
        const FloatVec weight = load_weights(from + at(v));
        HWY_UNROLL(8)
        for (size_t p = 0; p < kPixels; ++p) {
          sums[p][v] = Fma(load(row + (p * x_pixel + at(v))), weight, sums[p][v]);
        }
      }
      row += taps.x_column;
      from += taps.weights_column;
    }
    x += taps.x_row;
    weights += taps.weights_row;
  }
  HWY_UNROLL(8)
  for (size_t p = 0; p < kPixels; ++p) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      const FloatVec sum = relu ? Relu(sums[p][v]) : sums[p][v];
      float* to = y + (p * y_pixel + at(v));
      kIsPart ? StoreFirst(sum, to, last) : Store(sum, to);
    }
  }
}

// The same for any number of pixels: tiles of kPixels, then of half as many.
template <size_t kPixels, size_t kVectors, size_t kRows, size_t kColumns, bool kIsPart,
          class Weight>
HWY_INLINE void DepthwisePixels(const DepthwiseTaps& taps, const float* x, size_t x_pixel, float* y,
                                size_t y_pixel, size_t pixels, const Weight* weights,
                                const float* bias, size_t last, bool relu) {
  for (; pixels >= kPixels; pixels -= kPixels) {
    DepthwiseTile<kPixels, kVectors, kRows, kColumns, kIsPart>(taps, x, x_pixel, y, y_pixel,
                                                               weights, bias, last, relu);
    x += kPixels * x_pixel;
    y += kPixels * y_pixel;
  }
  if constexpr (kPixels > 1) {
    DepthwisePixels<kPixels / 2, kVectors, kRows, kColumns, kIsPart>(
        taps, x, x_pixel, y, y_pixel, pixels, weights, bias, last, relu);
  }
}

// A run whose weights all stay in registers, two vectors of channels at a time. Returns false for
// other windows, and for runs so short that the two extra rows before the first pixel cost more.
template <size_t kColumns, class Weight>
HWY_INLINE bool DepthwiseSlides(const DepthwiseTaps& taps, const float* x, size_t x_pixel, float* y,
                                size_t y_pixel, size_t pixels, const Weight* weights,
                                const float* bias, bool relu) {
  constexpr size_t kMinPixels = 6;
  if (taps.rows != 3 || taps.columns != kColumns || x_pixel != taps.x_row) return false;
  if (pixels < kMinPixels) return false;
  for (size_t c = 0; c < 4 * kLanes; c += 2 * kLanes) {
    DepthwiseSlide<kColumns, 2>(taps, x + c, y + c, y_pixel, pixels, weights + c,
                                bias != nullptr ? bias + c : nullptr, relu);
  }
  return true;
}

// As many pixels at once as there are registers for their sums.
template <size_t kVectors, bool kIsPart, class Weight>
HWY_NOINLINE void DepthwiseVectors(const DepthwiseTaps& taps, const float* x, size_t x_pixel,
                                   float* y, size_t y_pixel, size_t pixels, const Weight* weights,
                                   const float* bias, size_t last, bool relu) {
  constexpr size_t kPixels = kDepthwiseSums / kVectors < 8 ? kDepthwiseSums / kVectors : 8;
  if constexpr (kVectors == 4 && kLanes > 1) {
    if (last == 3 * kLanes &&
        (DepthwiseSlides<3>(taps, x, x_pixel, y, y_pixel, pixels, weights, bias, relu) ||
         DepthwiseSlides<2>(taps, x, x_pixel, y, y_pixel, pixels, weights, bias, relu))) {
      return;
    }
  }
  if (taps.rows == 3 && taps.columns == 3) {
    DepthwisePixels<kPixels, kVectors, 3, 3, kIsPart>(taps, x, x_pixel, y, y_pixel, pixels, weights,
                                                      bias, last, relu);
  } else {
    DepthwisePixels<kPixels, kVectors, 0, 0, kIsPart>(taps, x, x_pixel, y, y_pixel, pixels, weights,
                                                      bias, last, relu);
  }
}

// Channels from `c` on, kVectors at a time, then half as many. The last vector is moved back so
// that it is full, and recomputes results.
template <size_t kVectors, class Weight>
HWY_INLINE void DepthwiseChannels(const DepthwiseTaps& taps, const float* x, size_t x_pixel,
                                  float* y, size_t y_pixel, size_t pixels, const Weight* weights,
                                  const float* bias, size_t channels, size_t c, bool relu) {
  while (c < channels && channels - c > (kVectors - 1) * kLanes) {
    const size_t left = channels - c;
    const size_t last = left < kVectors * kLanes ? left - kLanes : (kVectors - 1) * kLanes;
    DepthwiseVectors<kVectors, false>(taps, x + c, x_pixel, y + c, y_pixel, pixels, weights + c,
                                      bias != nullptr ? bias + c : nullptr, last, relu);
    c += left < kVectors * kLanes ? left : kVectors * kLanes;
  }
  if constexpr (kVectors > 1) {
    const size_t left = channels - c;
    if (left != 0 && left < kLanes) c = channels - kLanes;
    DepthwiseChannels<kVectors / 2>(taps, x, x_pixel, y, y_pixel, pixels, weights, bias, channels,
                                    c, relu);
  }
}

// `pixels` >= 1 pixels that have the same taps and `channels` >= 1 channels each:
//   y[p*y_pixel + c] = bias[c] + sum_{ky,kx} x[p*x_pixel + ky*x_row + kx*x_column + c] *
//                                            weights[ky*weights_row + kx*weights_column + c]
// followed by ReLU if `relu`. If there is at least a vector of channels, weights are padded to
// complete vectors. With one pixel, x_pixel and y_pixel are 0.
template <class Weight>
HWY_INLINE void DepthwiseRun(const DepthwiseTaps& taps, const float* x, size_t x_pixel, float* y,
                             size_t y_pixel, size_t pixels, const Weight* weights,
                             const float* bias, size_t channels, bool relu) {
  if (channels >= kLanes) {
    return DepthwiseChannels<kDepthwiseSums / 4>(taps, x, x_pixel, y, y_pixel, pixels, weights,
                                                 bias, channels, 0, relu);
  }
  if constexpr (kLanes > 1) {
    DepthwiseVectors<1, true>(taps, x, x_pixel, y, y_pixel, pixels, weights, bias, channels, relu);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the run of this target
#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_TILE_INL_H_
