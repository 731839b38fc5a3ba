// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool.h"

#include <limits>

#include "kernels/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/lanes16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// One row of outputs: the window's rows are the same for all of them.
struct PoolRow {
  const float* x;  // the channel
  IndexRange rows;
  int64_t origin_y;
  size_t row, pixel;  // strides of x
  uint32_t dilation_y;
  uint32_t dilation_x;
  uint32_t rows_with_padding;
  PoolOp op;
};

HWY_INLINE float Neutral(PoolOp op) {
  return op == PoolOp::kMax ? -std::numeric_limits<float>::infinity() : 0.0f;
}

// `count` <= 16 outputs whose columns of taps are all inside or all the same; x of tap column 0 of
// the first is `origin_x`, outputs are `stride` apart.
HWY_INLINE Lanes16 PoolTaps(const PoolRow& row, int64_t origin_x, IndexRange columns, size_t stride,
                            size_t count) {
  const float neutral = Neutral(row.op);
  LongSum taps = BeginSum(neutral);
  for (uint32_t ky = row.rows.first; ky < row.rows.end; ++ky) {
    const int64_t y = row.origin_y + int64_t{ky} * row.dilation_y;
    // Tap 0 may lie before the data: an index that has wrapped around is right again at each tap.
    const size_t first =
        static_cast<size_t>(y) * row.row + static_cast<size_t>(origin_x) * row.pixel;
    for (uint32_t kx = columns.first; kx < columns.end; ++kx) {
      const float* from = row.x + (first + size_t{kx} * row.dilation_x * row.pixel);
      const Lanes16 x = LoadLanes16(from, stride, count, neutral);
      if (row.op == PoolOp::kMax) {
        taps.sums =
            Combine(x, taps.sums, [](FloatVec a, FloatVec b) HWY_ATTR { return Greater(a, b); });
      } else {
        taps.sums = Added(taps.sums, x);
        EndTerm(taps);
      }
    }
  }
  return row.op == PoolOp::kMax ? taps.sums : TotalOf(taps);
}

// Divides means by the number of taps that count.
HWY_INLINE void FinishPool(const PoolRow& row, IndexRange columns, uint32_t columns_with_padding,
                           const Lanes16& sums, size_t count, float* y) {
  Lanes16 result = sums;
  if (row.op != PoolOp::kMax) {
    const size_t taps = row.op == PoolOp::kMeanExcludePad
                            ? size_t{row.rows.count()} * columns.count()
                            : size_t{row.rows_with_padding} * columns_with_padding;
    const float divisor = taps == 0 ? 1.0f : static_cast<float>(taps);
    for (size_t v = 0; v < kPanelVectors; ++v) {
      result.v[v] = Divide(sums.v[v], Set(divisor));
    }
  }
  StoreLanes16(result, y, count);
}

// The taps of an output inside the input and the padding around it.
HWY_INLINE uint32_t TapsWithPadding(WindowAxis axis, uint32_t pad_after, uint32_t position) {
  axis.input += axis.pad + pad_after;
  axis.pad = 0;
  return axis.Taps(position).count();
}

HWY_INLINE void PoolOneRow(const PoolShape& shape, const WindowAxis& axis, IndexRange inside,
                           const PoolRow& row, float* y) {
  for (uint32_t p = 0; p < axis.output;) {
    const bool is_inside = p >= inside.first && p < inside.end;
    const uint32_t left = inside.end - p;
    const uint32_t count = !is_inside ? 1 : (left < 16 ? left : 16);
    const IndexRange columns = is_inside ? IndexRange{0, axis.kernel} : axis.Taps(p);
    const Lanes16 sums =
        PoolTaps(row, axis.Origin(p), columns, size_t{axis.stride} * row.pixel, count);
    float results[16];
    FinishPool(row, columns, TapsWithPadding(axis, shape.pad_right, p), sums, count, results);
    for (uint32_t i = 0; i < count; ++i) y[size_t{p + i} * shape.y.pixel] = results[i];
    p += count;
  }
}

void Pool(const PoolShape& shape, const float* x, float* y) {
  const WindowAxis down = {shape.in_height, shape.out_height, shape.kernel_height,
                           shape.stride_y,  shape.dilation_y, shape.pad_top};
  const WindowAxis across = {shape.in_width, shape.out_width,  shape.kernel_width,
                             shape.stride_x, shape.dilation_x, shape.pad_left};
  const IndexRange inside = across.Inside();
  // Without outputs nothing bounds the other counts.
  if (shape.out_height == 0 || shape.out_width == 0) return;
  for (size_t b = 0; b < shape.batch; ++b) {
    for (size_t c = 0; c < shape.channels; ++c) {
      for (uint32_t p = 0; p < shape.out_height; ++p) {
        const PoolRow row = {x + (b * shape.x.image + c * shape.x.channel),
                             down.Taps(p),
                             down.Origin(p),
                             shape.x.row,
                             shape.x.pixel,
                             shape.dilation_y,
                             shape.dilation_x,
                             TapsWithPadding(down, shape.pad_bottom, p),
                             shape.op};
        float* to = y + (b * shape.y.image + c * shape.y.channel + size_t{p} * shape.y.row);
        PoolOneRow(shape, across, inside, row, to);
      }
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(Pool);

void Pool(const PoolShape& shape, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(Pool)(shape, x, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
