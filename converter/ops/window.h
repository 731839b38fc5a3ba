// SPDX-License-Identifier: Apache-2.0
// The sliding window of convolution and pooling: strides, dilations and pads by attribute, auto_pad
// worked out anew, and the output's extent by the documents' formulas. One or two spatial axes;
// data with one axis has height 1.
#ifndef WEFT_CONVERTER_OPS_WINDOW_H_
#define WEFT_CONVERTER_OPS_WINDOW_H_

#include <cstdint>
#include <span>

#include "converter/ops/operation.h"

namespace weft::ops {

// One spatial axis; all in elements. The last window may end beyond the padded input (ceil).
struct WindowAxis {
  int64_t in = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0, out = 1;
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

struct Window {
  WindowAxis y, x;
  size_t axis_count = 2;  // 1: only x is data
  WindowAxis& axis(size_t i) { return axis_count == 2 && i == 0 ? y : x; }
  Dims OutDims() const;
};

// Checks the attributes against the axes of `in` and `kernel`, both of one rank; nullopt after
// faults. Attributes that the operation's version lacks are simply absent.
std::optional<Window> InferWindow(InferScope& scope, std::span<const int64_t> in,
                                  std::span<const int64_t> kernel);

// The same without checks, once inference has passed.
Window WindowOf(const NodeScope& scope, std::span<const int64_t> in,
                std::span<const int64_t> kernel);

// Into ConvParams, DepthwiseParams or PoolParams.
template <typename Params>
void WriteWindow(Params& params, const Window& window) {
  const auto narrow = [](int64_t value) { return static_cast<uint32_t>(value); };
  params.mutate_in_height(narrow(window.y.in));
  params.mutate_in_width(narrow(window.x.in));
  params.mutate_out_height(narrow(window.y.out));
  params.mutate_out_width(narrow(window.x.out));
  params.mutate_kernel_height(narrow(window.y.kernel));
  params.mutate_kernel_width(narrow(window.x.kernel));
  params.mutate_stride_y(narrow(window.y.stride));
  params.mutate_stride_x(narrow(window.x.stride));
  params.mutate_dilation_y(narrow(window.y.dilation));
  params.mutate_dilation_x(narrow(window.x.dilation));
  params.mutate_pad_top(narrow(window.y.pad_begin));
  params.mutate_pad_left(narrow(window.x.pad_begin));
}

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_WINDOW_H_
