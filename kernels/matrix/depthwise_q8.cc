// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_q8.h"

#include "kernels/matrix/rectangles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matrix/depthwise_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/results_q8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// The levels of `count` channels of y from `channel` on, at one tap.
WEFT_PART void GatherChannels(const DepthwiseQ8Shape& shape, const int8_t* x, size_t channel,
                              size_t count, int8_t* block) {
  for (size_t i = 0; i < count; ++i) {
    const size_t from = (channel + i) / shape.multiplier;
    block[i] = from == 0 ? x[0] : x[from * shape.x.channel];  // a stride along one leads nowhere
  }
}

// A rectangle of taps: steps from one to the next, of x and of weights, in elements.
struct TapBlock {
  uint32_t rows, columns;
  size_t x_row, x_column, w_row, w_column;
};

#if defined(WEFT_SUMS_NEIGHBOURS) && !defined(__ARM_FEATURE_MVE)

HWY_INLINE uint32_t LoadFour(const int8_t* x) {
  uint32_t word;
  __builtin_memcpy(&word, x, sizeof word);
  return word;
}

// Adds the products of four channels, with the first and third of a word in one register.
HWY_INLINE void AddFour(uint32_t x, uint32_t w, int32_t& a, int32_t& b, int32_t& c, int32_t& d) {
  uint32_t even, odd, even_w, odd_w;
  __asm__("sxtb16 %0, %1" : "=r"(even) : "r"(x));
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(odd) : "r"(x));
  __asm__("sxtb16 %0, %1" : "=r"(even_w) : "r"(w));
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(odd_w) : "r"(w));
  __asm__("smlabb %0, %1, %2, %0" : "+r"(a) : "r"(even), "r"(even_w));
  __asm__("smlabb %0, %1, %2, %0" : "+r"(b) : "r"(odd), "r"(odd_w));
  __asm__("smlatt %0, %1, %2, %0" : "+r"(c) : "r"(even), "r"(even_w));
  __asm__("smlatt %0, %1, %2, %0" : "+r"(d) : "r"(odd), "r"(odd_w));
}

// `count` channels beside each other.
WEFT_PART void AddTaps(const TapBlock& taps, const int8_t* x, const int8_t* weights, size_t count,
                       int32_t* sums) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4, sums += 4) {
    int32_t a = sums[0], b = sums[1], c = sums[2], d = sums[3];
    const int8_t *x_row = x + i, *w_row = weights + i;
    for (uint32_t ky = taps.rows; ky != 0; --ky, x_row += taps.x_row, w_row += taps.w_row) {
      const int8_t *at = x_row, *w = w_row;
      for (uint32_t kx = taps.columns; kx != 0; --kx, at += taps.x_column, w += taps.w_column) {
        AddFour(LoadFour(at), LoadFour(w), a, b, c, d);
      }
    }
    sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
  }
  for (; i < count; ++i, ++sums) {
    const int8_t *x_row = x + i, *w_row = weights + i;
    int32_t sum = *sums;
    for (uint32_t ky = taps.rows; ky != 0; --ky, x_row += taps.x_row, w_row += taps.w_row) {
      const int8_t *at = x_row, *w = w_row;
      for (uint32_t kx = taps.columns; kx != 0; --kx, at += taps.x_column, w += taps.w_column) {
        sum += *at * *w;
      }
    }
    *sums = sum;
  }
}

#elif defined(WEFT_SUMS_NEIGHBOURS)

// Four vectors of channels beside each other, or one of which those behind the last are masked.
template <size_t kVectors>
HWY_INLINE void AddTapsTo(const TapBlock& taps, const int8_t* x, const int8_t* weights,
                          mve_pred16_t some, int32_t* sums) {
  int32x4_t vectors[kVectors];
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) vectors[v] = vldrwq_s32(sums + 4 * v);
  for (uint32_t ky = taps.rows; ky != 0; --ky, x += taps.x_row, weights += taps.w_row) {
    const int8_t *at = x, *w = weights;
    for (uint32_t kx = taps.columns; kx != 0; --kx, at += taps.x_column, w += taps.w_column) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < kVectors; ++v) {
        const int32x4_t levels = kVectors == 1 ? vldrbq_z_s32(at, some) : vldrbq_s32(at + 4 * v);
        vectors[v] = vaddq_s32(vectors[v], vmulq_s32(levels, vldrbq_s32(w + 4 * v)));
      }
    }
  }
  HWY_UNROLL(4)
  for (size_t v = 0; v < kVectors; ++v) vstrwq_s32(sums + 4 * v, vectors[v]);
}

// `count` channels beside each other, at most a panel of them.
WEFT_PART void AddTaps(const TapBlock& taps, const int8_t* x, const int8_t* weights, size_t count,
                       int32_t* sums) {
  if (count == kPanelOutputs) return AddTapsTo<4>(taps, x, weights, 0, sums);
  for (size_t i = 0; i < count; i += 4) {
    AddTapsTo<1>(taps, x + i, weights + i, vctp32q(static_cast<uint32_t>(count - i)), sums + i);
  }
}

#else

template <size_t kVectors>
HWY_INLINE void AddTapsTo(const TapBlock& taps, const int8_t* x, const int8_t* weights,
                          size_t lanes, int32_t* sums) {
  IntVec vectors[kVectors];
  for (size_t v = 0; v < kVectors; ++v) vectors[v] = hn::LoadU(IntTag(), sums + v * kLanes);
  for (uint32_t ky = taps.rows; ky != 0; --ky, x += taps.x_row, weights += taps.w_row) {
    const int8_t *at = x, *w = weights;
    for (uint32_t kx = taps.columns; kx != 0; --kx, at += taps.x_column, w += taps.w_column) {
      for (size_t v = 0; v < kVectors; ++v) {
        const IntVec levels = LoadLevels(at + v * kLanes, lanes);
        const IntVec product = hn::Mul(levels, LoadLevels(w + v * kLanes, kLanes));
        vectors[v] = hn::Add(vectors[v], product);
      }
    }
  }
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(vectors[v], IntTag(), sums + v * kLanes);
}

// `count` channels beside each other.
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

#endif

// Sums of `count` channels, at most a panel of them: of the taps inside the input, which begin at x, and of
// the padding above, on either side and below.
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

void DepthwiseQ8(const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
                 const FactorsQ8& factors, void* y) {
  // Without outputs nothing bounds the other counts.
  if (shape.channels == 0 || shape.out_height == 0 || shape.out_width == 0) return;
  const WindowAxis down = {shape.in_height, shape.out_height, shape.kernel_height,
                           shape.stride_y,  shape.dilation_y, shape.pad_top};
  const WindowAxis across = {shape.in_width, shape.out_width,  shape.kernel_width,
                             shape.stride_x, shape.dilation_x, shape.pad_left};
  const ResultWriter results(shape.results, shape.activation);
  int8_t padding[kPanelOutputs];
  for (int8_t& level : padding) level = shape.x_zero;
  for (size_t b = 0; b < shape.batch; ++b) {
    Rectangles rectangles(down, across);
    while (const Rectangle* next = rectangles.Next()) {
      const Rectangle& at = *next;
      const TapSteps taps = TapsOf(at, down, across, shape.x);
      const PixelSteps steps = StepsOf(shape, taps.rows != 0);
      const size_t x_first = taps.rows != 0 ? b * shape.x.image + taps.first : 0;
      const size_t y_first = b * shape.y.image + FirstOf(at, shape.y);
      for (size_t i = 0; i < at.rows.count(); ++i) {
        for (size_t j = 0; j < at.columns.count(); ++j) {
          const int8_t* const from = x + (x_first + i * steps.row + j * steps.column);
          const size_t place = y_first + i * shape.y.row + j * shape.y.pixel;
          for (size_t channel = 0; channel < shape.channels; channel += kPanelOutputs) {
            const size_t left = shape.channels - channel;
            const size_t count = left < kPanelOutputs ? left : kPanelOutputs;
            int32_t sums[kPanelOutputs];
            SumTaps(shape, at, taps, from, weights + channel, padding, channel, count, sums);
            results.Write(sums, factors, channel, count, y, place + channel * shape.y.channel,
                          shape.y.channel);
          }
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
