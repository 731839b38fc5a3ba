// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool_q8.h"

#include "kernels/element.h"
#include "kernels/reduce/pool_divisor.h"

namespace weft::kernels {
// Converts sums over `taps` taps to codes.
__attribute__((weak)) void IntegerMeans(const PoolQ8Shape& shape, size_t taps, size_t count,
                                        int32_t* values);
}  // namespace weft::kernels

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/pool_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/simd/codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Number of channels that are pooled at a time.
inline constexpr size_t kPooled = 16;

template <bool kIsMax>
HWY_INLINE void TakeTap(const int8_t* x, size_t count, int32_t* values) {
  ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
    const IntVec codes = LoadCodes(x + i, lanes), old = hn::LoadU(IntTag(), values + i);
    hn::StoreU(kIsMax ? hn::Max(old, codes) : hn::Add(old, codes), IntTag(), values + i);
  });
}

// Pools one channel, whose taps are one run or several runs.
template <bool kIsMax>
HWY_INLINE int32_t PoolOne(const TapSteps& taps, const int8_t* x) {
  const bool is_column = taps.columns == 1;
  const size_t runs = is_column ? 1 : taps.rows, length = is_column ? taps.rows : taps.columns;
  const size_t step = is_column ? taps.row : taps.column;
  int32_t value = kIsMax ? -128 : 0;
  for (size_t run = 0; run < runs; ++run) {
    const int8_t* from = x + run * taps.row;
    for (size_t i = 0; i < length; ++i) {
      const int32_t code = from[i * step];
      value = kIsMax ? (code > value ? code : value) : value + code;
    }
  }
  return value;
}

// Pools `count` <= kPooled channels.
template <bool kIsMax>
WEFT_PART void PoolTaps(const TapSteps& taps, const int8_t* x, size_t stride, size_t count,
                        int32_t* values) {
  for (size_t i = 0; i < kPooled; ++i) values[i] = kIsMax ? -128 : 0;
  if (!kIsMicrocontroller && count == 1) {  // not worth code in firmware
    values[0] = PoolOne<kIsMax>(taps, x);
    return;
  }
  for (size_t ky = 0; ky < taps.rows; ++ky) {
    for (size_t kx = 0; kx < taps.columns; ++kx) {
      const int8_t* from = x + (ky * taps.row + kx * taps.column);
      int8_t block[kPooled];
      if (stride != 1) {
        for (size_t i = 0; i < count; ++i) block[i] = from[i * stride];
        from = block;
      }
      TakeTap<kIsMax>(from, count, values);
    }
  }
}

// Converts the sums of `count` channels, each over `taps` taps, to codes with floats, in a program
// whose model needs it (pool_q8_floats.cc).
__attribute__((weak)) void FloatMeans(const PoolQ8Shape& shape, size_t taps, size_t divisor,
                                      size_t count, int32_t* values);

// Computes one pixel, whose taps begin at `x`.
WEFT_PART void PoolPixel(const PoolQ8Shape& shape, const TapSteps& taps, size_t divisor,
                         const int8_t* x, int8_t* y) {
  for (size_t channel = 0; channel < shape.channels; channel += kPooled) {
    const size_t left = shape.channels - channel, count = left < kPooled ? left : kPooled;
    const size_t from = taps.rows == 0 || channel == 0 ? 0 : channel * shape.x.channel;
    int32_t values[kPooled];
    if (shape.op == PoolOp::kMax) {
      PoolTaps<true>(taps, x + from, shape.x.channel, count, values);
    } else {
      PoolTaps<false>(taps, x + from, shape.x.channel, count, values);
      if (!shape.codes.by_integers) {
        if (&FloatMeans != nullptr) {
          FloatMeans(shape, taps.rows * taps.columns, divisor, count, values);
        }
      } else if (&IntegerMeans != nullptr) {
        IntegerMeans(shape, taps.rows * taps.columns, count, values);
      }
    }
    for (size_t i = 0; i < count; ++i) {
      y[(channel + i) * shape.y.channel] = static_cast<int8_t>(values[i]);
    }
  }
}

void PoolQ8(const PoolQ8Shape& shape, const int8_t* x, int8_t* y) {
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
          PoolPixel(shape, taps, divisor, x + (x_first + i * steps.row + j * steps.column),
                    y + (y_first + i * shape.y.row + j * shape.y.pixel));
        }
      }
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(PoolQ8);

void PoolQ8(const PoolQ8Shape& shape, const int8_t* x, int8_t* y) {
  HWY_DYNAMIC_DISPATCH(PoolQ8)(shape, x, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
