// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantised values with the dot-product instructions of dots.h. Lines of x
// are copied with their padding, and the bytes of four lines are interleaved to quads, which all
// outputs whose windows have these lines share. Included only by depthwise_q8.cc.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_
#endif

#include <utility>

#include "kernels/integer.h"
#include "kernels/matrix/depthwise_q8.h"
#include "kernels/matrix/factor_lines-inl.h"
#include "kernels/matrix/pack.h"
#include "kernels/simd/codes-inl.h"
#include "kernels/simd/dots-inl.h"

#if defined(WEFT_TARGET_DOTS)
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

inline constexpr size_t kDotBytes = HWY_MAX_LANES_D(DotBytes), kDotWords = kDotBytes / 4;
// Maximum number of quads of taps, and bytes of stack for lines and for quads.
inline constexpr size_t kMaxTapQuads = 32, kLinesBytes = 8192, kQuadsBytes = 16384;
// Minimum number of panels of channels in a map that are worth the interleaved weights.
inline constexpr size_t kMinDotPanels = 10;
// Maximum horizontal stride of pixels that share a vector. Outputs after the last one of a row may
// be computed from bytes after the lines and quads, and are not written.
inline constexpr size_t kMaxSharedStride = 4, kSlack = kMaxSharedStride * 4 * kDotBytes;

// A window in quads of taps. A quad has four taps of a column or, if a window has one row, of that
// row.
struct DotWindow {
  bool is_row;
  size_t pitch;          // bytes of a pixel in lines: a power of two
  size_t rows, columns;  // quads
  size_t step;           // pixels between the quads of adjacent columns
  size_t reach;          // pixels of a line that an output depends on
  size_t shifts;         // rows of outputs that have different weights for the same quads
  size_t quads() const { return rows * columns; }
};

// Returns false for shapes that have no dot products.
HWY_INLINE bool FindDotWindow(const DepthwiseQ8Shape& shape, DotWindow& window) {
  const bool is_dense = shape.channels == 1 || (shape.x.channel == 1 && shape.y.channel == 1);
  if (shape.multiplier != 1 || shape.results.is_float || !is_dense || !HasDots()) return false;
  const size_t height = shape.kernel_height, width = shape.kernel_width;
  if (height == 0 || width == 0 || shape.in_height == 0 || shape.in_width == 0) return false;
  if (height > 4 * kMaxTapQuads || width > 4 * kMaxTapQuads) return false;
  const size_t dilation = width == 1 ? 1 : shape.dilation_x;
  if (dilation > kLinesBytes) return false;
  window.is_row = height == 1;
  window.rows = window.is_row ? 1 : (height + 3) / 4;
  window.columns = window.is_row ? (width + 3) / 4 : width;
  window.step = window.is_row ? 4 * dilation : dilation;
  window.reach =
      window.is_row ? (4 * window.columns - 1) * dilation + 1 : (width - 1) * dilation + 1;
  // The lanes of a vector of sums are channels of one pixel, or of contiguous pixels.
  window.pitch = shape.stride_x == 1 ? 1 : kDotWords;
  if (shape.stride_x > kMaxSharedStride) window.pitch = kDotBytes;
  while (window.pitch < shape.channels && window.pitch < kDotBytes) window.pitch *= 2;
  const bool has_shifts = !window.is_row && height < 4 && shape.stride_y == 1 &&
                          shape.dilation_y == 1 && shape.out_height > 1;
  window.shifts = has_shifts ? 5 - height : 1;
  if (window.shifts * window.columns > kMaxTapQuads) window.shifts = 1;
  const size_t bytes = window.reach * window.pitch;
  return window.quads() <= kMaxTapQuads && bytes * height <= kLinesBytes &&
         bytes * window.rows * 4 <= kQuadsBytes;
}

// Interleaves four vectors: 32-bit lane i of output v holds byte i + v * kDotWords of each input.
HWY_INLINE void InterleaveFours(const ByteVec* of, ByteVec* fours) {
  const DotBytes bytes;
  const hn::RepartitionToWide<DotBytes> pairs;
  constexpr size_t kBlocks = kDotBytes / 16;
  ByteVec in[4];
  HWY_UNROLL(4)
  for (size_t i = 0; i < 4; ++i) {
    in[i] = of[i];
    if constexpr (kBlocks != 1) {
      const DotSums words;
      alignas(64) static constexpr int32_t kOrders[2][16] = {
          {0, 2, 4, 6, 1, 3, 5, 7}, {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}};
      const auto order = hn::SetTableIndices(words, kOrders[kBlocks / 4]);
      in[i] = hn::BitCast(bytes, hn::TableLookupLanes(hn::BitCast(words, of[i]), order));
    }
  }
  const auto low = hn::BitCast(pairs, hn::InterleaveLower(bytes, in[0], in[1]));
  const auto high = hn::BitCast(pairs, hn::InterleaveUpper(bytes, in[0], in[1]));
  const auto next_low = hn::BitCast(pairs, hn::InterleaveLower(bytes, in[2], in[3]));
  const auto next_high = hn::BitCast(pairs, hn::InterleaveUpper(bytes, in[2], in[3]));
  fours[0] = hn::BitCast(bytes, hn::InterleaveLower(pairs, low, next_low));
  fours[1] = hn::BitCast(bytes, hn::InterleaveUpper(pairs, low, next_low));
  fours[2] = hn::BitCast(bytes, hn::InterleaveLower(pairs, high, next_high));
  fours[3] = hn::BitCast(bytes, hn::InterleaveUpper(pairs, high, next_high));
}

// Interleaves `count` bytes of four lines.
HWY_INLINE void InterleaveLines(const int8_t* const* lines, size_t count, int8_t* quads) {
  const DotBytes bytes;
  for (size_t i = 0; i < count; i += kDotBytes, quads += 4 * kDotBytes) {
    ByteVec in[4], fours[4];
    HWY_UNROLL(4)
    for (size_t t = 0; t < 4; ++t) in[t] = hn::LoadU(bytes, lines[t] + i);
    InterleaveFours(in, fours);
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) hn::Store(fours[v], bytes, quads + v * kDotBytes);
  }
}

// The weights and factors of a vector of channels; fewer channels are repeated in the distance of a
// pitch.
struct DotChannels {
  alignas(64) int8_t weights[kMaxTapQuads * 4 * kDotBytes];  // of the shifts one after another
  alignas(64) int32_t first[kDotBytes];
  alignas(64) float scales[kDotBytes], start[kDotBytes];
#if HWY_TARGET <= HWY_AVX3
  RightRescaler right[4];  // of the four vectors, if all shift to the right
  bool shifts_right;
#endif
};

// Repeats the elements of [0, period), a power of two, up to the end of a vector, with zeros after
// `count`. By vectors: compilers copy so many bytes with a slow instruction.
template <typename T>
HWY_INLINE void Repeat(const T* from, size_t count, size_t period, T* to) {
  const hn::Repartition<T, DotBytes> tag;
  const size_t lanes = hn::Lanes(tag);
  if (count == kDotBytes) {
    for (size_t i = 0; i < kDotBytes; i += lanes) hn::StoreU(hn::LoadU(tag, from + i), tag, to + i);
    return;
  }
  for (size_t i = 0; i < period; i += lanes) {
    hn::StoreU(i < count ? hn::LoadN(tag, from + i, count - i) : hn::Zero(tag), tag, to + i);
  }
  size_t filled = period;
  for (; filled < 16; filled *= 2) {
    for (size_t i = 0; i < filled; ++i) to[filled + i] = to[i];
  }
  const hn::Full128<T> block;
  for (size_t i = filled; i < kDotBytes; i += hn::Lanes(block)) {
    hn::StoreU(hn::LoadU(block, to + i - filled), block, to + i);
  }
}

// Quads of weights at (row, column) for outputs that are `shift` lines after the first line.
HWY_INLINE void WeightsOfQuads(const DepthwiseQ8Shape& shape, const DotWindow& window,
                               const int8_t* weights, size_t count, size_t shift, size_t row,
                               size_t column, ByteVec* fours) {
  const size_t padded = PanelCount(shape.channels) * kPanelOutputs;
  ByteVec lines[4];
  for (size_t t = 0; t < 4; ++t) {
    const size_t ky = window.is_row ? 0 : 4 * row + t - shift;
    const size_t kx = window.is_row ? 4 * column + t : column;
    lines[t] = hn::Zero(DotBytes());
    if (ky >= shape.kernel_height || kx >= shape.kernel_width) continue;
    alignas(64) int8_t line[kDotBytes];
    Repeat(weights + (ky * shape.kernel_width + kx) * padded, count, window.pitch, line);
    lines[t] = hn::Load(DotBytes(), line);
  }
  InterleaveFours(lines, fours);
}

// Fills `to` for `count` channels from `channel` on.
HWY_INLINE void PrepareChannels(const DepthwiseQ8Shape& shape, const DotWindow& window,
                                const int8_t* weights, const FactorsQ8& factors, size_t channel,
                                size_t count, DotChannels& to) {
  const DotBytes bytes;
  const DotSums sums;
  DotVec biases[4] = {hn::Zero(sums), hn::Zero(sums), hn::Zero(sums), hn::Zero(sums)};
  int8_t* next = to.weights;
  for (size_t shift = 0; shift < window.shifts; ++shift) {
    for (size_t i = 0; i < window.quads(); ++i, next += 4 * kDotBytes) {
      ByteVec fours[4];
      WeightsOfQuads(shape, window, weights + channel, count, shift, i / window.columns,
                     i % window.columns, fours);
      for (size_t v = 0; v < 4; ++v) {
        hn::Store(fours[v], bytes, next + v * kDotBytes);
        if (shift == 0) biases[v] = AddDots(biases[v], FirstFactors(hn::Zero(bytes)), fours[v]);
      }
    }
  }
  const int32_t zeros[kDotBytes] = {};
  Repeat(factors.first == nullptr ? zeros : factors.first + channel, count, window.pitch, to.first);
  Repeat(factors.scales + channel, count, window.pitch, to.scales);
  const float none[kDotBytes] = {};
  Repeat(factors.start == nullptr ? none : factors.start + channel, count, window.pitch, to.start);
  for (size_t v = 0; v < 4 && kFirstBias != 0; ++v) {
    int32_t* const at = to.first + v * kDotWords;
    hn::Store(hn::Sub(hn::Load(sums, at), biases[v]), sums, at);
  }
#if HWY_TARGET <= HWY_AVX3
  to.shifts_right = shape.results.codes.by_integers;
  for (size_t v = 0; v < 4 && to.shifts_right; ++v) {
    IntVec exponents = hn::BitCast(IntTag(), Load(to.start + v * kDotWords));
    const IntVec mantissas = hn::BitCast(IntTag(), Load(to.scales + v * kDotWords));
    // Lanes without a channel have zeros.
    if (count < window.pitch) {
      const auto is_none = hn::Eq(hn::Or(mantissas, exponents), SetInt(0));
      exponents = hn::IfThenElse(is_none, SetInt(-1), exponents);
    }
    to.shifts_right = RightRescaler::Fits(exponents);
    to.right[v] = RightRescaler(mantissas, exponents);
  }
#endif
}

// The codes of four vectors of sums.
HWY_INLINE ByteVec CodesOfDots(const DotChannels& of, DotVec* sums, const CodeRange& range,
                               const CodeBounds& bounds) {
  const DotBytes bytes;
  const auto floats = [&](size_t v) HWY_ATTR WEFT_ALWAYS_INLINE {
    const FloatVec scaled = hn::Mul(ToFloats(sums[v]), Load(of.scales + v * kDotWords));
    return hn::Add(scaled, Load(of.start + v * kDotWords));
  };
  const auto integers = [](const float* bits) HWY_ATTR WEFT_ALWAYS_INLINE {
    return hn::BitCast(IntTag(), Load(bits));
  };
  const auto rescale = [&](size_t v) HWY_ATTR WEFT_ALWAYS_INLINE {
    const MultiplierVec by(integers(of.scales + v * kDotWords), integers(of.start + v * kDotWords));
    sums[v] = Rescaled(sums[v], by);
  };
#if HWY_TARGET <= HWY_AVX3
  (void)bounds;
  if (!range.by_integers) {
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) sums[v] = ToNearest(floats(v));
  } else if (of.shifts_right) {
    RescaleFour([&](size_t v)
                    HWY_ATTR WEFT_ALWAYS_INLINE -> const RightRescaler& { return of.right[v]; },
                sums);
  } else {
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) rescale(v);
  }
  const ByteVec codes = JoinCodes(sums, range.zero);
#else
  HWY_UNROLL(4)
  for (size_t v = 0; v < 4; ++v) {
    if (range.by_integers) {
      rescale(v);
      sums[v] = ToCodes(sums[v], range);
    } else {
      sums[v] = ToCodes(floats(v), bounds);
    }
  }
  const hn::RepartitionToNarrow<DotSums> shorts;
  const ByteVec codes = hn::OrderedDemote2To(bytes, hn::OrderedDemote2To(shorts, sums[0], sums[1]),
                                             hn::OrderedDemote2To(shorts, sums[2], sums[3]));
#endif
  return hn::Min(hn::Max(codes, hn::Set(bytes, range.low)), hn::Set(bytes, range.high));
}

// A row of outputs from its first quad and to its first result.
struct DotRow {
  const int8_t* weights;
  const int8_t* quads;
  const size_t* taps;  // offsets of quads
  size_t tap_count;
  size_t offsets[4];  // of the vectors of sums
  size_t step;        // of the next four vectors
  int8_t* y;
  size_t y_pixel, pitch, channels, columns;
};

// Four vectors of sums of a number of taps that is a constant. Their weights stay in registers.
template <size_t kTaps>
class FixedTaps {
 public:
  HWY_INLINE explicit FixedTaps(const DotRow& row) {
    HWY_UNROLL(4)
    for (size_t t = 0; t < kTaps; ++t) {
      taps_[t] = row.taps[t];
      HWY_UNROLL(4)
      for (size_t v = 0; v < 4; ++v) {
        weights_[t][v] = hn::Load(DotBytes(), row.weights + (4 * t + v) * kDotBytes);
      }
    }
  }
  HWY_INLINE void Add(const DotRow& row, const int8_t* quads, DotVec* sums) const {
    HWY_UNROLL(4)
    for (size_t t = 0; t < kTaps; ++t) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < 4; ++v) {
        const ByteVec four = hn::LoadU(DotBytes(), quads + taps_[t] + row.offsets[v]);
        sums[v] = AddDots(sums[v], four, weights_[t][v]);
      }
    }
  }

 private:
  size_t taps_[kTaps];
  ByteVec weights_[kTaps][4];
};

// The same for any number of taps.
struct AnyTaps {
  HWY_INLINE explicit AnyTaps(const DotRow&) {}
  HWY_INLINE void Add(const DotRow& row, const int8_t* quads, DotVec* sums) const {
    const int8_t* weights = row.weights;
    for (size_t t = 0; t < row.tap_count; ++t, weights += 4 * kDotBytes) {
      HWY_UNROLL(4)
      for (size_t v = 0; v < 4; ++v) {
        const ByteVec four = hn::LoadU(DotBytes(), quads + row.taps[t] + row.offsets[v]);
        sums[v] = AddDots(sums[v], four, hn::Load(DotBytes(), weights + v * kDotBytes));
      }
    }
  }
};

// Computes four vectors of sums at a time.
template <class Taps>
HWY_INLINE void DotsOfRow(const DotChannels& of, const DotRow& given, const CodeRange& given_range,
                          const CodeBounds& bounds) {
  const DotBytes bytes;
  const DotRow row = given;  // copies: bytes written to y could alias the originals
  const CodeRange range = given_range;
  const Taps taps(row);
  const bool is_dense = row.channels == row.pitch && (row.y_pixel == row.pitch || row.columns == 1);
  const size_t pixels = kDotBytes / row.pitch;
  const int8_t* quads = row.quads;
  int8_t* y = row.y;
  for (size_t left = row.columns;; quads += row.step) {
    DotVec sums[4];
    HWY_UNROLL(4)
    for (size_t v = 0; v < 4; ++v) sums[v] = hn::Load(DotSums(), of.first + v * kDotWords);
    taps.Add(row, quads, sums);
    const ByteVec codes = CodesOfDots(of, sums, range, bounds);
    const size_t count = left < pixels ? left : pixels;
    if ((is_dense || (pixels == 1 && row.channels == kDotBytes)) && count == pixels) {
      hn::StoreU(codes, bytes, y);
    } else {
      alignas(64) int8_t block[kDotBytes];
      hn::Store(codes, bytes, block);
      for (size_t i = 0; i < count; ++i) {
        if constexpr (kDotBytes == 16) {  // the compiler sees that the pixel is in `block`
          CopyFewBytes(y + i * row.y_pixel, block + i * row.pitch, row.channels);
        } else {
          CopyBytes(y + i * row.y_pixel, block + i * row.pitch, row.channels);
        }
      }
    }
    left -= count;
    if (left == 0) return;
    y += pixels * row.y_pixel;
  }
}

// Computes some channels of an image: lines of a rectangle of outputs at a time.
class ImageOfDots {
 public:
  ImageOfDots(const DepthwiseQ8Shape& shape, const DotWindow& window, const DotChannels& of,
              size_t channels)
      : shape_(shape),
        window_(window),
        of_(of),
        bounds_(BoundsOf(shape.results.codes)),
        down_(shape.down()),
        across_(shape.across()),
        is_run_(shape.kernel_height == 1 || shape.dilation_y == 1) {
    row_.channels = channels;
    row_.pitch = window.pitch;
    row_.tap_count = window.quads();
    row_.taps = taps_;
    row_.y_pixel = shape.y.pixel;
    row_.step = size_t{shape.stride_x} * 4 * kDotBytes;
    for (size_t v = 0; v < 4; ++v) {
      const size_t at = v * kDotWords;
      row_.offsets[v] = 4 * (at / window.pitch * window.pitch * shape.stride_x + at % window.pitch);
    }
  }

  HWY_INLINE void Run(const int8_t* x, int8_t* y) {
    const size_t pixels =
        HWY_MIN(kLinesBytes / shape_.kernel_height, kQuadsBytes / 4 / window_.rows) / window_.pitch;
    const size_t some = (pixels - window_.reach) / shape_.stride_x + 1;
    for (size_t first = 0; first < shape_.out_width; first += some) {
      RunColumns(x, first, HWY_MIN(some, shape_.out_width - first), y);
    }
  }

 private:
  HWY_INLINE void RunColumns(const int8_t* x, size_t first, size_t columns, int8_t* y) {
    const size_t pixels = (columns - 1) * shape_.stride_x + window_.reach;
    const FactorLine line = {across_.Origin(static_cast<uint32_t>(first)), pixels, row_.channels,
                             window_.pitch};
    const size_t height = shape_.kernel_height, bytes = pixels * window_.pitch;
    const size_t most = is_run_ ? (kLinesBytes / bytes - height) / shape_.stride_y + 1 : 1;
    const int64_t step = is_run_ ? 1 : int64_t{shape_.dilation_y};
    row_.columns = columns;
    if (first != 0) y += first * shape_.y.pixel;
    for (size_t top = 0; top < shape_.out_height; top += most) {
      const size_t rows = HWY_MIN(most, shape_.out_height - top);
      const size_t lines = (rows - 1) * shape_.stride_y + height;
      const int64_t origin = down_.Origin(static_cast<uint32_t>(top));
      for (size_t i = 0; i < lines; ++i) {
        CopyLine(shape_, x, shape_.x_zero, line, origin + static_cast<int64_t>(i) * step,
                 lines_ + i * bytes);
      }
      for (size_t i = 0; i < rows; i += window_.shifts) {
        Interleave(i * shape_.stride_y, lines, bytes);
        for (size_t shift = 0; shift < window_.shifts && i + shift < rows; ++shift) {
          row_.y = y;
          if (top + i + shift != 0) row_.y += (top + i + shift) * shape_.y.row;
          RunRow(shift);
        }
      }
    }
  }

  // Interleaves the lines from `first` on, and sets the offsets of the quads.
  HWY_INLINE void Interleave(size_t first, size_t lines, size_t bytes) {
    const size_t span = window_.is_row ? bytes - 3 * window_.step / 4 * window_.pitch : bytes;
    const size_t room = (span + kDotBytes - 1) / kDotBytes * kDotBytes;
    for (size_t g = 0; g < window_.rows; ++g) {
      const int8_t* of[4];
      for (size_t t = 0; t < 4; ++t) {
        const size_t line = window_.is_row ? first : HWY_MIN(first + 4 * g + t, lines - 1);
        of[t] = lines_ + line * bytes + (window_.is_row ? t * window_.step / 4 * window_.pitch : 0);
      }
      InterleaveLines(of, span, quads_ + g * 4 * room);
      for (size_t i = 0; i < window_.columns; ++i) {
        taps_[g * window_.columns + i] = 4 * (g * room + i * window_.step * window_.pitch);
      }
    }
  }

  HWY_INLINE void RunRow(size_t shift) {
    row_.weights = of_.weights + shift * window_.quads() * 4 * kDotBytes;
    row_.quads = quads_;
    const CodeRange& range = shape_.results.codes;
    if (row_.tap_count == 3) return DotsOfRow<FixedTaps<3>>(of_, row_, range, bounds_);
    DotsOfRow<AnyTaps>(of_, row_, range, bounds_);
  }

  const DepthwiseQ8Shape& shape_;
  const DotWindow& window_;
  const DotChannels& of_;
  const CodeBounds bounds_;
  const WindowAxis down_, across_;
  const bool is_run_;  // lines are adjacent rows of x
  DotRow row_;
  size_t taps_[kMaxTapQuads];
  alignas(64) int8_t lines_[kLinesBytes + kDotBytes];
  alignas(64) int8_t quads_[kQuadsBytes + 16 * kDotBytes * kMaxTapQuads / 4 + kSlack];
};

// Returns false, without writing, for shapes that have no dot products.
HWY_INLINE bool DepthwiseByDots(const DepthwiseQ8Shape& given, const int8_t* x,
                                const int8_t* weights, const FactorsQ8& factors, int8_t* y) {
  DepthwiseQ8Shape shape = given;
  const size_t pixels = size_t{shape.out_height} * shape.out_width;
  if (pixels * PanelCount(shape.channels) < kMinDotPanels) return false;
  if (shape.in_width == 1 && shape.out_width == 1 && shape.kernel_width == 1 &&
      shape.pad_left == 0) {  // a column of pixels is processed like a row
    std::swap(shape.in_height, shape.in_width);
    std::swap(shape.out_height, shape.out_width);
    std::swap(shape.kernel_height, shape.kernel_width);
    std::swap(shape.stride_y, shape.stride_x);
    std::swap(shape.dilation_y, shape.dilation_x);
    std::swap(shape.pad_top, shape.pad_left);
    std::swap(shape.x.row, shape.x.pixel);
    std::swap(shape.y.row, shape.y.pixel);
  }
  DotWindow window;
  if (!FindDotWindow(shape, window)) return false;
  const size_t count = HWY_MIN(size_t{shape.channels}, kDotBytes);
  DotChannels of;
  ImageOfDots image(shape, window, of, count);
  for (size_t channel = 0;;) {
    PrepareChannels(shape, window, weights, factors, channel, count, of);
    for (size_t b = 0; b < shape.batch; ++b) {
      image.Run(x + (b == 0 ? 0 : b * shape.x.image) + channel,
                y + (b == 0 ? 0 : b * shape.y.image) + channel);
    }
    channel += kDotBytes;
    if (channel >= shape.channels) return true;
    // The last vector ends with the last channel.
    if (channel + kDotBytes > shape.channels) channel = shape.channels - kDotBytes;
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_DOTS_INL_H_
