// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_q8.h"

#include "kernels/matrix/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/depthwise_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/results_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The taps of one output pixel: `ky` and `kx` lie inside the input, the first of them at `x`.
struct PixelTaps {
  IndexRange ky, kx;
  size_t row, column;  // steps of a tap
  const int8_t* x;     // of the first channel
};

// The levels of `count` channels of y from `channel` on, at one tap.
HWY_INLINE const int8_t* ChannelsAt(const DepthwiseQ8Shape& shape, const int8_t* x, size_t channel,
                                    size_t count, int8_t* block) {
  const size_t stride = shape.x.channel;
  if (shape.multiplier == 1 && stride == 1) return x + channel;
  for (size_t i = 0; i < count; ++i) {
    const size_t from = (channel + i) / shape.multiplier;
    block[i] = from == 0 ? x[0] : x[from * stride];  // along one channel a stride leads nowhere
  }
  return block;
}

HWY_INLINE void AddProducts(const int8_t* x, const int8_t* weights, size_t count, int32_t* sums) {
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    const IntVec product = hn::Mul(LoadLevels(x + i, lanes), LoadLevels(weights + i, kLanes));
    hn::StoreU(hn::Add(hn::LoadU(IntTag(), sums + i), product), IntTag(), sums + i);
  });
}

// Sums of `count` channels, at most a panel of them.
WEFT_PART void SumTaps(const DepthwiseQ8Shape& shape, const PixelTaps& taps, const int8_t* weights,
                       size_t channel, size_t count, int32_t* sums) {
  const size_t padded = PanelCount(shape.channels) * kPanelOutputs;
  int8_t padding[kPanelOutputs], block[kPanelOutputs];
  for (size_t i = 0; i < kPanelOutputs; ++i) padding[i] = shape.x_zero, sums[i] = 0;
  const uint32_t tap_rows = shape.kernel_width == 0 ? 0 : shape.kernel_height;
  for (uint32_t ky = 0; ky < tap_rows; ++ky) {
    const bool in_rows = ky >= taps.ky.first && ky < taps.ky.end;
    for (uint32_t kx = 0; kx < shape.kernel_width; ++kx, weights += padded) {
      const int8_t* x = padding;
      if (in_rows && kx >= taps.kx.first && kx < taps.kx.end) {
        const int8_t* const at =
            taps.x + ((ky - taps.ky.first) * taps.row + (kx - taps.kx.first) * taps.column);
        x = ChannelsAt(shape, at, channel, count, block);
      }
      AddProducts(x, weights, count, sums);
    }
  }
}

// `image` is where the image of the pixel begins in x.
HWY_INLINE PixelTaps TapsOfPixel(const DepthwiseQ8Shape& shape, const WindowAxis& down,
                                 const WindowAxis& across, const int8_t* x, size_t image,
                                 uint32_t row, uint32_t column) {
  PixelTaps taps = {down.Taps(row), across.Taps(column), 0, 0, x};
  if (taps.ky.count() == 0 || taps.kx.count() == 0) {
    taps.ky = {};
    return taps;
  }
  if (taps.ky.count() > 1) taps.row = size_t{down.dilation} * shape.x.row;
  if (taps.kx.count() > 1) taps.column = size_t{across.dilation} * shape.x.pixel;
  const auto place = [](const WindowAxis& axis, uint32_t output, uint32_t tap, size_t stride) {
    const size_t index = size_t{output} * axis.stride + size_t{tap} * axis.dilation - axis.pad;
    return index == 0 ? 0 : index * stride;
  };
  taps.x += image + place(down, row, taps.ky.first, shape.x.row) +
            place(across, column, taps.kx.first, shape.x.pixel);
  return taps;
}

void DepthwiseQ8(const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
                 const FactorsQ8& factors, void* y) {
  // Without outputs nothing bounds the other counts.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  const WindowAxis down = {shape.in_height, shape.out_height, shape.kernel_height,
                           shape.stride_y,  shape.dilation_y, shape.pad_top};
  const WindowAxis across = {shape.in_width, shape.out_width,  shape.kernel_width,
                             shape.stride_x, shape.dilation_x, shape.pad_left};
  const ResultWriter results(shape.results, shape.activation);
  for (size_t b = 0; b < shape.batch; ++b) {
    for (uint32_t row = 0; row < shape.out_height; ++row) {
      for (uint32_t column = 0; column < shape.out_width; ++column) {
        const PixelTaps taps = TapsOfPixel(shape, down, across, x, b * shape.x.image, row, column);
        const size_t place =
            b * shape.y.image + row * size_t{shape.y.row} + column * size_t{shape.y.pixel};
        for (size_t channel = 0; channel < shape.channels; channel += kPanelOutputs) {
          const size_t left = shape.channels - channel;
          const size_t count = left < kPanelOutputs ? left : kPanelOutputs;
          int32_t sums[kPanelOutputs];
          SumTaps(shape, taps, weights + channel, channel, count, sums);
          results.Write(sums, factors, channel, count, y, place + channel * shape.y.channel,
                        shape.y.channel);
        }
      }
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(DepthwiseQ8);

void DepthwiseQ8(const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
                 const FactorsQ8& factors, void* y) {
  HWY_DYNAMIC_DISPATCH(DepthwiseQ8)(shape, x, weights, factors, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
