// SPDX-License-Identifier: Apache-2.0
// Implementation of Depthwise for any weight type; depthwise.cc and depthwise_<type>.cc instantiate
// it.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_INL_H_
#endif

#include "kernels/elementwise/activation-inl.h"
#include "kernels/matrix/depthwise.h"
#include "kernels/matrix/depthwise_flat-inl.h"
#include "kernels/matrix/depthwise_long-inl.h"
#include "kernels/matrix/depthwise_tile-inl.h"
#include "kernels/matrix/rectangles.h"
#include "kernels/simd/lanes16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Pixels of a row or a column of y that have the same taps, and the addresses of the results of one
// channel or of contiguous channels. With one pixel, x_pixel and y_pixel are 0.
template <class Weight>
struct DepthwiseLine {
  DepthwiseTaps taps;
  const float* x;
  size_t x_pixel;
  float* y;
  size_t y_pixel;
  size_t pixels;
  const Weight* weights;  // of the first tap
  const float* bias;      // or null
};

#if HWY_TARGET != HWY_SCALAR
// Pixels of one vector of y. Its lanes read the lanes of x given by `spread`; `inputs` channels of
// x are at most a vector.
template <size_t kPixels, bool kIsWhole, class Weight, class Indices>
HWY_INLINE void DepthwiseSpreadTile(const DepthwiseLine<Weight>& line, size_t pixel, size_t inputs,
                                    Indices spread, size_t count, bool relu) {
  const DepthwiseTaps taps = line.taps;
  const size_t x_pixel = line.x_pixel;
  const FloatVec start = line.bias != nullptr ? LoadOr(Set(0.0f), line.bias, count) : Set(0.0f);
  FloatVec sums[kPixels];
  HWY_UNROLL(8)
  for (size_t p = 0; p < kPixels; ++p) sums[p] = start;
  const float* rows = line.x + pixel * x_pixel;
  const Weight* weights = line.weights;
  for (size_t ky = 0; ky < taps.rows; ++ky) {
    const float* x = rows;
    const Weight* from = weights;
    for (size_t kx = 0; kx < taps.columns; ++kx) {
      const FloatVec weight = LoadWeights(from);
      HWY_UNROLL(8)
      for (size_t p = 0; p < kPixels; ++p) {
        const float* at = x + p * x_pixel;
        const FloatVec value = kIsWhole ? Load(at) : LoadFirst(at, inputs);
        sums[p] = Fma(hn::TableLookupLanes(value, spread), weight, sums[p]);
      }
      x += taps.x_column;
      from += taps.weights_column;
    }
    rows += taps.x_row;
    weights += taps.weights_row;
  }
  HWY_UNROLL(8)
  for (size_t p = 0; p < kPixels; ++p) {
    StoreUpTo(relu ? Relu(sums[p]) : sums[p], line.y + (pixel + p) * line.y_pixel, count);
  }
}

// All pixels, eight at a time.
template <bool kIsWhole, class Weight, class Indices>
HWY_NOINLINE void DepthwiseSpreadVector(const DepthwiseLine<Weight>& line, size_t inputs,
                                        Indices spread, size_t count, bool relu) {
  size_t p = 0;
  for (; p + 8 <= line.pixels; p += 8) {
    DepthwiseSpreadTile<8, kIsWhole>(line, p, inputs, spread, count, relu);
  }
  for (; p + 2 <= line.pixels; p += 2) {
    DepthwiseSpreadTile<2, kIsWhole>(line, p, inputs, spread, count, relu);
  }
  if (p < line.pixels) DepthwiseSpreadTile<1, kIsWhole>(line, p, inputs, spread, count, relu);
}

// Contiguous channels of which `multiplier` read the same channel of x: a vector of x is permuted.
template <class Weight>
HWY_NOINLINE void DepthwiseSpread(const DepthwiseLine<Weight>& all, size_t channels,
                                  size_t multiplier, bool relu) {
  const size_t in_channels = channels / multiplier;
  const size_t inputs = in_channels < kLanes ? in_channels : kLanes;
  for (size_t c = 0; c < channels; c += kLanes) {
    const size_t count = channels - c < kLanes ? channels - c : kLanes;
    // The vector of x must end within the channels.
    const size_t max = in_channels - inputs, first = c / multiplier < max ? c / multiplier : max;
    int32_t positions[kLanes];
    for (size_t i = 0; i < kLanes; ++i) {
      const size_t channel = i < count ? (c + i) / multiplier : first;
      positions[i] = static_cast<int32_t>(channel - first);
    }
    const auto spread = hn::IndicesFromVec(FloatTag(), hn::LoadU(IntTag(), positions));
    DepthwiseLine<Weight> line = all;
    line.x += first;
    line.y += c;
    line.weights += c;
    if (line.bias != nullptr) line.bias += c;
    if (inputs == kLanes) {
      DepthwiseSpreadVector<true>(line, inputs, spread, count, relu);
    } else {
      DepthwiseSpreadVector<false>(line, inputs, spread, count, relu);
    }
  }
}
#endif

// One pixel of one channel.
template <class Weight>
HWY_INLINE float DepthwisePixel(const DepthwiseLine<Weight>& line) {
  const DepthwiseTaps& taps = line.taps;
  float sum = line.bias != nullptr ? *line.bias : 0.0f;
  for (size_t ky = 0; ky < taps.rows; ++ky) {
    for (size_t kx = 0; kx < taps.columns; ++kx) {
      sum = Fma(line.x[ky * taps.x_row + kx * taps.x_column],
                WidenWeight(line.weights[ky * taps.weights_row + kx * taps.weights_column]), sum);
    }
  }
  return sum;
}

#if HWY_TARGET == HWY_SCALAR
// One channel with any strides between its pixels.
template <class Weight>
HWY_NOINLINE void DepthwiseStrided(DepthwiseLine<Weight> line, const Activation& activation) {
  for (size_t p = 0; p < line.pixels; ++p) {
    float* y = line.y + p * line.y_pixel;
    *y = DepthwisePixel(line);
    if (!IsPlain(activation)) ActivateSpan(activation, y, y, 1);
    line.x += line.x_pixel;
  }
}
#else
// kBlocks times 16 pixels of one channel with any strides; the last block has `last_count` <= 16.
template <size_t kBlocks, class Weight>
HWY_INLINE void DepthwiseBlocks(const DepthwiseLine<Weight>& line, size_t pixel, size_t last_count,
                                float* y) {
  const DepthwiseTaps& taps = line.taps;
  Lanes16 sums[kBlocks];
  for (size_t b = 0; b < kBlocks; ++b) {
    sums[b] = SetLanes16(line.bias != nullptr ? *line.bias : 0.0f);
  }
  for (size_t ky = 0; ky < taps.rows; ++ky) {
    for (size_t kx = 0; kx < taps.columns; ++kx) {
      const FloatVec weight =
          Set(WidenWeight(line.weights[ky * taps.weights_row + kx * taps.weights_column]));
      const float* x = line.x + (pixel * line.x_pixel + ky * taps.x_row + kx * taps.x_column);
      for (size_t b = 0; b < kBlocks; ++b) {
        const size_t count = b + 1 == kBlocks ? last_count : 16;
        const Lanes16 v = LoadLanes16(x + b * 16 * line.x_pixel, line.x_pixel, count, 0.0f);
        sums[b] = Combine(v, sums[b],
                          [=](FloatVec p, FloatVec sum) HWY_ATTR { return Fma(p, weight, sum); });
      }
    }
  }
  for (size_t b = 0; b < kBlocks; ++b) {
    StoreLanes16(sums[b], y + b * 16, b + 1 == kBlocks ? last_count : 16);
  }
}

// One channel with any strides between its pixels.
template <class Weight>
HWY_NOINLINE void DepthwiseStrided(const DepthwiseLine<Weight>& line,
                                   const Activation& activation) {
  for (size_t p = 0; p < line.pixels;) {
    const size_t left = line.pixels - p, count = left < 32 ? left : 32;
    float sums[32];
    if (left == 1 && p == 0) {
      sums[0] = DepthwisePixel(line);
    } else if (count > 16) {
      DepthwiseBlocks<2>(line, p, count - 16, sums);
    } else {
      DepthwiseBlocks<1>(line, p, count, sums);
    }
    if (!IsPlain(activation)) ActivateSpan(activation, sums, sums, count);
    for (size_t i = 0; i < count; ++i) line.y[(p + i) * line.y_pixel] = sums[i];
    p += count;
  }
}
#endif

// Handles shapes in which the lanes of a vector are not all channels of one pixel. Returns false,
// without writing y, if that would not be faster.
#if HWY_TARGET == HWY_SCALAR
template <class Weight>
HWY_INLINE bool DepthwiseByLanes(const DepthwiseShape&, const DepthwiseLine<Weight>&, size_t,
                                 bool) {
  return false;
}
#else
template <class Weight>
HWY_INLINE bool DepthwiseByLanes(const DepthwiseShape& shape, const DepthwiseLine<Weight>& line,
                                 size_t channels, bool relu) {
  if (channels == 1 && line.pixels == 1) {
    const float sum = DepthwisePixel(line);
    *line.y = relu && sum < 0.0f ? 0.0f : sum;
    return true;
  }
  if (shape.multiplier > 1 && channels > 1) {
    DepthwiseSpread(line, channels, shape.multiplier, relu);
    return true;
  }
  const bool is_flat = line.x_pixel == channels && line.y_pixel == channels;
  if (channels >= kLanes || !is_flat) return false;
  const size_t floats = line.pixels * channels;
  if (channels == 1) {
    DepthwiseFlat(line.taps, line.x, line.y, floats, line.weights, line.bias, OneChannel(), relu);
  } else {
    DepthwiseFlat(line.taps, line.x, line.y, floats, line.weights, line.bias,
                  RepeatedChannels(channels), relu);
  }
  return true;
}
#endif

// `channels` contiguous channels in x and in y.
template <class Weight>
HWY_INLINE void DepthwiseContiguous(const DepthwiseShape& shape, const DepthwiseLine<Weight>& line,
                                    size_t channels) {
  const bool relu = IsJust(shape.activation, UnaryOp::kRelu);
  if (!DepthwiseByLanes(shape, line, channels, relu)) {
    DepthwiseRun(line.taps, line.x, line.x_pixel, line.y, line.y_pixel, line.pixels, line.weights,
                 line.bias, channels, relu);
  }
  if (relu || IsPlain(shape.activation)) return;
  const bool is_run = line.y_pixel == channels;
  const size_t runs = is_run ? 1 : line.pixels, floats = is_run ? line.pixels * channels : channels;
  for (size_t p = 0; p < runs; ++p) {
    float* y = line.y + p * line.y_pixel;
    ActivateSpan(shape.activation, y, y, floats);
  }
}

// The taps of a rectangle and its first pixel, in the first channel of an image.
template <class Weight>
HWY_INLINE DepthwiseLine<Weight> LineOf(const DepthwiseShape& shape, const Rectangle& at,
                                        const TapSteps& taps, const float* x, const Weight* weights,
                                        float* y) {
  const size_t padded = (size_t{shape.channels} + 15) / 16 * 16;
  const size_t weights_row = shape.kernel_width * padded;
  DepthwiseLine<Weight> line = {};
  line.taps = {taps.rows, taps.columns, taps.row, taps.column, weights_row, padded};
  line.x = x + taps.first;
  line.weights = weights;
  if (taps.rows != 0) line.weights += at.ky.first * weights_row + at.kx.first * padded;
  line.y = y + FirstOf(at, shape.y);
  return line;
}

// All lines of a rectangle. Lines follow its longer side, or its rows if neighbouring pixels then
// form vectors. `channels` are contiguous, or it is one channel with any strides.
template <class Weight>
HWY_INLINE void DepthwiseRectangle(const DepthwiseShape& shape, const Rectangle& at,
                                   DepthwiseLine<Weight> line, size_t channels,
                                   bool is_contiguous) {
  const size_t rows = at.rows.count(), columns = at.columns.count();
  const bool has_taps = line.taps.rows != 0;
  const size_t x_row = has_taps ? size_t{shape.stride_y} * shape.x.row : 0;
  const size_t x_pixel = has_taps ? size_t{shape.stride_x} * shape.x.pixel : 0;
  const bool down = rows > columns && (columns == 1 || channels >= kLanes);
  const size_t lines = down ? columns : rows;
  line.pixels = down ? rows : columns;
  line.x_pixel = line.pixels == 1 ? 0 : down ? x_row : x_pixel;
  line.y_pixel = line.pixels == 1 ? 0 : down ? shape.y.row : shape.y.pixel;
  const float* x = line.x;
  float* y = line.y;
  for (size_t i = 0; i < lines; ++i) {
    line.x = x + i * (down ? x_pixel : x_row);
    line.y = y + i * (down ? shape.y.pixel : shape.y.row);
    if (is_contiguous) {
      DepthwiseContiguous(shape, line, channels);
    } else {
      DepthwiseStrided(line, shape.activation);
    }
  }
}

// Processes channels together if they are contiguous in x and in y, else one at a time.
template <class Weight>
HWY_INLINE void RunDepthwise(const DepthwiseShape& shape, const float* x, const Weight* weights,
                             const float* bias, float* y) {
  const WindowAxis down = shape.down();
  const WindowAxis across = shape.across();
  // If there are no outputs, the other counts are not bounded.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  if (DepthwiseLong(shape, x, weights, bias, y)) return;
  const bool in_contiguous = shape.channels == shape.multiplier || shape.x.channel == 1;
  const bool is_last = in_contiguous && (shape.channels == 1 || shape.y.channel == 1) &&
                       (shape.multiplier == 1 || kLanes > 1);
  const bool is_row = kLanes > 1 && shape.x.pixel == 1 && shape.stride_x == 1 && shape.y.pixel == 1;
  const size_t step = is_last ? shape.channels : 1;
  for (size_t b = 0; b < shape.batch; ++b) {
    Rectangles rectangles(down, across);
    while (const Rectangle* next = rectangles.Next()) {
      const Rectangle& at = *next;
      const DepthwiseLine<Weight> first =
          LineOf(shape, at, TapsOf(at, down, across, shape.x), x + b * shape.x.image, weights,
                 y + b * shape.y.image);
      uint32_t in_channel = 0, copies = 0;  // outputs of that channel so far
      for (size_t c = 0; c < shape.channels; c += step) {
        DepthwiseLine<Weight> line = first;
        line.x += in_channel * size_t{shape.x.channel};
        line.y += c * shape.y.channel;
        line.weights += c;
        line.bias = bias != nullptr ? bias + c : nullptr;
        DepthwiseRectangle(shape, at, line, step, is_last || is_row);
        if (++copies == shape.multiplier) ++in_channel, copies = 0;
      }
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_INL_H_
