// SPDX-License-Identifier: Apache-2.0
// Conv for weights of any type: conv.cc and conv_<type>.cc are this.

#if defined(WEFT_KERNELS_MATRIX_CONV_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_CONV_INL_H_
#undef WEFT_KERNELS_MATRIX_CONV_INL_H_
#else
#define WEFT_KERNELS_MATRIX_CONV_INL_H_
#endif

#include "kernels/matrix/conv.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/product-inl.h"
#include "kernels/matrix/rectangles.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Offsets count modulo the size of memory: strides that lead nowhere may be anything, and no pointer
// is made of an element that is not there.

// The product of one group of one image.
template <class Weight>
struct ConvImage {
  static constexpr auto& kShapes = kPixelShapes;

  const ConvShape& shape;
  const float* x;         // the group's channels
  const Weight* weights;  // the next panel
  const float* bias;      // of the next output channel, or null
  float* y;               // the next output channel
  size_t panel_weights;

  template <size_t kPixels, size_t kPanels>
  WEFT_TILES void Group(size_t channels, size_t pixels) const;

  HWY_INLINE void Next(size_t channels) {
    weights += channels / kPanel * panel_weights;
    y += channels * shape.y.channel;
    if (bias != nullptr) bias += channels;
  }
};

// The taps of a rectangle: `windows` times `taps`. The order of the sum is (ky, kx, c), ascending;
// where pixels lie one behind the other, the inner two are one run.
struct ConvTaps {
  Taps taps;
  size_t x, weights;  // offsets of the first tap
  size_t windows, x_window, weight_window;
};

HWY_INLINE ConvTaps ConvTapsOf(const ConvShape& shape, const Rectangle& at, const TapSteps& steps) {
  const size_t channels = shape.in_channels, column_weights = channels * kPanel;
  const size_t row_weights = column_weights * shape.kernel_width;
  ConvTaps all = {};
  if (steps.rows == 0 || channels == 0) return all;
  all.x = steps.first;
  all.weights = at.ky.first * row_weights + at.kx.first * column_weights;
  const bool is_line = channels == 1;
  if (is_line || steps.columns == 1 || steps.column == channels * shape.x.channel) {
    all.windows = 1;
    all.taps = {steps.rows, steps.columns * channels, is_line ? steps.column : shape.x.channel,
                steps.row, row_weights};
  } else {
    all.windows = steps.rows;
    all.x_window = steps.row;
    all.weight_window = row_weights;
    all.taps = {steps.columns, channels, shape.x.channel, steps.column, column_weights};
  }
  return all;
}

// The pixels of a rectangle, from the next one on.
template <class Weight>
struct ConvPixels {
  const ConvImage<Weight>& image;
  const ConvTaps& window;
  size_t columns;
  size_t x_row, x_pixel;  // from pixel to pixel; 0 where there are no taps
  size_t x, y;            // offsets of the next row
  size_t column;

  // Moves on by kPixels pixels and says where they lie.
  template <size_t kPixels>
  HWY_INLINE void Take(const float* (&from)[kPixels], float* (&to)[kPixels]) {
    for (size_t p = 0; p < kPixels; ++p) {
      from[p] = image.x + (x + column * x_pixel);
      to[p] = image.y + (y + column * image.shape.y.pixel);
      if (++column < columns) continue;
      column = 0;
      x += x_row;
      y += image.shape.y.row;
    }
  }

  template <size_t kPixels, size_t kPanels>
  WEFT_TILES void Run(size_t channels) {
    const float* from[kPixels];
    float* to[kPixels];
    Take(from, to);
    Tile<kPixels, kPanels> tile;
    if (image.bias != nullptr) {
      tile.Start(image.bias, 0, channels);
    } else {
      tile.Zero();
    }
    const Weight* weights = image.weights + window.weights;
    for (size_t i = 0; i < window.windows; ++i) {
      if (i != 0) {
        for (const float*& pixel : from) pixel += window.x_window;
        weights += window.weight_window;
      }
      tile.AddTaps(from, window.taps, weights, image.panel_weights);
    }
    const ConvShape& shape = image.shape;
    if (shape.y.channel != 1 && channels != 1) return Scatter(tile, to, channels);
    tile.Finish(to, channels, shape.activation);
    if (TileTakes(shape.activation)) return;
    for (float* pixel : to) ActivateSpan(shape.activation, pixel, pixel, channels);
  }

  // Lanes are output channels, which lie apart in y: the tile goes through memory.
  template <size_t kPixels, size_t kPanels>
  HWY_INLINE void Scatter(Tile<kPixels, kPanels>& tile, float* const* to, size_t channels) const {
    constexpr size_t kOutputs = kPanels * kPanel;
    float spare[kPixels * kOutputs];
    float* const block = tile.Block(spare);
    float* rows[kPixels];
    for (size_t p = 0; p < kPixels; ++p) rows[p] = block + p * kOutputs;
    const Activation& activation = image.shape.activation;
    tile.Finish(rows, kOutputs, activation);
    if (!TileTakes(activation)) ActivateSpan(activation, block, block, kPixels * kOutputs);
    size_t offset = 0;
    for (size_t c = 0; c < channels; ++c) {
      HWY_UNROLL(16)
      for (size_t p = 0; p < kPixels; ++p) to[p][offset] = block[p * kOutputs + c];
      offset += image.shape.y.channel;
    }
  }
};

template <class Weight>
template <size_t kPixels, size_t kPanels>
void ConvImage<Weight>::Group(size_t channels, size_t) const {
  const WindowAxis down = {shape.in_height, shape.out_height, shape.kernel_height,
                           shape.stride_y,  shape.dilation_y, shape.pad_top};
  const WindowAxis across = {shape.in_width, shape.out_width,  shape.kernel_width,
                             shape.stride_x, shape.dilation_x, shape.pad_left};
  Rectangles rectangles(down, across);
  while (const Rectangle* rectangle = rectangles.Next()) {
    const Rectangle& at = *rectangle;
    const ConvTaps window = ConvTapsOf(shape, at, TapsOf(at, down, across, shape.x));
    ConvPixels<Weight> next = {*this, window,   at.columns.count(),   0,
                               0,     window.x, FirstOf(at, shape.y), 0};
    if (window.windows != 0) {
      next.x_row = size_t{shape.stride_y} * shape.x.row;
      next.x_pixel = size_t{shape.stride_x} * shape.x.pixel;
    }
    RunRows<kPixels, kPanels>(next, channels, size_t{at.rows.count()} * at.columns.count());
  }
}

template <class Weight>
HWY_INLINE void RunConv(const ConvShape& shape, const float* x, const Weight* weights,
                        const float* bias, float* y) {
  const size_t pixels = size_t{shape.out_height} * shape.out_width;
  // Without outputs nothing bounds the other counts.
  if (pixels == 0 || shape.out_channels == 0) return;
  const size_t group_weights = PackedConvFloats(1, shape.out_channels, shape.in_channels,
                                                shape.kernel_height, shape.kernel_width);
  const size_t panel_weights = group_weights / PanelCount(shape.out_channels);
  for (size_t b = 0; b < shape.batch; ++b) {
    for (size_t g = 0; g < shape.groups; ++g) {
      ConvImage<Weight> image = {shape,
                                 x + b * shape.x.image + g * shape.in_channels * shape.x.channel,
                                 weights + g * group_weights,
                                 bias == nullptr ? nullptr : bias + g * shape.out_channels,
                                 y + b * shape.y.image + g * shape.out_channels * shape.y.channel,
                                 panel_weights};
      RunProduct(image, shape.out_channels, pixels);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_CONV_INL_H_
