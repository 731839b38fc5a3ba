// SPDX-License-Identifier: Apache-2.0
// The sliding window of convolution and pooling: strides, dilations and pads by attribute, auto_pad
// worked out anew, and the output's extent by the documents' formulas. One to three spatial axes;
// what has fewer has a depth, or a depth and a height, of 1.
#ifndef WEFT_CONVERTER_OPS_WINDOW_H_
#define WEFT_CONVERTER_OPS_WINDOW_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "converter/base/narrow.h"
#include "converter/ops/axes.h"
#include "converter/ops/operation.h"

namespace weft::ops {

// One spatial axis; all in elements. The last window may end beyond the padded input (ceil).
struct WindowAxis {
  int64_t in = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0, out = 1;
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  // Each place is made of its own alone, where the output is as long as the data.
  bool is_alone() const { return kernel == 1 && stride == 1 && pad_begin == 0; }
};

struct Window {
  WindowAxis y, x;
  size_t axis_count = 2;  // 1: only x is data, 3: z is, too
  WindowAxis z = {};
  // In the order of the data's axes.
  WindowAxis& axis(size_t i) {
    if (i + 1 == axis_count) return x;
    return i + 2 == axis_count ? y : z;
  }
  Dims OutDims() const;
};

// Checks of attributes; false after a fault. An attribute that is there has one number per axis; a
// number lies between `least` and what keeps sums and products of attributes inside 64 bits.
bool CheckLength(InferScope& scope, std::string_view key, size_t axes);
bool CheckNumber(InferScope& scope, std::string_view what, int64_t value, int64_t least);
// The attributes of all axes of `in` and `kernel`, both of one rank. Attributes that the
// operation's version lacks are simply absent.
bool CheckWindow(InferScope& scope, std::span<const int64_t> in, std::span<const int64_t> kernel);

// In lower case.
std::string AutoPad(const NodeScope& scope);
// Axis i as the attributes have it, pads only where they are explicit; `out` is not worked out.
WindowAxis ExplicitAxis(const NodeScope& scope, size_t i, int64_t in, int64_t kernel);

// Checks the attributes and that the window fits; nullopt after faults.
std::optional<Window> InferWindow(InferScope& scope, std::span<const int64_t> in,
                                  std::span<const int64_t> kernel);

// The same without checks, once inference has passed.
Window WindowOf(const NodeScope& scope, std::span<const int64_t> in,
                std::span<const int64_t> kernel);

// Batch stays apart (where `channels_apart` the channels, too), and so does an axis of space under
// a window of one place.
void WindowAxes(AxisScope& scope, const Dims& kernel, bool channels_apart);

// The strides of planes, [batch, channels, height, width], and of pixels of all channels, [batch,
// height, width, channels].
format::MapStrides PlanesOf(int64_t channels, int64_t height, int64_t width);
format::MapStrides LastOf(int64_t channels, int64_t height, int64_t width);

// y and x into ConvParams, DepthwiseParams or PoolParams.
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

#endif  // WEFT_CONVERTER_OPS_WINDOW_H_
