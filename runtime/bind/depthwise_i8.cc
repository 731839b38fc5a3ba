// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_i8.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/maps.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::depthwise_i8 {

Fault Check(const format::DepthwiseI8Params& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
  const uint32_t channels = params.channels(), multiplier = params.multiplier();
  check.Require(multiplier != 0 && channels % multiplier == 0, FaultCode::kParamMultiplier,
                channels, multiplier);
  if (!check.fault().ok()) return check.fault();
  const uint32_t taps = Times(params.kernel_height(), params.kernel_width());
  const uint32_t padded = Times(Clip(kernels::PanelCount(channels)), kernels::kPanelOutputs);
  const MapExtents x = InputMap(params, channels / multiplier);
  const MapExtents y = OutputMap(params, channels);
  check.RequireApart(y, params.y());
  check.RequireOperand(0, kF32, MapReach(x, params.x()));
  check.RequireOperand(1, format::ElementType::i8, Times(padded, taps));
  check.RequireOperand(2, kF32, padded);
  check.RequireOperand(3, kF32, padded);
  check.RequireOperand(4, kF32, channels);
  check.RequireOperand(5, kF32, MapReach(y, params.y()));
  const bool is_whole = kernels::DepthwiseI8WidensAll(params);
  check.RequireOperand(6, kF32, Clip(kernels::DepthwiseI8ScratchFloats(is_whole, channels, taps)));
  return check.fault();
}

bool MayShare(const format::DepthwiseI8Params&, uint32_t, uint32_t) { return false; }

namespace {

kernels::DepthwiseI8Weights WeightsOf(std::byte* const* operands) {
  return {As<const int8_t>(operands[1]), As<const float>(operands[2]),
          As<const float>(operands[3])};
}

}  // namespace

void Run(const format::DepthwiseI8Params& params, std::byte* const* operands) {
  kernels::DepthwiseShape shape;
  AssignDepthwise(shape, params);
  kernels::DepthwiseI8(shape, kernels::DepthwiseI8WidensAll(params), As<const float>(operands[0]),
                       WeightsOf(operands), As<const float>(operands[4]), As<float>(operands[5]),
                       As<float>(operands[6]));
}

void Widen(const format::DepthwiseI8Params& params, std::byte* const* operands) {
  const size_t row = kernels::PanelCount(params.channels()) * kernels::kPanelOutputs;
  const size_t taps = size_t{params.kernel_height()} * params.kernel_width();
  kernels::WidenDepthwiseI8(row, taps, WeightsOf(operands), 0, params.channels(),
                            As<float>(operands[6]));
}

}  // namespace weft::bind::depthwise_i8

WEFT_BIND_STEP(depthwise_i8, DepthwiseI8)
