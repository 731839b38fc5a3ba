// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_q8.h"

#include "kernels/matrix/rectangles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/depthwise_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/depthwise_dots-inl.h"
#include "kernels/matrix/results_q8-inl.h"
#if defined(WEFT_SUMS_NEIGHBOURS)
#include "kernels/matrix/depthwise_q8_cortex_m-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Gathers the values of x at one tap for `count` channels of y from `channel` on.
WEFT_PART void GatherChannels(const DepthwiseQ8Shape& shape, const int8_t* x, size_t channel,
                              size_t count, int8_t* block) {
  for (size_t i = 0; i < count; ++i) {
    const size_t from = (channel + i) / shape.multiplier;
    block[i] =
        from == 0 ? x[0]
                  : x[from * shape.x.channel];  // the stride of a single channel may have any value
  }
}

// A rectangle of taps, with the distances between adjacent taps in x and in the weights, in
// elements.
struct TapBlock {
  uint32_t rows, columns;
  size_t x_row, x_column, w_row, w_column;
};

template <size_t kVectors>
HWY_INLINE void AddTapsTo(const TapBlock& taps, const int8_t* x, const int8_t* weights,
                          size_t lanes, int32_t* sums) {
  IntVec vectors[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) vectors[v] = hn::LoadU(IntTag(), sums + v * kLanes);
  for (uint32_t ky = taps.rows; ky != 0; --ky, x += taps.x_row, weights += taps.w_row) {
    const int8_t *at = x, *w = weights;
    for (uint32_t kx = taps.columns; kx != 0; --kx, at += taps.x_column, w += taps.w_column) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) {
        const IntVec codes = LoadCodes(at + v * kLanes, lanes);
        const IntVec product = hn::Mul(codes, LoadCodes(w + v * kLanes, kLanes));
        vectors[v] = hn::Add(vectors[v], product);
      }
    }
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(vectors[v], IntTag(), sums + v * kLanes);
}

// Adds the products of `count` contiguous channels.
WEFT_PART void AddTaps(const TapBlock& taps, const int8_t* x, const int8_t* weights, size_t count,
                       int32_t* sums) {
  constexpr size_t kVectors = HWY_TARGET == HWY_SCALAR ? 4 : kPanelVectors;
  size_t i = 0;
  for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
    AddTapsTo<kVectors>(taps, x + i, weights + i, kLanes, sums + i);
  }
  for (; i < count; i += kLanes) {
    const size_t left = count - i;
    AddTapsTo<1>(taps, x + i, weights + i, left < kLanes ? left : kLanes, sums + i);
  }
}

// Sums of `count` channels, at most a panel: over the taps inside the input, which begin at x, and
// over the padding on all four sides.
WEFT_PART void SumTaps(const DepthwiseQ8Shape& shape, const Rectangle& at, const TapSteps& taps,
                       const int8_t* x, const int8_t* weights, const int8_t* padding,
                       size_t channel, size_t count, int32_t* sums) {
  const size_t padded = PanelCount(shape.channels) * kPanelOutputs;
  const size_t line = shape.kernel_width * padded;
  for (size_t i = 0; i < kPanelOutputs; ++i) sums[i] = 0;
  const auto pad = [&](uint32_t rows, uint32_t columns, const int8_t* from) {
    if (rows != 0 && columns != 0) {
      AddTaps({rows, columns, 0, 0, line, padded}, padding, from, count, sums);
    }
  };
  const auto rows = static_cast<uint32_t>(taps.rows), columns = static_cast<uint32_t>(taps.columns);
  if (rows == 0) return pad(shape.kernel_height, shape.kernel_width, weights);
  const int8_t* const inside = weights + at.ky.first * line;
  if (shape.multiplier == 1 && shape.x.channel == 1) {
    AddTaps({rows, columns, taps.row, taps.column, line, padded}, x + channel,
            inside + at.kx.first * padded, count, sums);
  } else {
    for (uint32_t ky = 0; ky < rows; ++ky) {
      for (uint32_t kx = 0; kx < columns; ++kx) {
        int8_t block[kPanelOutputs];
        GatherChannels(shape, x + (ky * taps.row + kx * taps.column), channel, count, block);
        AddTaps({1, 1, 0, 0, 0, 0}, block, inside + ky * line + (at.kx.first + kx) * padded, count,
                sums);
      }
    }
  }
  if (rows == shape.kernel_height && columns == shape.kernel_width) return;
  pad(at.ky.first, shape.kernel_width, weights);
  pad(rows, at.kx.first, inside);
  pad(rows, shape.kernel_width - at.kx.end, inside + at.kx.end * padded);
  pad(shape.kernel_height - at.ky.end, shape.kernel_width, weights + at.ky.end * line);
}

// The operands of a rectangle: addresses or indices of its first output.
struct RectangleOperands {
  const int8_t* x;
  PixelSteps steps;
  size_t y;
};

// Computes a rectangle one pixel at a time.
WEFT_PART void PixelsOfRectangle(const DepthwiseQ8Shape& shape, const Rectangle& at,
                                 const TapSteps& taps, const RectangleOperands& position,
                                 const int8_t* weights, const FactorsQ8& factors, void* y) {
  const ResultWriter results(shape.results, shape.activation);
  int8_t padding[kPanelOutputs];
  for (int8_t& code : padding) code = shape.x_zero;
  for (size_t i = 0; i < at.rows.count(); ++i) {
    for (size_t j = 0; j < at.columns.count(); ++j) {
      const int8_t* const from = position.x + (i * position.steps.row + j * position.steps.column);
      const size_t to = position.y + i * shape.y.row + j * shape.y.pixel;
      for (size_t channel = 0; channel < shape.channels; channel += kPanelOutputs) {
        const size_t left = shape.channels - channel;
        const size_t count = left < kPanelOutputs ? left : kPanelOutputs;
        int32_t sums[kPanelOutputs];
        SumTaps(shape, at, taps, from, weights + channel, padding, channel, count, sums);
        const size_t first = to + channel * shape.y.channel;
#if defined(WEFT_SUMS_NEIGHBOURS)
        results.WriteRows(sums, After(factors, channel), 1, count, y, first, shape.y.channel,
                          {0, 0});
#else
        results.Write(sums, After(factors, channel), count, y, first, shape.y.channel);
#endif
      }
    }
  }
}

#if defined(WEFT_SUMS_NEIGHBOURS)
// True if groups of channels are contiguous in x, in y and in the weights.
HWY_INLINE bool HasGroups(const DepthwiseQ8Shape& shape) {
  return shape.multiplier == 1 && shape.x.channel == 1 && shape.y.channel == 1 &&
         !shape.results.is_float;
}

// Computes a rectangle one group of channels at a time. Returns false for unsupported shapes, or if
// results may be wrong.
WEFT_PART bool GroupsOfRectangle(const DepthwiseQ8Shape& shape, const Rectangle& at,
                                 const TapSteps& taps, const RectangleOperands& position,
                                 const int8_t* weights, const FactorsQ8& factors, void* y) {
  const TapWindow window = {shape.kernel_height,
                            shape.kernel_width,
                            at.ky,
                            at.kx,
                            taps.row,
                            taps.column,
                            PanelCount(shape.channels) * kPanelOutputs};
  const CodePixels pixels = {at.rows.count(),
                             at.columns.count(),
                             position.x,
                             position.steps,
                             static_cast<int8_t*>(y) + position.y,
                             {shape.y.row, shape.y.pixel}};
  return RunGroups(shape, window, pixels, weights, factors);
}
#endif

void DepthwiseQ8(const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
                 const FactorsQ8& factors, void* y) {
  // If there are no outputs, the other counts are not bounded.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  const WindowAxis down = shape.down();
  const WindowAxis across = shape.across();
#if defined(WEFT_TARGET_DOTS)
  if (DepthwiseByDots(shape, x, weights, factors, static_cast<int8_t*>(y))) return;
#endif
#if defined(WEFT_SUMS_NEIGHBOURS)
  const bool has_groups = HasGroups(shape);
#if !defined(__ARM_FEATURE_MVE)
  const bool has_lines =
      has_groups && shape.results.codes.by_integers && &RunIntegerLines != nullptr;
#endif
#endif
  for (size_t b = 0; b < shape.batch; ++b) {
#if defined(WEFT_SUMS_NEIGHBOURS) && !defined(__ARM_FEATURE_MVE)
    if (has_lines && RunIntegerLines(shape, x + b * shape.x.image, weights, factors,
                                     static_cast<int8_t*>(y) + b * shape.y.image)) {
      continue;
    }
#endif
    Rectangles rectangles(down, across);
    while (const Rectangle* next = rectangles.Next()) {
      const Rectangle& at = *next;
      const TapSteps taps = TapsOf(at, down, across, shape.x);
      const bool has_taps = taps.rows != 0;
      const RectangleOperands position = {has_taps ? x + (b * shape.x.image + taps.first) : x,
                                          StepsOf(shape, has_taps),
                                          b * shape.y.image + FirstOf(at, shape.y)};
#if defined(WEFT_SUMS_NEIGHBOURS)
      if (has_groups && GroupsOfRectangle(shape, at, taps, position, weights, factors, y)) continue;
#endif
      PixelsOfRectangle(shape, at, taps, position, weights, factors, y);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(DepthwiseQ8,
            (const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
             const FactorsQ8& factors, void* y),
            (shape, x, weights, factors, y))
