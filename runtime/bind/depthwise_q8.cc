// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_q8.h"

#include "kernels/matrix/pack.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/maps.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::depthwise_q8 {

Fault Check(const format::DepthwiseQ8Params& params, const OperandSlots& slots) {
  const uint32_t channels = params.channels(), multiplier = params.multiplier();
  ParamChecker check(slots);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  RequireWindows(check, params);
  check.Require(multiplier != 0 && channels % multiplier == 0, FaultCode::kParamMultiplier,
                channels, multiplier);
  if (!check.fault().ok()) return check.fault();
  const MapExtents x = InputMap(params, channels / multiplier);
  const MapExtents y = OutputMap(params, channels);
  const uint32_t taps = Times(params.kernel_height(), params.kernel_width());
  const uint32_t padded = Times(Clip(kernels::PanelCount(channels)), kernels::kPanelOutputs);
  check.RequireApart(y, params.y());
  check.RequireOperand(0, kI8, MapReach(x, params.x()));
  RequireProduct(check, params.codes(), params.activation(), taps, Times(padded, taps), channels);
  check.RequireOperand(4, kF32, channels);
  check.RequireOperand(5, params.codes().type(), MapReach(y, params.y()));
  return check.fault();
}

bool MayShare(const format::DepthwiseQ8Params&, uint32_t, uint32_t) { return false; }

void Run(const format::DepthwiseQ8Params& params, std::byte* const* operands) {
  kernels::DepthwiseQ8Shape shape;
  AssignDepthwise(shape, params);
  shape.results = ResultsOf(params.codes());
  shape.x_zero = params.x_zero();
  kernels::DepthwiseQ8(shape, As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                       FactorsOf(operands), operands[5]);
}

}  // namespace weft::bind::depthwise_q8

WEFT_BIND_STEP(depthwise_q8, DepthwiseQ8)
