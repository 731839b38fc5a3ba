// SPDX-License-Identifier: Apache-2.0
// Depthwise along one axis with many taps and stride 1, where lanes are channels. With such a long
// window, a tile of pixels would read the same rows repeatedly, and most pixels are at an edge.
// Here a tile processes several taps at a time: their weights stay in registers, and each row is
// read once for all pixels that use it. Rows outside the data are skipped individually. Each output
// is one chain in ascending order of the taps.
//
// With dilation d, pixels p, p + d, p + 2d ... read the same rows and are processed together.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_LONG_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_LONG_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_LONG_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_LONG_INL_H_
#endif

#include "kernels/elementwise/activation-inl.h"
#include "kernels/matrix/depthwise.h"
#include "kernels/matrix/depthwise_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR
template <class Weight>
HWY_INLINE bool DepthwiseLong(const DepthwiseShape&, const float*, const Weight*, const float*,
                              float*) {
  return false;
}
#else

inline constexpr size_t kLongPixels = kDepthwiseSums == 16 ? 12 : 8;
inline constexpr size_t kLongTaps = 4;
inline constexpr uint32_t kMinLongKernel = 7;

// Rows of the pixels of one residue: pixel i reads rows first + i, first + i + 1, ... of [0, rows),
// in wrapping size_t arithmetic. One vector of channels.
template <class Weight>
struct LongLine {
  const float* x;
  size_t x_step, rows, first;
  float* y;
  size_t y_step, pixels;
  const Weight* weights;
  size_t weight_step, taps;
  FloatVec start;
  bool relu;
};

// sums[p] += row[first + p + k] * weights[k] for k = 0 .. kTaps - 1; kIsEdge if rows may be outside
// the data.
template <size_t kPixels, size_t kTaps, bool kIsEdge, class Weight>
HWY_INLINE void AddLongTaps(const LongLine<Weight>& line, size_t first, const Weight* weights,
                            FloatVec (&sums)[kPixels]) {
  FloatVec w[kTaps];
  HWY_UNROLL(4)
  for (size_t k = 0; k < kTaps; ++k) w[k] = LoadWeights(weights + k * line.weight_step);
  HWY_UNROLL(16)
  for (size_t row = 0; row < kPixels + kTaps - 1; ++row) {
    if (kIsEdge && first + row >= line.rows) continue;
    const FloatVec value = Load(line.x + (first + row) * line.x_step);
    HWY_UNROLL(4)
    for (size_t k = 0; k < kTaps; ++k) {
      if (row >= k && row - k < kPixels) sums[row - k] = Fma(value, w[k], sums[row - k]);
    }
  }
}

template <size_t kPixels, size_t kTaps, class Weight>
HWY_INLINE void AddLongTaps(const LongLine<Weight>& line, size_t first, const Weight* weights,
                            FloatVec (&sums)[kPixels]) {
  constexpr size_t kRows = kPixels + kTaps - 1;
  if (first < line.rows && line.rows - first >= kRows) {
    AddLongTaps<kPixels, kTaps, false>(line, first, weights, sums);
  } else {
    AddLongTaps<kPixels, kTaps, true>(line, first, weights, sums);
  }
}

template <size_t kPixels, class Weight>
HWY_NOINLINE void DepthwiseLongTile(const LongLine<Weight>& line, size_t pixel) {
  FloatVec sums[kPixels];
  HWY_UNROLL(16)
  for (size_t p = 0; p < kPixels; ++p) sums[p] = line.start;
  const size_t first = line.first + pixel;
  const Weight* weights = line.weights;
  size_t k = 0;
  for (; k + kLongTaps <= line.taps; k += kLongTaps) {
    AddLongTaps<kPixels, kLongTaps>(line, first + k, weights, sums);
    weights += kLongTaps * line.weight_step;
  }
  for (; k < line.taps; ++k) {
    AddLongTaps<kPixels, 1>(line, first + k, weights, sums);
    weights += line.weight_step;
  }
  HWY_UNROLL(16)
  for (size_t p = 0; p < kPixels; ++p) {
    Store(line.relu ? Relu(sums[p]) : sums[p], line.y + (pixel + p) * line.y_step);
  }
}

// All pixels, at least half a tile. The last tile is moved back so that it is full.
template <class Weight>
HWY_INLINE void DepthwiseLongPixels(const LongLine<Weight>& line) {
  constexpr size_t kFewer = kLongPixels / 2;
  size_t p = 0;
  for (; p + kLongPixels <= line.pixels; p += kLongPixels) {
    DepthwiseLongTile<kLongPixels>(line, p);
  }
  for (; p < line.pixels; p += kFewer) {
    DepthwiseLongTile<kFewer>(line, p + kFewer <= line.pixels ? p : line.pixels - kFewer);
  }
}

// Returns true if the shape has a long window and contiguous channels. The bounds ensure that
// wrapped row indices are never valid ones.
HWY_INLINE bool IsLong(const DepthwiseShape& shape) {
  const uint64_t reach = uint64_t{shape.kernel_width} * shape.dilation_x;
  return shape.in_height == 1 && shape.out_height == 1 && shape.kernel_height == 1 &&
         shape.pad_top == 0 && shape.multiplier == 1 && shape.stride_x == 1 &&
         shape.channels >= kLanes && shape.x.channel == 1 && shape.y.channel == 1 &&
         shape.kernel_width >= kMinLongKernel &&
         shape.out_width / shape.dilation_x >= kLongPixels / 2 &&
         reach + shape.in_width + shape.out_width + shape.pad_left < (uint64_t{1} << 31);
}

// All channels of the pixels of one residue; x, y and weights of one image.
template <class Weight>
HWY_INLINE void DepthwiseLongResidue(const DepthwiseShape& shape, uint32_t residue, const float* x,
                                     const Weight* weights, const float* bias, float* y) {
  const int64_t step = shape.dilation_x, origin = int64_t{residue} - shape.pad_left;
  const int64_t before = origin < 0 ? (-origin + step - 1) / step : 0;  // rows before the data
  const int64_t position = origin + before * step;  // of the first row in the data
  const int64_t skipped = position / step, min = position % step;
  LongLine<Weight> line = {};
  line.x_step = shape.dilation_x * size_t{shape.x.pixel};
  line.rows =
      min < shape.in_width ? static_cast<size_t>((shape.in_width - min + step - 1) / step) : 0;
  line.first = static_cast<size_t>(skipped) - static_cast<size_t>(before);
  line.y_step = shape.dilation_x * size_t{shape.y.pixel};
  line.pixels = (shape.out_width - residue + shape.dilation_x - 1) / shape.dilation_x;
  line.weight_step = (size_t{shape.channels} + 15) / 16 * 16;
  line.taps = shape.kernel_width;
  line.relu = IsJust(shape.activation, UnaryOp::kRelu);
  for (size_t c = 0; c < shape.channels; c += kLanes) {
    // The last vector is moved back so that it is full, and recomputes results.
    if (shape.channels - c < kLanes) c = shape.channels - kLanes;
    line.x = line.rows != 0 ? x + (static_cast<size_t>(min) * shape.x.pixel + c) : x;
    line.y = y + (size_t{residue} * shape.y.pixel + c);
    line.weights = weights + c;
    line.start = bias != nullptr ? Load(bias + c) : Set(0.0f);
    DepthwiseLongPixels(line);
  }
}

// Returns false if the window is not long; then y is not written.
template <class Weight>
HWY_INLINE bool DepthwiseLong(const DepthwiseShape& shape, const float* x, const Weight* weights,
                              const float* bias, float* y) {
  if (!IsLong(shape)) return false;
  const bool is_done = IsPlain(shape.activation) || IsJust(shape.activation, UnaryOp::kRelu);
  for (size_t b = 0; b < shape.batch; ++b) {
    float* image = y + b * shape.y.image;
    for (uint32_t residue = 0; residue < shape.dilation_x; ++residue) {
      DepthwiseLongResidue(shape, residue, x + b * shape.x.image, weights, bias, image);
    }
    for (size_t p = 0; !is_done && p < shape.out_width; ++p) {
      float* pixel = image + p * shape.y.pixel;
      ActivateSpan(shape.activation, pixel, pixel, shape.channels);
    }
  }
  return true;
}
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_LONG_INL_H_
