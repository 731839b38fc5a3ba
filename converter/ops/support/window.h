// SPDX-License-Identifier: Apache-2.0
// The sliding window of convolution and pooling. Strides, dilations and pads come from attributes;
// auto_pad is recomputed; output extents follow the formulas of the OpenVINO specification. One to
// three spatial axes; missing ones are a depth or height of 1.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_WINDOW_H_
#define WEFT_CONVERTER_OPS_SUPPORT_WINDOW_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "converter/base/narrow.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"

namespace weft::ops {

// One spatial axis, in elements. The last window may end beyond the padded input (ceil rounding).
struct WindowAxis {
  int64_t in = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0, out = 1;
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // From the start of the first window to the end of the last, including padding.
  int64_t reach() const { return (out - 1) * stride + extent(); }
  bool stays_inside() const { return pad_begin == 0 && reach() <= in; }
  // Returns true if each output position reads only the input position of the same index; requires
  // equal extents of input and output.
  bool is_alone() const { return kernel == 1 && stride == 1 && pad_begin == 0; }
};

struct Window {
  WindowAxis y, x;
  size_t axis_count = 2;  // 1: only x; 2: y and x; 3: also z
  WindowAxis z = {};
  // Axis i in the order of the data's spatial axes.
  WindowAxis& axis(size_t i) {
    if (i + 1 == axis_count) return x;
    return i + 2 == axis_count ? y : z;
  }
  Dims OutDims() const;
  bool stays_inside() const { return z.stays_inside() && y.stays_inside() && x.stays_inside(); }
};

// Attribute checks; they return false after an error. CheckLength requires one number per axis if
// the attribute exists. CheckNumber requires a value of at least `min` and below the limit that
// keeps sums and products of attributes inside 64 bits.
bool CheckLength(InferScope& scope, std::string_view key, size_t axes);
bool CheckNumber(InferScope& scope, std::string_view what, int64_t value, int64_t min);
// Checks the attributes of all axes; `in` and `kernel` must have the same rank. Attributes that the
// operation's version does not have are absent.
bool CheckWindow(InferScope& scope, std::span<const int64_t> in, std::span<const int64_t> kernel);

// The attribute auto_pad in lower case.
std::string AutoPad(const NodeScope& scope);
// Axis i according to the attributes, with pads only if they are explicit; does not set `out`.
WindowAxis ExplicitAxis(const NodeScope& scope, size_t i, int64_t in, int64_t kernel);

// Sets pads so that the output has one window per stride of the input. An odd total adds one more
// at the end (upper) or at the beginning (lower).
void PadToSame(WindowAxis& axis, bool upper);
// Number of windows. `rounding` is "floor", "ceil" or "ceil_torch".
int64_t OutExtent(const WindowAxis& axis, std::string_view rounding);

// Pads the `planes` of x with elements of these bits up to the reach of the windows, and changes
// `window` to start inside. Returns x if no padding is needed.
program::ValueId Padded(program::Builder& builder, program::ValueId x, int64_t planes,
                        uint64_t bits, Window& window);

// Checks the attributes and that the window fits the input. Returns nullopt after errors.
std::optional<Window> InferWindow(InferScope& scope, std::span<const int64_t> in,
                                  std::span<const int64_t> kernel);

// As above without checks, for use after inference.
Window WindowOf(const NodeScope& scope, std::span<const int64_t> in,
                std::span<const int64_t> kernel);

// Marks the axes that are processed independently: the batch, the channels if
// `channels_independent`, and each spatial axis for which is_alone() is true.
void WindowAxes(AxisScope& scope, const Dims& kernel, bool channels_independent);

// Strides of planes, [batch, channels, height, width], and of channels-last pixels, [batch, height,
// width, channels].
format::MapStrides PlanesOf(int64_t channels, int64_t height, int64_t width);
format::MapStrides LastOf(int64_t channels, int64_t height, int64_t width);

// Writes y and x to ConvParams, DepthwiseParams or PoolParams.
template <typename Params>
void WriteWindow(Params& params, const Window& window) {
  params.mutate_in_height(Narrow32(window.y.in, "in height"));
  params.mutate_in_width(Narrow32(window.x.in, "in width"));
  params.mutate_out_height(Narrow32(window.y.out, "out height"));
  params.mutate_out_width(Narrow32(window.x.out, "out width"));
  params.mutate_kernel_height(Narrow32(window.y.kernel, "kernel height"));
  params.mutate_kernel_width(Narrow32(window.x.kernel, "kernel width"));
  params.mutate_stride_y(Narrow32(window.y.stride, "stride y"));
  params.mutate_stride_x(Narrow32(window.x.stride, "stride x"));
  params.mutate_dilation_y(Narrow32(window.y.dilation, "dilation y"));
  params.mutate_dilation_x(Narrow32(window.x.dilation, "dilation x"));
  params.mutate_pad_top(Narrow32(window.y.pad_begin, "pad top"));
  params.mutate_pad_left(Narrow32(window.x.pad_begin, "pad left"));
}

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_WINDOW_H_
