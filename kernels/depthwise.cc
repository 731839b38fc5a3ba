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
  const float* x;        // the channel
  const float* weights;  // of the channel at the first tap
  float bias;
  IndexRange rows;
  int64_t origin_y;
};

HWY_INLINE size_t PaddedChannels(const DepthwiseShape& shape) {
  return (size_t{shape.channels} + 15) / 16 * 16;
}

// Where column `column` of a row of x lies, which may be before the data: an index that has wrapped
// around is right again at each tap.
HWY_INLINE size_t PlaceOf(const MapStrides& x, int64_t row, int64_t column) {
  return static_cast<size_t>(row) * x.row + static_cast<size_t>(column) * x.pixel;
}

// kBlocks times 16 outputs of a row all of whose taps lie inside, the last `last_count` <= 16 of
// them to be written; tap 0 of the first lies at column `origin_x`.
template <size_t kBlocks>
HWY_INLINE void DepthwiseInside(const DepthwiseShape& shape, const DepthwiseRow& row,
                                int64_t origin_x, size_t last_count, float* y) {
  Lanes16 sums[kBlocks];
  for (size_t b = 0; b < kBlocks; ++b) sums[b] = SetLanes16(row.bias);
  const size_t padded = PaddedChannels(shape);
  const float* weights = row.weights + size_t{row.rows.first} * shape.kernel_width * padded;
  const size_t stride = size_t{shape.stride_x} * shape.x.pixel;
  for (uint32_t ky = row.rows.first; ky < row.rows.end; ++ky) {
    const size_t first = PlaceOf(shape.x, row.origin_y + int64_t{ky} * shape.dilation_y, origin_x);
    for (uint32_t kx = 0; kx < shape.kernel_width; ++kx) {
      const float* x = row.x + (first + size_t{kx} * shape.dilation_x * shape.x.pixel);
      const FloatVec weight = Set(*weights);
      for (size_t b = 0; b < kBlocks; ++b) {
        const size_t count = b + 1 == kBlocks ? last_count : 16;
        const Lanes16 v = LoadLanes16(x + b * 16 * stride, stride, count, 0.0f);
        sums[b] = Combine(v, sums[b],
                          [=](FloatVec p, FloatVec sum) HWY_ATTR { return Fma(p, weight, sum); });
      }
      weights += padded;
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
  const size_t padded = PaddedChannels(shape);
  for (uint32_t ky = row.rows.first; ky < row.rows.end; ++ky) {
    const size_t first = PlaceOf(shape.x, row.origin_y + int64_t{ky} * shape.dilation_y, origin_x);
    const float* weights = row.weights + size_t{ky} * shape.kernel_width * padded;
    for (uint32_t kx = columns.first; kx < columns.end; ++kx) {
      const float x = row.x[first + size_t{kx} * shape.dilation_x * shape.x.pixel];
      sum = Fma(x, weights[kx * padded], sum);
    }
  }
  return sum;
}

HWY_INLINE void DepthwiseOneRow(const DepthwiseShape& shape, const WindowAxis& axis,
                                IndexRange inside, const DepthwiseRow& row, float* y) {
  for (uint32_t p = 0; p < axis.output;) {
    const bool is_inside = p >= inside.first && p < inside.end;
    const uint32_t left = is_inside ? inside.end - p : 1;
    const uint32_t count = left < 32 ? left : 32;
    float sums[32];
    if (!is_inside) {
      sums[0] = DepthwiseAtEdge(shape, row, axis.Origin(p), axis.Taps(p));
    } else if (count > 16) {
      DepthwiseInside<2>(shape, row, axis.Origin(p), count - 16, sums);
    } else {
      DepthwiseInside<1>(shape, row, axis.Origin(p), count, sums);
    }
    if (!IsPlain(shape.activation)) ActivateSpan(shape.activation, sums, sums, count);
    for (uint32_t i = 0; i < count; ++i) y[size_t{p + i} * shape.y.pixel] = sums[i];
    p += count;
  }
}

void Depthwise(const DepthwiseShape& shape, const float* x, const float* weights, const float* bias,
               float* y) {
  const WindowAxis down = {shape.in_height, shape.out_height, shape.kernel_height,
                           shape.stride_y,  shape.dilation_y, shape.pad_top};
  const WindowAxis across = {shape.in_width, shape.out_width,  shape.kernel_width,
                             shape.stride_x, shape.dilation_x, shape.pad_left};
  const IndexRange inside = across.Inside();
  // Without outputs nothing bounds the other counts.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  for (size_t b = 0; b < shape.batch; ++b) {
    for (size_t c = 0; c < shape.channels; ++c) {
      const size_t first = b * shape.x.image + c / shape.multiplier * shape.x.channel;
      for (uint32_t p = 0; p < shape.out_height; ++p) {
        const DepthwiseRow row = {x + first, weights + c, bias != nullptr ? bias[c] : 0.0f,
                                  down.Taps(p), down.Origin(p)};
        float* to = y + (b * shape.y.image + c * shape.y.channel + size_t{p} * shape.y.row);
        DepthwiseOneRow(shape, across, inside, row, to);
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
