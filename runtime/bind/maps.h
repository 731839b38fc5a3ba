// SPDX-License-Identifier: Apache-2.0
// Shared rules of steps with a window over a map: convolutions and pools.
#ifndef WEFT_RUNTIME_BIND_MAPS_H_
#define WEFT_RUNTIME_BIND_MAPS_H_

#include "runtime/bind/step.h"

namespace weft::bind {

template <typename Params>
WEFT_INLINE void RequireWindows(ParamChecker& check, const Params& params) {
  check.RequireWindow(params.in_height(), params.out_height(), params.kernel_height(),
                      params.stride_y(), params.dilation_y(), params.pad_top());
  check.RequireWindow(params.in_width(), params.out_width(), params.kernel_width(),
                      params.stride_x(), params.dilation_x(), params.pad_left());
}

template <typename Params>
WEFT_INLINE void RequireMultiplier(ParamChecker& check, const Params& params) {
  const uint32_t channels = params.channels(), multiplier = params.multiplier();
  check.Require(multiplier != 0 && channels % multiplier == 0, FaultCode::kParamMultiplier,
                channels, multiplier);
}

template <typename Params>
WEFT_INLINE void RequirePool(ParamChecker& check, const Params& params) {
  check.RequireBelow(FaultCode::kParamOp, static_cast<uint32_t>(params.op()),
                     static_cast<uint32_t>(format::PoolOp::MAX) + 1);
  RequireWindows(check, params);
  // No weights bound the number of taps here, so the padded input does.
  const uint32_t padded_height =
      Plus(params.in_height(), Plus(params.pad_top(), params.pad_bottom()));
  const uint32_t padded_width =
      Plus(params.in_width(), Plus(params.pad_left(), params.pad_right()));
  check.RequireAtMost(FaultCode::kParamWindow, params.kernel_height(), padded_height);
  check.RequireAtMost(FaultCode::kParamWindow, params.kernel_width(), padded_width);
  check.RequireAtMost(FaultCode::kParamWindow, padded_height, 0x7FFFFFFF);
  check.RequireAtMost(FaultCode::kParamWindow, padded_width, 0x7FFFFFFF);
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_MAPS_H_
