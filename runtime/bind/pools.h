// SPDX-License-Identifier: Apache-2.0
// Shared code of the steps that pool a map: their rules, and their geometry from the parameters.
#ifndef WEFT_RUNTIME_BIND_POOLS_H_
#define WEFT_RUNTIME_BIND_POOLS_H_

#include "kernels/reduce/pool.h"
#include "runtime/bind/maps.h"

namespace weft::bind {

// Checks a pool over maps of this type.
template <typename Params>
__attribute__((always_inline)) inline void RequirePool(ParamChecker& check, const Params& params,
                                                       format::ElementType type) {
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
  const MapExtents x = InputMap(params, params.channels());
  const MapExtents y = OutputMap(params, params.channels());
  check.RequireOperand(0, type, MapReach(x, params.x()));
  check.RequireOperand(1, type, MapReach(y, params.y()));
  check.RequireApart(y, params.y());
}

template <typename Shape, typename Params>
__attribute__((always_inline)) inline void AssignPool(Shape& shape, const Params& params) {
  AssignWindow(shape, params);
  shape.channels = params.channels();
  shape.pad_bottom = params.pad_bottom();
  shape.pad_right = params.pad_right();
  shape.op = static_cast<kernels::PoolOp>(params.op());
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_POOLS_H_
