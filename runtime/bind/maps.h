// SPDX-License-Identifier: Apache-2.0
// Shared code of steps with a window over a map: their rules, and their geometry from the
// parameters.
#ifndef WEFT_RUNTIME_BIND_MAPS_H_
#define WEFT_RUNTIME_BIND_MAPS_H_

#include "kernels/matrix/conv.h"
#include "kernels/matrix/depthwise.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind {

template <typename Params>
__attribute__((always_inline)) inline void RequireWindows(ParamChecker& check,
                                                          const Params& params) {
  check.RequireWindow(params.in_height(), params.out_height(), params.kernel_height(),
                      params.stride_y(), params.dilation_y(), params.pad_top());
  check.RequireWindow(params.in_width(), params.out_width(), params.kernel_width(),
                      params.stride_x(), params.dilation_x(), params.pad_left());
}

template <typename Params>
constexpr MapExtents InputMap(const Params& params, uint32_t channels) {
  return {params.batch(), params.in_height(), params.in_width(), channels};
}

template <typename Params>
constexpr MapExtents OutputMap(const Params& params, uint32_t channels) {
  return {params.batch(), params.out_height(), params.out_width(), channels};
}

template <typename Params>
__attribute__((always_inline)) inline void AssignWindow(kernels::WindowShape& shape,
                                                        const Params& params) {
  shape.batch = params.batch();
  shape.in_height = params.in_height();
  shape.in_width = params.in_width();
  shape.out_height = params.out_height();
  shape.out_width = params.out_width();
  shape.kernel_height = params.kernel_height();
  shape.kernel_width = params.kernel_width();
  shape.stride_y = params.stride_y();
  shape.stride_x = params.stride_x();
  shape.dilation_y = params.dilation_y();
  shape.dilation_x = params.dilation_x();
  shape.pad_top = params.pad_top();
  shape.pad_left = params.pad_left();
  shape.x = StridesOf(params.x());
  shape.y = StridesOf(params.y());
}

template <typename Params>
__attribute__((always_inline)) inline void AssignConv(kernels::ConvShape& shape,
                                                      const Params& params) {
  AssignWindow(shape, params);
  shape.groups = params.groups();
  shape.in_channels = params.in_channels();
  shape.out_channels = params.out_channels();
  shape.activation = ActivationOf(params.activation());
}

template <typename Params>
__attribute__((always_inline)) inline void AssignDepthwise(kernels::DepthwiseShape& shape,
                                                           const Params& params) {
  AssignWindow(shape, params);
  shape.channels = params.channels();
  shape.multiplier = params.multiplier();
  shape.activation = ActivationOf(params.activation());
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_MAPS_H_
