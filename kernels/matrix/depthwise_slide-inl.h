// SPDX-License-Identifier: Apache-2.0
// The run of depthwise_tile-inl.h for windows of three rows that move down by one row from pixel to
// pixel. All weights stay in registers, and each row is read once for the three windows that share
// it. The accumulation order is that of the tile.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_SLIDE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_SLIDE_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_SLIDE_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_SLIDE_INL_H_
#endif

#include "kernels/matrix/weights-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Weights of kVectors vectors of contiguous channels.
template <size_t kColumns, size_t kVectors>
struct SlideWeights {
  FloatVec of[3][kColumns][kVectors];
  FloatVec start[kVectors];
};

// The sums of three pixels; the first lacks only the next row of x.
template <size_t kVectors>
struct SlideSums {
  FloatVec of[3][kVectors];
};

// Adds the row at `x` to sums [kFirst, 3).
template <size_t kFirst, size_t kColumns, size_t kVectors>
HWY_INLINE void SlideRow(const SlideWeights<kColumns, kVectors>& weights, const float* x,
                         size_t x_column, SlideSums<kVectors>& sums) {
  HWY_UNROLL(3)
  for (size_t kx = 0; kx < kColumns; ++kx) {
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      const FloatVec value = Load(x + v * kLanes);
      HWY_UNROLL(3)
      for (size_t i = kFirst; i < 3; ++i) {
        sums.of[i][v] = Fma(value, weights.of[2 - i][kx][v], sums.of[i][v]);
      }
    }
    x += x_column;
  }
}

// The first sum is complete: shifts the other sums and begins that of the next pixel.
template <size_t kColumns, size_t kVectors>
HWY_INLINE void SlideOn(const SlideWeights<kColumns, kVectors>& weights,
                        SlideSums<kVectors>& sums) {
  HWY_UNROLL(2)
  for (size_t v = 0; v < kVectors; ++v) {
    sums.of[0][v] = sums.of[1][v];
    sums.of[1][v] = sums.of[2][v];
    sums.of[2][v] = weights.start[v];
  }
}

// `pixels` >= 1. Sums that are begun after the last pixel are discarded: their rows are not read.
template <size_t kColumns, size_t kVectors, class Weight>
HWY_NOINLINE void DepthwiseSlide(const DepthwiseTaps& taps, const float* x, float* y,
                                 size_t y_pixel, size_t pixels, const Weight* from,
                                 const float* bias, bool relu) {
  SlideWeights<kColumns, kVectors> weights;
  HWY_UNROLL(2)
  for (size_t v = 0; v < kVectors; ++v) {
    weights.start[v] = bias != nullptr ? Load(bias + v * kLanes) : Set(0.0f);
    HWY_UNROLL(3)
    for (size_t ky = 0; ky < 3; ++ky) {
      HWY_UNROLL(3)
      for (size_t kx = 0; kx < kColumns; ++kx) {
        weights.of[ky][kx][v] =
            LoadWeights(from + (ky * taps.weights_row + kx * taps.weights_column + v * kLanes));
      }
    }
  }
  SlideSums<kVectors> sums;
  HWY_UNROLL(2)
  for (size_t v = 0; v < kVectors; ++v) {
    sums.of[1][v] = weights.start[v];
    sums.of[2][v] = weights.start[v];
  }
  const size_t x_row = taps.x_row, x_column = taps.x_column;
  SlideRow<2>(weights, x, x_column, sums);
  SlideOn(weights, sums);
  SlideRow<1>(weights, x + x_row, x_column, sums);
  SlideOn(weights, sums);
  x += 2 * x_row;
  for (; pixels != 0; --pixels) {
    SlideRow<0>(weights, x, x_column, sums);
    HWY_UNROLL(2)
    for (size_t v = 0; v < kVectors; ++v) {
      Store(relu ? Relu(sums.of[0][v]) : sums.of[0][v], y + v * kLanes);
    }
    SlideOn(weights, sums);
    x += x_row;
    y += y_pixel;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_SLIDE_INL_H_
