// SPDX-License-Identifier: Apache-2.0
// Implementation of Conv for any weight type; conv.cc and conv_<type>.cc instantiate it.

#if defined(WEFT_KERNELS_MATRIX_CONV_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_CONV_INL_H_
#undef WEFT_KERNELS_MATRIX_CONV_INL_H_
#else
#define WEFT_KERNELS_MATRIX_CONV_INL_H_
#endif

#include <type_traits>

#include "kernels/matrix/conv.h"
#include "kernels/matrix/conv_widened-inl.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/product-inl.h"
#include "kernels/matrix/rectangles.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Offsets wrap around in size_t: a stride along an axis of length 1 may have any value, and no
// pointer to an element outside the data is formed.

// The product of one group of one image. If kContinues, sums begin at y.
template <class Weight, bool kContinues = false>
struct ConvImage {
  static constexpr auto& kShapes = kPixelShapes;

  const ConvShape& shape;
  const float* x;             // the group's channels
  WeightsOf<Weight> weights;  // the next panel
  const float* bias;          // of the next output channel, or null
  float* y;                   // the next output channel
  size_t panel_weights;

  template <size_t kPixels, size_t kPanels>
  WEFT_TILES void Group(size_t channels, size_t pixels) const;

  // Starts the sums of pixels at the addresses `to`.
  template <size_t kPixels, size_t kPanels>
  HWY_INLINE void Start(Tile<kPixels, kPanels>& tile, float* const* to, size_t channels) const {
    if constexpr (kContinues) {
      if (shape.y.channel != 1 && channels != 1) return Gather(tile, to, channels);
      for (size_t p = 0; p < kPixels; ++p) {
        Tile<1, kPanels> pixel;
        pixel.Start(to[p], 0, channels);
        for (size_t v = 0; v < pixel.kVectors; ++v) tile.sums[p][v] = pixel.sums[0][v];
      }
    } else if (bias != nullptr) {
      tile.Start(bias, 0, channels);
    } else {
      tile.Zero();
    }
  }

  // Writes finished sums to the addresses of the pixels.
  template <size_t kPixels, size_t kPanels>
  HWY_INLINE void Put(Tile<kPixels, kPanels>& tile, float* const* to, size_t channels) const {
    if (shape.y.channel != 1 && channels != 1) return Scatter(tile, to, channels);
    tile.Finish(to, channels, shape.activation);
    if (TileFuses(shape.activation)) return;
    if (kLanes > 1 && IsRun<kPixels>(to, channels)) {
      return ActivateSpan(shape.activation, to[0], to[0], kPixels * channels);
    }
    for (size_t p = 0; p < kPixels; ++p) ActivateSpan(shape.activation, to[p], to[p], channels);
  }

  HWY_INLINE void Next(size_t channels) {
    weights = MovedTo(weights, channels / kPanel * panel_weights, channels);
    y += channels * shape.y.channel;
    if (bias != nullptr) bias += channels;
  }

 private:
  // Returns true if the outputs of the pixels are contiguous.
  template <size_t kPixels>
  HWY_INLINE static bool IsRun(float* const* to, size_t channels) {
    for (size_t p = 1; p < kPixels; ++p) {
      if (to[p] != to[p - 1] + channels) return false;
    }
    return true;
  }

  // Lanes are output channels, which are not contiguous in y: the tile is copied through a buffer.
  template <size_t kPixels, size_t kPanels>
  HWY_INLINE void Gather(Tile<kPixels, kPanels>& tile, float* const* to, size_t channels) const {
    constexpr size_t kOutputs = kPanels * kPanel;
    float block[kPixels * kOutputs] = {};
    size_t offset = 0;
    for (size_t c = 0; c < channels; ++c) {
      HWY_UNROLL(16)
      for (size_t p = 0; p < kPixels; ++p) block[p * kOutputs + c] = to[p][offset];
      offset += shape.y.channel;
    }
    tile.Start(block, kOutputs, kOutputs);
  }
  template <size_t kPixels, size_t kPanels>
  HWY_INLINE void Scatter(Tile<kPixels, kPanels>& tile, float* const* to, size_t channels) const {
    constexpr size_t kOutputs = kPanels * kPanel;
    float spare[kPixels * kOutputs];
    float* const block = tile.Block(spare);
    float* rows[kPixels];
    for (size_t p = 0; p < kPixels; ++p) rows[p] = block + p * kOutputs;
    const Activation& activation = shape.activation;
    tile.Finish(rows, kOutputs, activation);
    if (!TileFuses(activation)) ActivateSpan(activation, block, block, kPixels * kOutputs);
    size_t offset = 0;
    for (size_t c = 0; c < channels; ++c) {
      HWY_UNROLL(16)
      for (size_t p = 0; p < kPixels; ++p) to[p][offset] = block[p * kOutputs + c];
      offset += shape.y.channel;
    }
  }
};

// The taps of a rectangle: `windows` times `taps`. The order of the sum is (ky, kx, c), ascending.
// If pixels are contiguous, kx and c are merged into one run.
struct ConvTaps {
  Taps taps;
  size_t x, weights;  // offsets of the first tap
  size_t windows, x_window, weight_window;
};

HWY_INLINE ConvTaps ConvTapsOf(const ConvShape& shape, const Rectangle& at, const TapSteps& steps) {
  const size_t channels = shape.in_channels, column_weights = channels * kPanel;
  const size_t row_weights = column_weights * shape.kernel_width;
  ConvTaps all = {};
  if (steps.rows == 0 || channels == 0) return all;
  all.x = steps.first;
  all.weights = at.ky.first * row_weights + at.kx.first * column_weights;
  const bool is_line = channels == 1;
  if (is_line || steps.columns == 1 || steps.column == channels * shape.x.channel) {
    all.windows = 1;
    all.taps = {steps.rows, steps.columns * channels, is_line ? steps.column : shape.x.channel,
                steps.row, row_weights};
  } else {
    all.windows = steps.rows;
    all.x_window = steps.row;
    all.weight_window = row_weights;
    all.taps = {steps.columns, channels, shape.x.channel, steps.column, column_weights};
  }
  return all;
}

// Offsets of all taps of a rectangle, if they are short runs that read the weights in order. One
// loop over them replaces a loop per run.
class ConvOffsets {
 public:
  explicit ConvOffsets(const ConvTaps& window) {
    constexpr size_t kShortRun = 16;
    const Taps& taps = window.taps;
    const size_t runs = window.windows * taps.lines;
    if (runs < 2 || taps.count >= kShortRun || runs * taps.count > kMax) return;
    const size_t run_weights = taps.count * kPanel;
    if (taps.lines > 1 && taps.weight_line != run_weights) return;
    if (window.windows > 1 && window.weight_window != taps.lines * run_weights) return;
    for (size_t i = 0; i < window.windows; ++i) {
      for (size_t line = 0; line < taps.lines; ++line) {
        const size_t first = i * window.x_window + line * taps.x_line;
        for (size_t k = 0; k < taps.count; ++k) at_[count_++] = first + k * taps.x_step;
      }
    }
  }
  // 0 if the taps do not qualify.
  size_t count() const { return count_; }
  const size_t* at() const { return at_; }

 private:
  static constexpr size_t kMax = 128;

  size_t count_ = 0;
  size_t at_[kMax];
};

// For targets with one lane, where loops over runs cost the same.
struct NoConvOffsets {
  explicit NoConvOffsets(const ConvTaps&) {}
};

// Iterates over the pixels of a rectangle.
template <class Image, class Offsets>
struct ConvPixels {
  const Image& image;
  const ConvTaps& window;
  const Offsets& offsets;
  size_t columns;
  size_t x_row, x_pixel;  // from pixel to pixel; 0 where there are no taps
  size_t x, y;            // offsets of the next row
  size_t column;

  // Returns the addresses of the next kPixels pixels and advances.
  template <size_t kPixels>
  HWY_INLINE void Take(const float* (&from)[kPixels], float* (&to)[kPixels]) {
    if (kLanes > 1 && kPixels <= columns - column) {  // all in this row
      const size_t first = x + column * x_pixel, first_to = y + column * image.shape.y.pixel;
      for (size_t p = 0; p < kPixels; ++p) {
        from[p] = image.x + (first + p * x_pixel);
        to[p] = image.y + (first_to + p * image.shape.y.pixel);
      }
      column += kPixels;
      if (column == columns) NextRow();
      return;
    }
    for (size_t p = 0; p < kPixels; ++p) {
      from[p] = image.x + (x + column * x_pixel);
      to[p] = image.y + (y + column * image.shape.y.pixel);
      if (++column == columns) NextRow();
    }
  }

  HWY_INLINE void NextRow() {
    column = 0;
    x += x_row;
    y += image.shape.y.row;
  }

  template <size_t kPixels, size_t kPanels>
  WEFT_TILES void Run(size_t channels) {
    const float* from[kPixels];
    float* to[kPixels];
    Take(from, to);
    Tile<kPixels, kPanels> tile;
    image.Start(tile, to, channels);
    Add(tile, from, image.weights + window.weights);
    image.Put(tile, to, channels);
  }

  template <size_t kPixels, size_t kPanels, class Weights>
  HWY_INLINE void Add(Tile<kPixels, kPanels>& tile, const float* (&from)[kPixels],
                      Weights weights) const {
    if constexpr (kLanes > 1) {
      if (offsets.count() != 0) {
        return tile.AddOffsets(from, offsets.at(), weights, image.panel_weights, offsets.count());
      }
    }
    for (size_t i = 0; i < window.windows; ++i) {
      if (i != 0) {
        for (const float*& pixel : from) pixel += window.x_window;
        weights += window.weight_window;
      }
      tile.AddTaps(from, window.taps, weights, image.panel_weights);
    }
  }
};

// Pixels of one row whose windows extend beyond the data, so that each has different taps;
// processed a tile at a time. From left to right, windows begin and end at earlier taps. All pixels
// share the taps from the first tap of the first pixel to the last tap of the last pixel, which are
// summed as one tile. The taps before and after that range are summed recursively in halves of the
// tile. Only for windows with one row.
template <class Image, size_t kPixels, size_t kPanels>
class ConvEdge {
 public:
  ConvEdge(const Image& image, size_t channels) : image_(image), channels_(channels) {}

  // Accepts a rectangle of one pixel and returns true. Returns false for other rectangles and for
  // short sums, where storing intermediate sums costs more than it saves.
  bool Take(const Rectangle& at) {
    constexpr size_t kMinSum = 64;
    const ConvShape& shape = image_.shape;
    const bool is_pixel = at.rows.count() == 1 && at.columns.count() == 1;
    if (shape.kernel_height != 1 || !is_pixel || at.ky.count() == 0 || at.kx.count() == 0)
      return false;
    if (size_t{shape.kernel_width} * shape.in_channels < kMinSum) return false;
    // Offset of tap 0, in wrapping size_t arithmetic.
    from_[count_] = (size_t{at.rows.first} * shape.stride_y - shape.pad_top) * shape.x.row +
                    (size_t{at.columns.first} * shape.stride_x - shape.pad_left) * shape.x.pixel;
    to_[count_] = image_.y + FirstOf(at, shape.y);
    taps_[count_] = at.kx;
    if (++count_ == kPixels) Flush();
    return true;
  }

  void Flush() {
    if (count_ != 0) RunSome<kPixels>(0, count_);
    count_ = 0;
  }

 private:
  static constexpr size_t kOutputs = kPanels * kPanel;

  template <size_t kRows>
  void RunSome(size_t first, size_t count) {
    for (; count >= kRows; first += kRows, count -= kRows) Run<kRows>(first);
    if constexpr (kRows > 1) {
      if (count != 0) RunSome<kRows / 2>(first, count);
    }
  }

  template <size_t kRows>
  void Run(size_t first) {
    const size_t last = first + kRows - 1;
    if constexpr (kRows > 1) {
      if (taps_[last].end <= taps_[first].first) {
        Run<kRows / 2>(first);
        return Run<kRows - kRows / 2>(first + kRows / 2);
      }
    }
    Tile<1, kPanels> begin;
    for (size_t p = first; p <= last; ++p) {
      image_.Start(begin, to_ + p, channels_);
      float* row = sums_ + p * kOutputs;
      begin.Finish(&row, kOutputs, Activation());
    }
    SumBefore<kRows>(first);
    Sum<kRows>(first, taps_[first].first, taps_[last].end);
    SumAfter<kRows>(first);
    Tile<kRows, kPanels> end;
    end.Start(sums_ + first * kOutputs, kOutputs, kOutputs);
    image_.Put(end, to_ + first, channels_);
  }

  // Adds the taps before the first tap of pixel `first`.
  template <size_t kRows>
  void SumBefore(size_t first) {
    if constexpr (kRows > 1) {
      constexpr size_t kHalf = kRows / 2, kRest = kRows - kHalf;
      SumBefore<kHalf>(first);
      SumBefore<kRest>(first + kHalf);
      Sum<kRest>(first + kHalf, taps_[first + kHalf].first, taps_[first].first);
    }
  }

  // Adds the taps after the last tap of the last pixel.
  template <size_t kRows>
  void SumAfter(size_t first) {
    if constexpr (kRows > 1) {
      constexpr size_t kHalf = kRows / 2, kRest = kRows - kHalf;
      Sum<kHalf>(first, taps_[first + kRows - 1].end, taps_[first + kHalf - 1].end);
      SumAfter<kHalf>(first);
      SumAfter<kRest>(first + kHalf);
    }
  }

  // Adds taps [begin, end), which all kRows pixels have.
  template <size_t kRows>
  WEFT_TILES void Sum(size_t first, uint32_t begin, uint32_t end) {
    const ConvShape& shape = image_.shape;
    if (begin >= end || shape.in_channels == 0) return;
    const size_t column = size_t{shape.dilation_x} * shape.x.pixel;
    const float* from[kRows];
    float* sums[kRows];
    for (size_t p = 0; p < kRows; ++p) {
      from[p] = image_.x + (from_[first + p] + begin * column);
      sums[p] = sums_ + (first + p) * kOutputs;
    }
    Tile<kRows, kPanels> tile;
    tile.Start(sums[0], kOutputs, kOutputs);
    const size_t channels = shape.in_channels, count = end - begin;
    const bool is_line = channels == 1;
    const Taps taps = is_line || column == channels * shape.x.channel
                          ? Taps{1, count * channels, is_line ? column : shape.x.channel, 0, 0}
                          : Taps{count, channels, shape.x.channel, column, channels * kPanel};
    tile.AddTaps(from, taps, image_.weights + begin * channels * kPanel, image_.panel_weights);
    tile.Finish(sums, kOutputs, Activation());
  }

  const Image& image_;
  const size_t channels_;
  size_t count_ = 0;
  IndexRange taps_[kPixels];
  size_t from_[kPixels];
  float* to_[kPixels];
  HWY_ALIGN float sums_[kPixels * kOutputs];
};

// For tiles of one pixel, which have nothing to share.
struct NoConvEdge {
  template <class Image>
  NoConvEdge(const Image&, size_t) {}
  bool Take(const Rectangle&) { return false; }
  void Flush() {}
};

template <class Weight, bool kContinues>
template <size_t kPixels, size_t kPanels>
void ConvImage<Weight, kContinues>::Group(size_t channels, size_t) const {
  const WindowAxis down = shape.down();
  const WindowAxis across = shape.across();
  Rectangles rectangles(down, across);
  using Edge = std::conditional_t<(kPixels > 1 && kLanes > 1),
                                  ConvEdge<ConvImage, kPixels, kPanels>, NoConvEdge>;
  Edge edge(*this, channels);
  while (const Rectangle* rectangle = rectangles.Next()) {
    const Rectangle& at = *rectangle;
    if (edge.Take(at)) continue;
    const ConvTaps window = ConvTapsOf(shape, at, TapsOf(at, down, across, shape.x));
    using Offsets = std::conditional_t<(kLanes > 1), ConvOffsets, NoConvOffsets>;
    const Offsets offsets(window);
    ConvPixels<ConvImage, Offsets> next = {
        *this, window, offsets, at.columns.count(), 0, 0, window.x, FirstOf(at, shape.y), 0};
    if (window.windows != 0) {
      next.x_row = size_t{shape.stride_y} * shape.x.row;
      next.x_pixel = size_t{shape.stride_x} * shape.x.pixel;
    }
    const size_t pixels = size_t{at.rows.count()} * next.columns;
    const bool is_row = next.x_row == next.columns * next.x_pixel &&
                        shape.y.row == next.columns * size_t{shape.y.pixel};
    if (kLanes > 1 && is_row) next.columns = pixels;
    RunRows<kPixels, kPanels>(next, channels, pixels);
  }
  edge.Flush();
}

// Widens the weights first if there are many pixels.
template <class Weight>
struct WidenedImage : ConvImage<Weight> {
  template <size_t kPixels, size_t kPanels>
  void Group(size_t channels, size_t pixels) const {
    if constexpr (kPixels > 1) {
      if (this->panel_weights != 0 && pixels >= kMinWideTiles * kPixels) {
        if constexpr (kPanels > kNarrowPanels) {
          // If outputs are not contiguous, continuing their sums costs more than a narrower tile.
          constexpr size_t kMinPixels = kMinWideTiles * kPixelShapes[kNarrowShape].rows;
          const bool is_scattered = this->shape.y.channel != 1;
          if (is_scattered && !WeightsFit<kPanels>(this->panel_weights) && pixels >= kMinPixels) {
            WidenedImage image = *this;
            return RunProduct<WidenedImage, kNarrowShape>(image, channels, pixels);
          }
        }
        const ConvImage<Weight>& image = *this;
        return RunWidened<kPixels, kPanels>(image, channels, pixels);
      }
    }
    ConvImage<Weight>::template Group<kPixels, kPanels>(channels, pixels);
  }
};

template <class Weight>
HWY_INLINE void RunConv(const ConvShape& shape, const float* x, const Weight* weights,
                        const float* bias, float* y) {
  const size_t pixels = size_t{shape.out_height} * shape.out_width;
  // If there are no outputs, the other counts are not bounded.
  if (pixels == 0 || shape.out_channels == 0) return;
  const size_t group_weights = PackedConvFloats(1, shape.out_channels, shape.in_channels,
                                                shape.kernel_height, shape.kernel_width);
  const size_t panels = PanelCount(shape.out_channels), panel_weights = group_weights / panels;
  const WeightsOf<Weight> first = FirstWeight(weights, shape.groups * panels * kPanel);
  using Image = std::conditional_t<kWidens<Weight>, WidenedImage<Weight>, ConvImage<Weight>>;
  for (size_t b = 0; b < shape.batch; ++b) {
    for (size_t g = 0; g < shape.groups; ++g) {
      Image image = {shape,
                     x + b * shape.x.image + g * shape.in_channels * shape.x.channel,
                     MovedTo(first, g * group_weights, g * panels * kPanel),
                     bias == nullptr ? nullptr : bias + g * shape.out_channels,
                     y + b * shape.y.image + g * shape.out_channels * shape.y.channel,
                     panel_weights};
      RunProduct(image, shape.out_channels, pixels);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_CONV_INL_H_
