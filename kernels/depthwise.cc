// SPDX-License-Identifier: Apache-2.0
#include "kernels/depthwise.h"

#include "kernels/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/activation-inl.h"
#include "kernels/sixteen-inl.h"

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

// `count` <= 16 outputs of a row that share their columns of taps, `stride_x` apart in x.
HWY_INLINE Sixteen DepthwiseTaps(const DepthwiseShape& shape, const DepthwiseRow& row,
                                 int64_t origin_x, IndexRange columns, size_t count) {
  Sixteen sums = SetSixteen(row.bias);
  for (uint32_t ky = row.rows.first; ky < row.rows.end; ++ky) {
    const int64_t y = row.origin_y + int64_t{ky} * shape.dilation_y;
    const float* line = row.x + y * int64_t{shape.in_width} + origin_x;
    const float* weights = row.weights + size_t{ky} * shape.kernel_width;
    for (uint32_t kx = columns.first; kx < columns.end; ++kx) {
      const Sixteen x =
          LoadSixteen(line + size_t{kx} * shape.dilation_x, shape.stride_x, count, 0.0f);
      const FloatVec weight = Set(weights[kx]);
      sums =
          Combine(x, sums, [=](FloatVec v, FloatVec sum) HWY_ATTR { return Fma(v, weight, sum); });
    }
  }
  return sums;
}

HWY_INLINE void DepthwiseOneRow(const DepthwiseShape& shape, const WindowAxis& axis,
                                const DepthwiseRow& row, float* y) {
  const IndexRange inside = axis.Inside();
  for (uint32_t p = 0; p < axis.output;) {
    const bool is_inside = p >= inside.first && p < inside.end;
    const uint32_t left = inside.end - p;
    const uint32_t count = !is_inside ? 1 : (left < 16 ? left : 16);
    const IndexRange columns = is_inside ? IndexRange{0, axis.kernel} : axis.Taps(p);
    StoreSixteen(DepthwiseTaps(shape, row, axis.Origin(p), columns, count), y + p, count);
    p += count;
  }
  if (!IsPlain(shape.activation)) ActivateSpan(shape.activation, y, y, axis.output);
}

void Depthwise(const DepthwiseShape& shape, const float* x, const float* weights, const float* bias,
               float* y) {
  const WindowAxis down = {shape.in_height, shape.out_height, shape.kernel_height,
                           shape.stride_y,  shape.dilation_y, shape.pad_top};
  const WindowAxis across = {shape.in_width, shape.out_width,  shape.kernel_width,
                             shape.stride_x, shape.dilation_x, shape.pad_left};
  const size_t in_plane = size_t{shape.in_height} * shape.in_width;
  const size_t taps = size_t{shape.kernel_height} * shape.kernel_width;
  for (size_t b = 0; b < shape.batch; ++b) {
    uint32_t copies = 0;  // of the current plane of x
    for (size_t c = 0; c < shape.channels; ++c) {
      const float start = bias != nullptr ? bias[c] : 0.0f;
      for (uint32_t p = 0; p < shape.out_height; ++p) {
        const DepthwiseRow row = {x, weights + c * taps, start, down.Taps(p), down.Origin(p)};
        DepthwiseOneRow(shape, across, row, y);
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
