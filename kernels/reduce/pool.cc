// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool.h"

#include <limits>

#include "kernels/reduce/pool_divisor.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/pool.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/lanes16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// How taps are combined. A mean of at most kSumBlock terms is one sequential sum.
enum class PoolSum { kMax, kChain, kBlocks };

// Accumulators of kVectors vectors; sums with many terms are split into blocks.
template <size_t kVectors, PoolSum kSum>
class PoolSums {
 public:
  HWY_INLINE PoolSums() {
    const float neutral = kSum == PoolSum::kMax ? -std::numeric_limits<float>::infinity() : 0.0f;
    HWY_UNROLL(4)
    for (size_t v = 0; v < kVectors; ++v) {
      sums_[v] = Set(neutral);
      if constexpr (kSum == PoolSum::kBlocks) groups_[v] = totals_[v] = Set(0.0f);
    }
  }
  HWY_INLINE void Take(size_t v, FloatVec x) {
    sums_[v] = kSum == PoolSum::kMax ? Greater(x, sums_[v]) : hn::Add(sums_[v], x);
  }
  // Called after every tap.
  HWY_INLINE void EndTap() {
    if constexpr (kSum == PoolSum::kBlocks) {
      if (--terms_left_ != 0) return;
      Move(sums_, groups_);
      terms_left_ = kSumBlock;
      if (--blocks_left_ != 0) return;
      Move(groups_, totals_);
      blocks_left_ = kSumBlock;
    }
  }
  HWY_INLINE FloatVec Result(size_t v, float divisor) const {
    if constexpr (kSum == PoolSum::kMax) return sums_[v];
    FloatVec total = sums_[v];
    if constexpr (kSum == PoolSum::kBlocks) {
      total = hn::Add(totals_[v], hn::Add(groups_[v], total));
    }
    return Divide(total, Set(divisor));
  }

 private:
  static HWY_INLINE void Move(FloatVec (&part)[kVectors], FloatVec (&whole)[kVectors]) {
    for (size_t v = 0; v < kVectors; ++v) {
      whole[v] = hn::Add(whole[v], part[v]);
      part[v] = Set(0.0f);
    }
  }

  FloatVec sums_[kVectors];
  FloatVec groups_[kVectors], totals_[kVectors];  // see sum.h
  uint32_t terms_left_ = kSumBlock, blocks_left_ = kSumBlock;
};

// Position of the lanes of vector v relative to a tap of the first lane. Beside: adjacent.
struct Beside {
  HWY_INLINE FloatVec operator()(const float* x, size_t v) const { return Load(x + v * kLanes); }
};
// BesidePart: adjacent, only the first `count` lanes of one vector.
struct BesidePart {
  size_t count;
  HWY_INLINE FloatVec operator()(const float* x, size_t) const { return LoadFirst(x, count); }
};
// Apart: `count` lanes in all, a stride apart.
struct Apart {
  size_t count, stride;
  HWY_INLINE FloatVec operator()(const float* x, size_t v) const {
    const size_t left = LanesIn(v, count);
    return left != 0 ? LoadApart(x + v * kLanes * stride, stride, left, 0.0f) : Set(0.0f);
  }
};

template <size_t kVectors, PoolSum kSum, class Lanes>
HWY_INLINE void PoolTile(const TapSteps& taps, const float* x, const Lanes& lanes, float divisor,
                         FloatVec (&results)[kVectors]) {
  PoolSums<kVectors, kSum> sums;
  for (size_t ky = 0; ky < taps.rows; ++ky) {
    const float* row = x;
    for (size_t kx = 0; kx < taps.columns; ++kx) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) sums.Take(v, lanes(row, v));
      sums.EndTap();
      row += taps.column;
    }
    x += taps.row;
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) results[v] = sums.Result(v, divisor);
}

// Pools outputs that have the same taps and whose floats are adjacent in x and in y.
template <PoolSum kSum>
void PoolBeside(const TapSteps& taps, float divisor, const float* x, float* y, size_t floats) {
  FloatVec one[1];
  size_t i = 0;
  if constexpr (kLanes > 1) {
    FloatVec four[4];
    for (; i + 4 * kLanes <= floats; i += 4 * kLanes) {
      PoolTile<4, kSum>(taps, x + i, Beside(), divisor, four);
      for (size_t v = 0; v < 4; ++v) Store(four[v], y + (i + v * kLanes));
    }
  }
  for (; i + kLanes <= floats; i += kLanes) {
    PoolTile<1, kSum>(taps, x + i, Beside(), divisor, one);
    Store(one[0], y + i);
  }
  if (kLanes > 1 && i < floats) {
    PoolTile<1, kSum>(taps, x + i, BesidePart{floats - i}, divisor, one);
    StoreFirst(one[0], y + i, floats - i);
  }
}

// Pools pixels of one channel with any strides.
template <PoolSum kSum>
void PoolApart(const TapSteps& taps, float divisor, const float* x, size_t x_pixel, float* y,
               size_t y_pixel, size_t pixels) {
  constexpr size_t kVectors = kLanes > 4 ? 1 : 4;
  for (size_t p = 0; p < pixels; p += kVectors * kLanes) {
    const size_t left = pixels - p, count = left < kVectors * kLanes ? left : kVectors * kLanes;
    FloatVec results[kVectors];
    PoolTile<kVectors, kSum>(taps, x + p * x_pixel, Apart{count, x_pixel}, divisor, results);
    float block[kVectors * kLanes];
    for (size_t v = 0; v < kVectors; ++v) Store(results[v], block + v * kLanes);
    for (size_t i = 0; i < count; ++i) y[(p + i) * y_pixel] = block[i];
  }
}

// How a map is pooled: `step` adjacent channels at a time, or one channel with any stride. `apart`
// handles the latter; if it is null, one pixel is pooled at a time.
struct PoolLoop {
  size_t step;
  void (*beside)(const TapSteps& taps, float divisor, const float* x, float* y, size_t floats);
  void (*apart)(const TapSteps& taps, float divisor, const float* x, size_t x_pixel, float* y,
                size_t y_pixel, size_t pixels);
};

template <PoolSum kSum>
HWY_INLINE PoolLoop LoopOf(const PoolShape& shape) {
  if (shape.channels > 1 && shape.x.channel == 1 && shape.y.channel == 1) {
    return {shape.channels, PoolBeside<kSum>, nullptr};
  }
  const bool is_row = shape.x.pixel == 1 && shape.stride_x == 1 && shape.y.pixel == 1;
  if constexpr (kLanes > 1) return {1, PoolBeside<kSum>, is_row ? nullptr : PoolApart<kSum>};
  return {1, PoolBeside<kSum>, nullptr};
}

// A sequential sum equals one block, but is faster.
HWY_INLINE PoolLoop LoopOf(const PoolShape& shape, size_t taps) {
  if (shape.op == PoolOp::kMax) return LoopOf<PoolSum::kMax>(shape);
  if constexpr (kLanes > 1) {
    if (taps <= kSumBlock) return LoopOf<PoolSum::kChain>(shape);
  }
  return LoopOf<PoolSum::kBlocks>(shape);
}

// Computes all outputs of a rectangle of one image.
HWY_INLINE void PoolRectangle(const PoolShape& shape, const Rectangle& at, const TapSteps& taps,
                              float divisor, const PoolLoop& loop, const float* x, float* y) {
  const size_t pixels = at.columns.count();
  const size_t x_row = taps.rows != 0 ? size_t{shape.stride_y} * shape.x.row : 0;
  const size_t x_pixel = taps.rows != 0 ? size_t{shape.stride_x} * shape.x.pixel : 0;
  const bool is_run = pixels == 1 || (x_pixel == loop.step && shape.y.pixel == loop.step);
  for (size_t c = 0; c < shape.channels; c += loop.step) {
    for (size_t i = 0; i < at.rows.count(); ++i) {
      const float* from = x + (c * shape.x.channel + i * x_row);
      float* to = y + (c * shape.y.channel + i * shape.y.row);
      if (loop.apart != nullptr) {
        loop.apart(taps, divisor, from, x_pixel, to, shape.y.pixel, pixels);
        continue;
      }
      const size_t runs = is_run ? 1 : pixels, floats = is_run ? pixels * loop.step : loop.step;
      for (size_t p = 0; p < runs; ++p) {
        loop.beside(taps, divisor, from + p * x_pixel, to + p * shape.y.pixel, floats);
      }
    }
  }
}

void Pool(const PoolShape& shape, const float* x, float* y) {
  const WindowAxis down = shape.down();
  const WindowAxis across = shape.across();
  // Without outputs the other counts are unbounded.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  const PoolLoop loop = LoopOf(shape, size_t{shape.kernel_height} * shape.kernel_width);
  for (size_t b = 0; b < shape.batch; ++b) {
    Rectangles rectangles(down, across);
    while (const Rectangle* next = rectangles.Next()) {
      const Rectangle& at = *next;
      const TapSteps taps = TapsOf(at, down, across, shape.x);
      PoolRectangle(shape, at, taps, DivisorOf(DivisorTaps(shape, down, across, at)), loop,
                    x + (b * shape.x.image + taps.first),
                    y + (b * shape.y.image + FirstOf(at, shape.y)));
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

WEFT_EXPORT(Pool, (const PoolShape& shape, const float* x, float* y), (shape, x, y))
