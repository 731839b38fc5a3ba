// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::pool {

Fault Check(const format::PoolParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireBelow(FaultCode::kParamOp, static_cast<uint32_t>(params.op()),
                     static_cast<uint32_t>(format::PoolOp::MAX) + 1);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.RequireWindow(params.in_height(), params.out_height(), params.kernel_height(),
                      params.stride_y(), params.dilation_y(), params.pad_top());
  check.RequireWindow(params.in_width(), params.out_width(), params.kernel_width(),
                      params.stride_x(), params.dilation_x(), params.pad_left());
  // No weights bound the number of taps here, so the padded input does.
  const uint32_t padded_height =
      Plus(params.in_height(), Plus(params.pad_top(), params.pad_bottom()));
  const uint32_t padded_width =
      Plus(params.in_width(), Plus(params.pad_left(), params.pad_right()));
  check.RequireAtMost(FaultCode::kParamWindow, params.kernel_height(), padded_height);
  check.RequireAtMost(FaultCode::kParamWindow, params.kernel_width(), padded_width);
  check.RequireAtMost(FaultCode::kParamWindow, padded_height, 0x7FFFFFFF);
  check.RequireAtMost(FaultCode::kParamWindow, padded_width, 0x7FFFFFFF);
  const MapExtents x = {params.batch(), params.in_height(), params.in_width(), params.channels()};
  const MapExtents y = {params.batch(), params.out_height(), params.out_width(), params.channels()};
  check.RequireOperand(0, kF32, MapReach(x, params.x()));
  check.RequireOperand(1, kF32, MapReach(y, params.y()));
  check.RequireApart(y, params.y());
  return check.fault();
}

bool MayShare(const format::PoolParams&, uint32_t, uint32_t) { return false; }

void Run(const format::PoolParams& params, std::byte* const* operands) {
  kernels::PoolShape shape;
  shape.batch = params.batch();
  shape.channels = params.channels();
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
  shape.pad_bottom = params.pad_bottom();
  shape.pad_right = params.pad_right();
  shape.x = StridesOf(params.x());
  shape.y = StridesOf(params.y());
  shape.op = static_cast<kernels::PoolOp>(params.op());
  kernels::Pool(shape, As<const float>(operands[0]), As<float>(operands[1]));
}

}  // namespace weft::bind::pool

WEFT_BIND_STEP(pool, Pool)
