// SPDX-License-Identifier: Apache-2.0
// The windows of quantised maps, for int8 and for int16.

#if defined(WEFT_KERNELS_REDUCE_POOL_Q8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_REDUCE_POOL_Q8_INL_H_
#undef WEFT_KERNELS_REDUCE_POOL_Q8_INL_H_
#else
#define WEFT_KERNELS_REDUCE_POOL_Q8_INL_H_
#endif

#include "kernels/element.h"
#include "kernels/reduce/pool_divisor.h"
#include "kernels/reduce/pool_q8.h"
#include "kernels/simd/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <typename Code>
inline constexpr int32_t kMinCode = sizeof(Code) == 1 ? -128 : -32768;

HWY_INLINE IntVec CodesAt(const int8_t* x, size_t lanes) { return LoadCodes(x, lanes); }
HWY_INLINE IntVec CodesAt(const int16_t* x, size_t lanes) {
#if HWY_TARGET == HWY_SCALAR
  return IntVec(lanes != 0 ? *x : 0);
#else
  const hn::Rebind<int16_t, IntTag> shorts;
  return hn::PromoteTo(IntTag(),
                       lanes == kLanes ? hn::LoadU(shorts, x) : hn::LoadN(shorts, x, lanes));
#endif
}

// Number of channels that are pooled at a time.
inline constexpr size_t kPooled = 16;

template <bool kIsMax, typename Code>
HWY_INLINE void TakeTap(const Code* x, size_t count, int32_t* values) {
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    const IntVec codes = CodesAt(x + i, lanes), old = hn::LoadU(IntTag(), values + i);
    hn::StoreU(kIsMax ? hn::Max(old, codes) : hn::Add(old, codes), IntTag(), values + i);
  });
}

// Pools one channel, whose taps are one run or several runs.
template <bool kIsMax, typename Code>
HWY_INLINE int32_t PoolOne(const TapSteps& taps, const Code* x) {
  const bool is_column = taps.columns == 1;
  const size_t runs = is_column ? 1 : taps.rows, length = is_column ? taps.rows : taps.columns;
  const size_t step = is_column ? taps.row : taps.column;
  int32_t value = kIsMax ? kMinCode<Code> : 0;
  for (size_t run = 0; run < runs; ++run) {
    const Code* from = x + run * taps.row;
    for (size_t i = 0; i < length; ++i) {
      const int32_t code = from[i * step];
      value = kIsMax ? (code > value ? code : value) : value + code;
    }
  }
  return value;
}

// Pools `count` <= kPooled channels.
template <bool kIsMax, typename Code>
WEFT_PART void PoolTaps(const TapSteps& taps, const Code* x, size_t stride, size_t count,
                        int32_t* values) {
  for (size_t i = 0; i < kPooled; ++i) values[i] = kIsMax ? kMinCode<Code> : 0;
  if (!kIsMicrocontroller && count == 1) {  // not worth code in firmware
    values[0] = PoolOne<kIsMax>(taps, x);
    return;
  }
  for (size_t ky = 0; ky < taps.rows; ++ky) {
    for (size_t kx = 0; kx < taps.columns; ++kx) {
      const Code* from = x + (ky * taps.row + kx * taps.column);
      Code block[kPooled];
      if (stride != 1) {
        for (size_t i = 0; i < count; ++i) block[i] = from[i * stride];
        from = block;
      }
      TakeTap<kIsMax>(from, count, values);
    }
  }
}

// Calls pixel(taps, divisor, x, y) for each pixel, whose taps begin at x; `divisor` is DivisorTaps.
template <typename Code, typename Pixel>
HWY_INLINE void ForPixels(const PoolQ8Shape& shape, const Code* x, Code* y, const Pixel& pixel) {
  // Without outputs the other counts are unbounded.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  const WindowAxis down = shape.down();
  const WindowAxis across = shape.across();
  for (size_t b = 0; b < shape.batch; ++b) {
    Rectangles rectangles(down, across);
    while (const Rectangle* next = rectangles.Next()) {
      const Rectangle& at = *next;
      const TapSteps taps = TapsOf(at, down, across, shape.x);
      const size_t divisor = DivisorTaps(shape, down, across, at);
      const PixelSteps steps = StepsOf(shape, taps.rows != 0);
      const size_t x_first = taps.rows != 0 ? b * shape.x.image + taps.first : 0;
      const size_t y_first = b * shape.y.image + FirstOf(at, shape.y);
      for (size_t i = 0; i < at.rows.count(); ++i) {
        for (size_t j = 0; j < at.columns.count(); ++j) {
          pixel(taps, divisor, x + (x_first + i * steps.row + j * steps.column),
                y + (y_first + i * shape.y.row + j * shape.y.pixel));
        }
      }
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_REDUCE_POOL_Q8_INL_H_
