// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantised values with the dot-product instructions of dots.h. The bytes
// of four taps are interleaved for as many channels as a vector has bytes. With fewer channels,
// adjacent pixels fill the vector. Included only by depthwise_q8.cc.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_
#endif

#include "kernels/integer.h"
#include "kernels/matrix/depthwise_q8.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/rectangles.h"
#include "kernels/simd/codes-inl.h"
#include "kernels/simd/dots-inl.h"

#if defined(WEFT_TARGET_DOTS)
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kDotBytes = HWY_MAX_LANES_D(DotBytes);
inline constexpr size_t kMaxDotTaps = 64;
inline constexpr size_t kNoColumns = ~size_t{0};

// Returns the minimum number of columns of a rectangle that is computed with dot products;
// kNoColumns if none is.
HWY_INLINE size_t DotColumns(const DepthwiseQ8Shape& shape) {
  const uint64_t taps = uint64_t{shape.kernel_height} * shape.kernel_width;
  const bool fits = taps != 0 && taps <= kMaxDotTaps && shape.multiplier == 1 &&
                    !shape.results.is_float && shape.channels > 1 && shape.x.channel == 1 &&
                    shape.y.channel == 1;
  if (!fits || !HasDots()) return kNoColumns;
  if (shape.channels >= kDotBytes) return 1;
  const bool is_row = shape.stride_x == 1 && shape.x.pixel == shape.channels &&
                      shape.y.pixel == shape.channels && shape.in_width > 1;
  if (!is_row || kDotBytes % shape.channels != 0 || shape.channels % 4 != 0) return kNoColumns;
  return kDotBytes / shape.channels;
}

// Interleaves four vectors: 32-bit lane 4 b + j of output v holds byte 16 b + 4 v + j of each
// input.
HWY_INLINE void InterleaveFours(const ByteVec* of, ByteVec* fours) {
  const DotBytes bytes;
  const hn::RepartitionToWide<DotBytes> pairs;
  const auto low = hn::BitCast(pairs, hn::InterleaveLower(bytes, of[0], of[1]));
  const auto high = hn::BitCast(pairs, hn::InterleaveUpper(bytes, of[0], of[1]));
  const auto next_low = hn::BitCast(pairs, hn::InterleaveLower(bytes, of[2], of[3]));
  const auto next_high = hn::BitCast(pairs, hn::InterleaveUpper(bytes, of[2], of[3]));
  fours[0] = hn::BitCast(bytes, hn::InterleaveLower(pairs, low, next_low));
  fours[1] = hn::BitCast(bytes, hn::InterleaveUpper(pairs, low, next_low));
  fours[2] = hn::BitCast(bytes, hn::InterleaveLower(pairs, high, next_high));
  fours[3] = hn::BitCast(bytes, hn::InterleaveUpper(pairs, high, next_high));
}

// The weights and factors of a vector of channels, shared by all pixels, in the order of
// InterleaveFours.
struct DotChannels {
  alignas(64) int8_t weights[kMaxDotTaps * kDotBytes];
  alignas(64) int32_t first[kDotBytes];
  alignas(64) float scales[kDotBytes], start[kDotBytes];
  size_t groups;  // of four taps
#if HWY_TARGET <= HWY_AVX3
  WideRescaler wide[4];  // of the four vectors, if is_wide
  bool is_wide;
#endif
};

// Fills `to` for the channels from `channel` on; fewer channels than a vector are repeated.
HWY_INLINE void PrepareChannels(const DepthwiseQ8Shape& shape, const int8_t* weights,
                                const FactorsQ8& factors, size_t channel, DotChannels& to) {
  const DotBytes bytes;
  const DotSums sums;
  const size_t padded = PanelCount(shape.channels) * kPanelOutputs;
  const size_t period = shape.channels < kDotBytes ? shape.channels : kDotBytes;
  const size_t taps = size_t{shape.kernel_height} * shape.kernel_width;
  to.groups = (taps + 3) / 4;
  DotVec biases[4] = {hn::Zero(sums), hn::Zero(sums), hn::Zero(sums), hn::Zero(sums)};
  for (size_t g = 0; g < to.groups; ++g) {
    ByteVec lines[4], fours[4];
    for (size_t t = 0; t < 4; ++t) {
      alignas(64) int8_t line[kDotBytes] = {};
      for (size_t i = 0; i < kDotBytes && 4 * g + t < taps; i += period) {
        __builtin_memcpy(line + i, weights + (4 * g + t) * padded + channel, period);
      }
      lines[t] = hn::Load(bytes, line);
    }
    InterleaveFours(lines, fours);
    for (size_t v = 0; v < 4; ++v) {
      hn::Store(fours[v], bytes, to.weights + (4 * g + v) * kDotBytes);
      biases[v] = AddDots(biases[v], FirstFactors(hn::Zero(bytes)), fours[v]);
    }
  }
  constexpr size_t kWords = kDotBytes / 4;
  for (size_t v = 0; v < 4; ++v) {
    alignas(64) int32_t bias[kWords] = {};
    if (kFirstBias != 0) hn::Store(biases[v], sums, bias);
    for (size_t i = 0; i < kWords; ++i) {
      const size_t n = channel + (i / 4 * 16 + 4 * v + i % 4) % period;
      const int32_t first = factors.first == nullptr ? 0 : factors.first[n];
      to.first[v * kWords + i] = WrappingSubtract(first, bias[i]);
      // Bits of floats or of integers.
      __builtin_memcpy(to.scales + v * kWords + i, factors.scales + n, sizeof(float));
      to.start[v * kWords + i] = 0;
      if (factors.start != nullptr) {
        __builtin_memcpy(to.start + v * kWords + i, factors.start + n, sizeof(float));
      }
    }
  }
#if HWY_TARGET <= HWY_AVX3
  to.is_wide = shape.results.codes.by_integers;
  for (size_t v = 0; v < 4 && to.is_wide; ++v) {
    const IntVec exponents = hn::BitCast(IntTag(), Load(to.start + v * kWords));
    to.is_wide = WideRescaler::Fits(exponents);
    to.wide[v] = WideRescaler(hn::BitCast(IntTag(), Load(to.scales + v * kWords)), exponents,
                              shape.results.codes.zero);
  }
#endif
}

// The codes of the sums of vector `v` in the order of DotChannels. Codes by integers may not be
// limited yet.
HWY_INLINE IntVec CodesOfDots(const DotChannels& of, size_t v, IntVec sums,
                              const CodeBounds& bounds) {
  const size_t at = v * (kDotBytes / 4);
  const FloatVec scaled = hn::Mul(ToFloats(sums), Load(of.scales + at));
  return ToCodes(hn::Add(scaled, Load(of.start + at)), bounds);
}
HWY_INLINE IntVec CodesOfDots(const DotChannels& of, size_t v, IntVec sums,
                              const CodeRange& codes) {
#if HWY_TARGET <= HWY_AVX3
  if (of.is_wide) return of.wide[v](sums);
#endif
  const size_t at = v * (kDotBytes / 4);
  const auto integers = [](const float* bits)
                            HWY_ATTR { return hn::BitCast(IntTag(), Load(bits)); };
  const MultiplierVec by(integers(of.scales + at), integers(of.start + at));
  return ToCodes(Rescaled(sums, by), codes);
}

HWY_INLINE ByteVec Limited(ByteVec codes, const CodeBounds&) { return codes; }
HWY_INLINE ByteVec Limited(ByteVec codes, const CodeRange& range) {
  return hn::Min(hn::Max(codes, hn::Set(DotBytes(), range.low)), hn::Set(DotBytes(), range.high));
}

// Addresses of the taps of a rectangle's first output. Taps outside the input, and those that
// complete the last group, point to padding, which is the same for all outputs (moves 0).
struct DotTaps {
  const int8_t* from[kMaxDotTaps];
  size_t moves[kMaxDotTaps];
};

HWY_INLINE void PositionTaps(const DepthwiseQ8Shape& shape, const Rectangle& at,
                             const TapSteps& steps, const int8_t* x, const int8_t* padding,
                             size_t groups, DotTaps& taps) {
  for (size_t i = 0; i < 4 * groups; ++i) taps.from[i] = padding, taps.moves[i] = 0;
  for (size_t ky = 0; ky < steps.rows; ++ky) {
    for (size_t kx = 0; kx < steps.columns; ++kx) {
      const size_t i = (at.ky.first + ky) * shape.kernel_width + at.kx.first + kx;
      taps.from[i] = x + (steps.first + ky * steps.row + kx * steps.column);
      taps.moves[i] = ~size_t{0};
    }
  }
}

// Computes a vector of quantised outputs, whose taps are `offset` elements after those of the first
// one.
template <typename Bounds>
HWY_INLINE void DotsOfVector(const DotChannels& of, const DotTaps& taps, size_t offset,
                             const Bounds& bounds, int8_t* y) {
  const DotBytes bytes;
  const DotSums sums;
  constexpr size_t kWords = kDotBytes / 4;
  DotVec sum[4];
  HWY_UNROLL(4)
  for (size_t v = 0; v < 4; ++v) sum[v] = hn::Load(sums, of.first + v * kWords);
  const int8_t* weights = of.weights;
  for (size_t t = 0; t < 4 * of.groups; t += 4) {
    ByteVec lines[4], fours[4];
    HWY_UNROLL(4)
    for (size_t i = 0; i < 4; ++i) {
      lines[i] = FirstFactors(hn::LoadU(bytes, taps.from[t + i] + (taps.moves[t + i] & offset)));
    }
    InterleaveFours(lines, fours);
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v, weights += kDotBytes) {
      sum[v] = AddDots(sum[v], fours[v], hn::Load(bytes, weights));
    }
  }
  IntVec codes[4];
  HWY_UNROLL(4)
  for (size_t v = 0; v < 4; ++v) codes[v] = CodesOfDots(of, v, sum[v], bounds);
  // Within 128-bit blocks, these place the lanes of the first operand before those of the second.
  const hn::RepartitionToNarrow<DotSums> shorts;
  const auto low = hn::ReorderDemote2To(shorts, codes[0], codes[1]);
  const auto high = hn::ReorderDemote2To(shorts, codes[2], codes[3]);
  hn::StoreU(Limited(hn::ReorderDemote2To(bytes, low, high), bounds), bytes, y);
}

// Computes the channels of `of` in all rectangles with `min` or more columns.
template <typename Bounds>
HWY_INLINE void DotsOfRectangles(const DepthwiseQ8Shape& shape, const WindowAxis& down,
                                 const WindowAxis& across, const DotChannels& of, size_t min,
                                 const int8_t* x, const Bounds& bounds, int8_t* y) {
  alignas(64) int8_t padding[kDotBytes];
  for (int8_t& code : padding) code = shape.x_zero;
  Rectangles rectangles(down, across);
  DotTaps taps;
  while (const Rectangle* next = rectangles.Next()) {
    const Rectangle& at = *next;
    const size_t columns = at.columns.count();
    if (columns < min) continue;
    const TapSteps steps = TapsOf(at, down, across, shape.x);
    const PixelSteps pixels = StepsOf(shape, steps.rows != 0);
    PositionTaps(shape, at, steps, x, padding, of.groups, taps);
    int8_t* to = y + FirstOf(at, shape.y);
    for (size_t i = 0; i < at.rows.count(); ++i, to += i < at.rows.count() ? shape.y.row : 0) {
      const size_t row = i * pixels.row;
      if (shape.channels >= kDotBytes) {
        for (size_t j = 0; j < columns; ++j) {
          DotsOfVector(of, taps, row + j * pixels.column, bounds, to + j * size_t{shape.y.pixel});
        }
        continue;
      }
      // The last vector is moved back to end with the row.
      const size_t end = columns * shape.channels - kDotBytes;
      for (size_t j = 0; j < end; j += kDotBytes) DotsOfVector(of, taps, row + j, bounds, to + j);
      DotsOfVector(of, taps, row + end, bounds, to + end);
    }
  }
}

// `bounds` are CodeBounds, or a CodeRange if codes are requantised by integers.
template <typename Bounds>
HWY_INLINE void DepthwiseByDots(const DepthwiseQ8Shape& shape, const WindowAxis& down,
                                const WindowAxis& across, size_t min, const int8_t* x,
                                const int8_t* weights, const FactorsQ8& factors,
                                const Bounds& bounds, int8_t* y) {
  const bool has_data = shape.in_height != 0 && shape.in_width != 0;
  size_t channel = 0;
  for (;;) {
    DotChannels of;
    PrepareChannels(shape, weights, factors, channel, of);
    for (size_t b = 0; b < shape.batch; ++b) {
      DotsOfRectangles(shape, down, across, of, min, has_data ? x + b * shape.x.image + channel : x,
                       bounds, y + b * shape.y.image + channel);
    }
    channel += kDotBytes;
    if (channel >= shape.channels) return;
    // The last vector ends with the last channel.
    if (channel + kDotBytes > shape.channels) channel = shape.channels - kDotBytes;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_
