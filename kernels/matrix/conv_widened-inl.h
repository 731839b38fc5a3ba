// SPDX-License-Identifier: Apache-2.0
// Convolutions of many pixels whose weights are not floats. Converting the weights again for each
// tile of pixels costs up to a third of the multiply-adds. Here the weights of a group of panels
// are widened to the stack once for all pixels. If not all fit, the convolution is divided into
// smaller ones, each with a part of the taps. Each of them continues the sums of the one before, so
// the order of additions does not change.

#if defined(WEFT_KERNELS_MATRIX_CONV_WIDENED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_CONV_WIDENED_INL_H_
#undef WEFT_KERNELS_MATRIX_CONV_WIDENED_INL_H_
#else
#define WEFT_KERNELS_MATRIX_CONV_WIDENED_INL_H_
#endif

#include <type_traits>

#include "kernels/matrix/conv.h"
#include "kernels/matrix/panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Not on boards and WebAssembly, where stack is scarce.
template <class Weight>
inline constexpr bool kWidens = (HWY_ARCH_X86_64 || HWY_ARCH_ARM_A64) && kLanes > 1 &&
                                !std::is_same<Weight, float>::value;

// Floats of stack, 72 KB: 288 weights per output of four panels, such as 3 x 3 x 32.
inline constexpr size_t kWideFloats = 18432;
template <size_t kPanels>
constexpr bool WeightsFit(size_t panel_weights) {
  return panel_weights <= kWideFloats / kPanels;
}

// The tile of two panels in kPixelShapes: twice as many taps fit.
inline constexpr size_t kNarrowPanels = 2, kNarrowShape = kLanes > 1 ? 2 : 0;

// The minimum number of tiles from which widening is worth it.
inline constexpr size_t kMinWideTiles = 5;

// Divides the taps of a kernel into parts of at most `depth` weights per output, in the order of
// the sum: rows, else columns of a row, else channels of a tap.
class ConvParts {
 public:
  ConvParts(const ConvShape& shape, size_t depth) : whole_(shape), shape_(shape) {
    const size_t channels = shape.in_channels, row = channels * shape.kernel_width;
    rows_ = PartOf(shape.kernel_height, depth / row);
    columns_ = PartOf(shape.kernel_width, depth / channels);
    channels_ = PartOf(shape.in_channels, depth);
  }

  // Advances to the next part; returns false after the last.
  bool Next() {
    if (is_last()) return false;
    if (ky_.end == 0) {
      ky_ = {0, rows_}, kx_ = {0, columns_}, c_ = {0, channels_};
    } else if (!Advance(c_, channels_, whole_.in_channels) &&
               !Advance(kx_, columns_, whole_.kernel_width)) {
      Advance(ky_, rows_, whole_.kernel_height);
    }
    shape_ = whole_;
    shape_.kernel_height = ky_.count();
    shape_.kernel_width = kx_.count();
    shape_.in_channels = c_.count();
    x_ = Skip(ky_.first, shape_.dilation_y, shape_.pad_top, shape_.in_height) * shape_.x.row +
         Skip(kx_.first, shape_.dilation_x, shape_.pad_left, shape_.in_width) * shape_.x.pixel +
         size_t{c_.first} * shape_.x.channel;
    if (!is_last()) shape_.activation = Activation();
    return true;
  }

  bool is_first() const { return ky_.first == 0 && kx_.first == 0 && c_.first == 0; }
  bool is_last() const {
    return ky_.end == whole_.kernel_height && kx_.end == whole_.kernel_width &&
           c_.end == whole_.in_channels;
  }

  // The convolution by the weights of the part, and the offset of its data.
  const ConvShape& shape() const { return shape_; }
  size_t x() const { return x_; }

  // Weights per output.
  size_t depth() const { return ky_.count() * line(); }

  // Widens the weights of the part of one panel.
  template <class Weights>
  HWY_INLINE void Widen(Weights panel, float* to) const {
    for (size_t ky = ky_.first; ky < ky_.end; ++ky) {
      const size_t tap = ky * whole_.kernel_width + kx_.first;
      WidenColumns(to, panel + (tap * whole_.in_channels + c_.first) * kPanel, kPanel, line());
      to += line() * kPanel;
    }
  }

 private:
  // Contiguous weights per output.
  size_t line() const { return size_t{kx_.count()} * c_.count(); }

  // The length of equal parts of `count`, of at most `max`, at least 1.
  static uint32_t PartOf(uint32_t count, size_t max) {
    if (max == 0) return 1;
    const size_t parts = (count + max - 1) / max;
    return static_cast<uint32_t>((count + parts - 1) / parts);
  }

  // Returns false if the range was the last one, and starts again.
  static bool Advance(IndexRange& range, uint32_t part, uint32_t count) {
    const bool was_last = range.end == count;
    range.first = was_last ? 0 : range.end;
    range.end = count - range.first < part ? count : range.first + part;
    return !was_last;
  }

  // Removes the first `taps` taps from an axis. Returns how many elements of its input to skip.
  static size_t Skip(uint32_t taps, uint32_t dilation, uint32_t& pad, uint32_t& input) {
    const uint64_t distance = uint64_t{taps} * dilation;
    if (distance <= pad) {
      pad -= static_cast<uint32_t>(distance);
      return 0;
    }
    const uint64_t skipped = distance - pad;
    pad = 0;
    if (skipped >= input) {  // all of the other taps are after the input
      input = 0;
      return 0;
    }
    input -= static_cast<uint32_t>(skipped);
    return static_cast<size_t>(skipped);
  }

  const ConvShape& whole_;
  ConvShape shape_;
  uint32_t rows_, columns_, channels_;  // of a part
  IndexRange ky_, kx_, c_;
  size_t x_ = 0;
};

// Computes all pixels of ConvImage, whose kernel has taps.
template <size_t kPixels, size_t kPanels, template <class, bool> class Image, class Weight>
HWY_NOINLINE void RunWidened(const Image<Weight, false>& image, size_t channels, size_t pixels) {
  HWY_ALIGN float wide[kWideFloats];
  for (ConvParts part(image.shape, kWideFloats / (kPanels * kPanel)); part.Next();) {
    const size_t panel_weights = part.depth() * kPanel;
    for (size_t panel = 0; panel * kPanel < channels; ++panel) {
      part.Widen(MovedTo(image.weights, panel * image.panel_weights, panel * kPanel),
                 wide + panel * panel_weights);
    }
    const float* const x = image.x + part.x();
    if (part.is_first()) {
      const Image<float, false> first = {part.shape(), x, wide, image.bias, image.y, panel_weights};
      first.template Group<kPixels, kPanels>(channels, pixels);
    } else {
      const Image<float, true> next = {part.shape(), x, wide, nullptr, image.y, panel_weights};
      next.template Group<kPixels, kPanels>(channels, pixels);
    }
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_CONV_WIDENED_INL_H_
