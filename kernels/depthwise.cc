// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise.h"

#include "kernels/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activation-inl.h"
#include "kernels/lanes16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// One row of outputs of one channel: the window's rows are the same for all of them.
struct DepthwiseRow {
  const float* x;  // the plane
  const float* weights;
  float bias;
  IndexRange rows;
  int64_t origin_y;
};

// kBlocks times 16 outputs of a row all of whose taps lie inside, the last `last_count` <= 16 of
// them to be written; tap 0 of the first lies at column `origin_x`.
template <size_t kBlocks>
HWY_INLINE void DepthwiseInside(const DepthwiseShape& shape, const DepthwiseRow& row,
                                int64_t origin_x, size_t last_count, float* y) {
  Lanes16 sums[kBlocks];
  for (size_t b = 0; b < kBlocks; ++b) sums[b] = SetLanes16(row.bias);
  const float* weights = row.weights + size_t{row.rows.first} * shape.kernel_width;
  // Without a second tap the dilation leads nowhere and may be anything.
  const size_t step = shape.kernel_width > 1 ? shape.dilation_x : 0;
  for (uint32_t ky = row.rows.first; ky < row.rows.end; ++ky) {
    const int64_t line = row.origin_y + int64_t{ky} * shape.dilation_y;
    const float* x = row.x + line * int64_t{shape.in_width} + origin_x;
    for (uint32_t kx = 0; kx < shape.kernel_width; ++kx) {
      const FloatVec weight = Set(*weights++);
      for (size_t b = 0; b < kBlocks; ++b) {
        const size_t count = b + 1 == kBlocks ? last_count : 16;
        const Lanes16 v = LoadLanes16(x + b * 16 * shape.stride_x, shape.stride_x, count, 0.0f);
        sums[b] = Combine(v, sums[b],
                          [=](FloatVec p, FloatVec sum) HWY_ATTR { return Fma(p, weight, sum); });
      }
      x += step;
    }
  }
  for (size_t b = 0; b < kBlocks; ++b) {
    StoreLanes16(sums[b], y + b * 16, b + 1 == kBlocks ? last_count : 16);
  }
}

// One output at the edge.
HWY_INLINE float DepthwiseAtEdge(const DepthwiseShape& shape, const DepthwiseRow& row,
                                 int64_t origin_x, IndexRange columns) {
  float sum = row.bias;
  for (uint32_t ky = row.rows.first; ky < row.rows.end; ++ky) {
    const int64_t line = row.origin_y + int64_t{ky} * shape.dilation_y;
    // Tap 0 may lie before the data: an index that has wrapped around is right again at each tap.
    const size_t first = static_cast<size_t>(line * int64_t{shape.in_width} + origin_x);
    const float* weights = row.weights + size_t{ky} * shape.kernel_width;
    for (uint32_t kx = columns.first; kx < columns.end; ++kx) {
      sum = Fma(row.x[first + size_t{kx} * shape.dilation_x], weights[kx], sum);
    }
  }
  return sum;
}

HWY_INLINE void DepthwiseOneRow(const DepthwiseShape& shape, const WindowAxis& axis,
                                IndexRange inside, const DepthwiseRow& row, float* y) {
  for (uint32_t p = 0; p < axis.output;) {
    if (p < inside.first || p >= inside.end) {
      y[p] = DepthwiseAtEdge(shape, row, axis.Origin(p), axis.Taps(p));
      ++p;
    } else if (const uint32_t left = inside.end - p; left > 16) {
      const uint32_t last = left < 32 ? left - 16 : 16;
      DepthwiseInside<2>(shape, row, axis.Origin(p), last, y + p);
      p += 16 + last;
    } else {
      DepthwiseInside<1>(shape, row, axis.Origin(p), left, y + p);
      p += left;
    }
  }
  if (!IsPlain(shape.activation)) ActivateSpan(shape.activation, y, y, axis.output);
}

void Depthwise(const DepthwiseShape& shape, const float* x, const float* weights, const float* bias,
               float* y) {
  const WindowAxis down = {shape.in_height, shape.out_height, shape.kernel_height,
                           shape.stride_y,  shape.dilation_y, shape.pad_top};
  const WindowAxis across = {shape.in_width, shape.out_width,  shape.kernel_width,
                             shape.stride_x, shape.dilation_x, shape.pad_left};
  const IndexRange inside = across.Inside();
  const size_t in_plane = size_t{shape.in_height} * shape.in_width;
  const size_t taps = size_t{shape.kernel_height} * shape.kernel_width;
  // Without outputs nothing bounds the other counts.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  for (size_t b = 0; b < shape.batch; ++b) {
    uint32_t copies = 0;  // of the current plane of x
    for (size_t c = 0; c < shape.channels; ++c) {
      const float start = bias != nullptr ? bias[c] : 0.0f;
      for (uint32_t p = 0; p < shape.out_height; ++p) {
        const DepthwiseRow row = {x, weights + c * taps, start, down.Taps(p), down.Origin(p)};
        DepthwiseOneRow(shape, across, inside, row, y);
        y += shape.out_width;
      }
      if (++copies == shape.multiplier) {
        copies = 0;
        x += in_plane;
      }
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Depthwise);

void Depthwise(const DepthwiseShape& shape, const float* x, const float* weights, const float* bias,
               float* y) {
  HWY_DYNAMIC_DISPATCH(Depthwise)(shape, x, weights, bias, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
