// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_q8_shorts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/depthwise_q8_shorts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/rectangles.h"
#include "kernels/simd/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Some channels of a tap of x: contiguous ones in place, others copied to `block`.
HWY_INLINE const int16_t* ChannelsOf(const DepthwiseQ8Shape& shape, const int16_t* tap,
                                     size_t channel, size_t lanes, int16_t* block) {
  if (shape.multiplier == 1 && shape.x.channel == 1) return tap + channel;
  for (size_t i = 0; i < lanes; ++i) {
    block[i] = tap[(channel + i) / shape.multiplier * shape.x.channel];
  }
  return block;
}

// One pixel, whose taps begin at x and at `weights`.
WEFT_PART void PixelOfShorts(const DepthwiseQ8Shape& shape, const TapSteps& taps, const int16_t* x,
                             const int8_t* weights, const ShortResults& results, int16_t* y) {
  const size_t padded = PanelCount(shape.channels) * kPanelOutputs;
  ints::ForVectors(shape.channels, [&](size_t channel, size_t lanes) HWY_ATTR {
    int64_t sums[ints::kLanes] = {};
    int32_t part[ints::kLanes];
    int16_t block[ints::kLanes] = {};
    ints::Vec sum = ints::Set(0);
    const auto add_part = [&]() HWY_ATTR {
      ints::Store(sum, part, lanes);
      for (size_t i = 0; i < lanes; ++i) sums[i] += part[i];
      sum = ints::Set(0);
    };
    size_t terms = 0;
    for (size_t ky = 0; ky < taps.rows; ++ky) {
      for (size_t kx = 0; kx < taps.columns; ++kx) {
        const int16_t* const tap = x + (ky * taps.row + kx * taps.column);
        const int16_t* const from = ChannelsOf(shape, tap, channel, lanes, block);
        const int8_t* const weight = weights + (ky * shape.kernel_width + kx) * padded + channel;
        sum = ints::Add(sum, ints::Mul(ints::Load(from, lanes), ints::Load(weight, lanes)));
        if (++terms % kMaxShortProducts == 0) add_part();
      }
    }
    add_part();
    for (size_t i = 0; i < lanes; ++i) {
      y[(channel + i) * shape.y.channel] = results.Of(sums[i], channel + i);
    }
  });
}

void DepthwiseQ8Shorts(const DepthwiseQ8Shape& shape, const int16_t* x, const int8_t* weights,
                       const ShortResults& results, int16_t* y) {
  // Without outputs the other counts are not bounded.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  const WindowAxis down = shape.down(), across = shape.across();
  const size_t padded = PanelCount(shape.channels) * kPanelOutputs;
  for (size_t b = 0; b < shape.batch; ++b) {
    Rectangles rectangles(down, across);
    while (const Rectangle* next = rectangles.Next()) {
      const Rectangle& at = *next;
      const TapSteps taps = TapsOf(at, down, across, shape.x);
      const bool has_taps = taps.rows != 0;
      const PixelSteps steps = StepsOf(shape, has_taps);
      const size_t x_first = has_taps ? b * shape.x.image + taps.first : 0;
      const size_t y_first = b * shape.y.image + FirstOf(at, shape.y);
      const size_t first_tap =
          has_taps ? at.ky.first * size_t{shape.kernel_width} + at.kx.first : 0;
      for (size_t i = 0; i < at.rows.count(); ++i) {
        for (size_t j = 0; j < at.columns.count(); ++j) {
          PixelOfShorts(shape, taps, x + (x_first + i * steps.row + j * steps.column),
                        weights + first_tap * padded, results,
                        y + (y_first + i * shape.y.row + j * shape.y.pixel));
        }
      }
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(DepthwiseQ8Shorts,
            (const DepthwiseQ8Shape& shape, const int16_t* x, const int8_t* weights,
             const ShortResults& results, int16_t* y),
            (shape, x, weights, results, y))
