// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv.h"

#include "kernels/pack.h"
#include "kernels/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activation-inl.h"
#include "kernels/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Pixels of one output row that share their taps, for one group of panels.
struct ConvPixels {
  const float* x;        // the group's channels
  const float* weights;  // the first panel
  const float* bias;     // of the first output channel, or null
  float* y;              // of the first output channel
  size_t y_offset;       // the first pixel
  size_t channels;       // to write, at most 16 per panel
  IndexRange rows;
  IndexRange columns;
  int64_t origin_y;
  int64_t origin_x;  // of the first pixel
};

// The order of the sum is (ky, kx, c), ascending. Where pixels lie one behind the other, the inner two
// are one run.
template <size_t kPixels, size_t kPanels>
HWY_INLINE void AccumulateTaps(const ConvShape& shape, const ConvPixels& at,
                               Tile<kPixels, kPanels>& tile) {
  const size_t channels = shape.in_channels;
  const size_t panel_floats = size_t{shape.kernel_height} * shape.kernel_width * channels * kPanel;
  if (at.rows.count() == 0 || at.columns.count() == 0 || channels == 0) return;
  const size_t to_column = size_t{shape.dilation_x} * shape.x.pixel;
  const bool is_run = channels == 1 || to_column == channels * shape.x.channel;
  const size_t runs = is_run ? 1 : at.columns.count();
  const size_t count = is_run ? at.columns.count() * channels : channels;
  const size_t step = channels == 1 ? to_column : shape.x.channel;
  // Counted modulo the size of memory: the first tap may lie in the padding before the data, but
  // no pointer is made of an element that is not there.
  const size_t origin =
      static_cast<size_t>(at.origin_y) * shape.x.row +
      (static_cast<size_t>(at.origin_x) + size_t{at.columns.first} * shape.dilation_x) *
          shape.x.pixel;
  for (size_t ky = at.rows.first; ky < at.rows.end; ++ky) {
    const size_t row = origin + ky * shape.dilation_y * shape.x.row;
    const float* weights =
        at.weights + (ky * shape.kernel_width + at.columns.first) * channels * kPanel;
    for (size_t run = 0; run < runs; ++run) {
      tile.Accumulate(at.x + row + run * to_column, size_t{shape.stride_x} * shape.x.pixel,
                      count > 1 ? step : 0, weights + run * channels * kPanel, kPanel, panel_floats,
                      count);
    }
  }
}

// Lanes are output channels, which may lie a plane apart in y: the tile goes through the stack,
// where the activation runs too.
template <size_t kPixels, size_t kPanels>
HWY_NOINLINE void ConvTile(const ConvShape& shape, const ConvPixels& at) {
  constexpr size_t kLanesOfTile = kPanels * kPanel;
  Tile<kPixels, kPanels> tile;
  if (at.bias != nullptr) {
    tile.Start(at.bias, 0, at.channels);
  } else {
    tile.Zero();
  }
  AccumulateTaps(shape, at, tile);
  float block[kPixels * kLanesOfTile];
  tile.Finish(block, kLanesOfTile, kLanesOfTile);
  if (!IsPlain(shape.activation)) {
    ActivateSpan(shape.activation, block, block, kPixels * kLanesOfTile);
  }
  for (size_t c = 0; c < at.channels; ++c) {
    for (size_t p = 0; p < kPixels; ++p) {
      at.y[at.y_offset + c * shape.y.channel + p * shape.y.pixel] = block[p * kLanesOfTile + c];
    }
  }
}

// `count` pixels, kPixels at a time, then fewer.
template <size_t kPixels, size_t kPanels>
HWY_INLINE void ConvRun(const ConvShape& shape, ConvPixels at, size_t count) {
  while (count >= kPixels) {
    ConvTile<kPixels, kPanels>(shape, at);
    at.y_offset += kPixels * shape.y.pixel;
    at.origin_x += static_cast<int64_t>(kPixels * shape.stride_x);
    count -= kPixels;
  }
  if constexpr (kPixels > 1) ConvRun<kPixels / 2, kPanels>(shape, at, count);
}

// One group of panels over all pixels of one image.
template <size_t kPixels, size_t kPanels>
HWY_INLINE void ConvImage(const ConvShape& shape, ConvPixels at) {
  const WindowAxis down = {shape.in_height, shape.out_height, shape.kernel_height,
                           shape.stride_y,  shape.dilation_y, shape.pad_top};
  const WindowAxis across = {shape.in_width, shape.out_width,  shape.kernel_width,
                             shape.stride_x, shape.dilation_x, shape.pad_left};
  const IndexRange inside = across.Inside();
  for (uint32_t py = 0; py < down.output; ++py) {
    at.rows = down.Taps(py);
    at.origin_y = down.Origin(py);
    for (uint32_t px = 0; px < across.output;) {
      const bool is_inside = px >= inside.first && px < inside.end;
      const uint32_t count = is_inside ? inside.end - px : 1;
      at.columns = across.Taps(px);
      at.origin_x = across.Origin(px);
      at.y_offset = size_t{py} * shape.y.row + size_t{px} * shape.y.pixel;
      if (is_inside) {
        ConvRun<kPixels, kPanels>(shape, at, count);
      } else {
        ConvTile<1, kPanels>(shape, at);
      }
      px += count;
    }
  }
}

// All output channels of one group, as many panels at once as the registers hold, then half as
// many.
template <size_t kPixels, size_t kPanels>
HWY_INLINE void ConvGroup(const ConvShape& shape, ConvPixels at, size_t channels) {
  constexpr size_t kChannels = kPanels * kPanel;
  while (channels > kChannels - kPanel) {
    at.channels = channels < kChannels ? channels : kChannels;
    ConvImage<kPixels, kPanels>(shape, at);
    channels -= at.channels;
    if (channels == 0) return;  // a stride that leads to no channel may be anything
    at.weights +=
        PackedConvFloats(1, kChannels, shape.in_channels, shape.kernel_height, shape.kernel_width);
    at.y += at.channels * shape.y.channel;
    if (at.bias != nullptr) at.bias += at.channels;
  }
  if constexpr (kPanels > 1) ConvGroup<kPixels, kPanels / 2>(shape, at, channels);
}

void Conv(const ConvShape& shape, const float* x, const float* weights, const float* bias,
          float* y) {
  const size_t group_floats = PackedConvFloats(1, shape.out_channels, shape.in_channels,
                                               shape.kernel_height, shape.kernel_width);
  // Without outputs nothing bounds the other counts.
  if (shape.out_channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  for (size_t b = 0; b < shape.batch; ++b) {
    for (size_t g = 0; g < shape.groups; ++g) {
      ConvPixels at = {};
      at.x = x + b * shape.x.image + g * shape.in_channels * shape.x.channel;
      at.weights = weights + g * group_floats;
      at.bias = bias == nullptr ? nullptr : bias + g * shape.out_channels;
      at.y = y + b * shape.y.image + g * shape.out_channels * shape.y.channel;
#if HWY_TARGET == HWY_SCALAR
      ConvGroup<1, 1>(shape, at, shape.out_channels);
#elif HWY_TARGET <= HWY_AVX3
      ConvGroup<5, 4>(shape, at, shape.out_channels);
#else
      ConvGroup<5, 1>(shape, at, shape.out_channels);
#endif
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Conv);

void Conv(const ConvShape& shape, const float* x, const float* weights, const float* bias,
          float* y) {
  HWY_DYNAMIC_DISPATCH(Conv)(shape, x, weights, bias, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
