// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise.h"

#include "kernels/matrix/pack.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/maps.h"
#include "runtime/bind/narrow.h"
#include "runtime/bind/param_checker.h"

namespace weft::kernels {
#define WEFT_WEIGHTS(name, Name, ...)                                               \
  __attribute__((weak)) void Depthwise(const DepthwiseShape& shape, const float* x, \
                                       const Name* weights, const float* bias, float* y);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
}  // namespace weft::kernels

namespace weft::bind::depthwise {
namespace {

template <bool is_narrow>
__attribute__((always_inline)) inline Fault CheckAs(const format::DepthwiseParams& params,
                                                    const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
  const uint32_t multiplier = params.multiplier();
  check.Require(multiplier != 0 && params.channels() % multiplier == 0, FaultCode::kParamMultiplier,
                params.channels(), multiplier);
  if (!check.fault().ok()) return check.fault();
  const uint32_t channels = params.channels();
  const uint32_t taps = Times(params.kernel_height(), params.kernel_width());
  const uint32_t panels =
      channels / kernels::kPanelOutputs + (channels % kernels::kPanelOutputs != 0);
  const MapExtents x = InputMap(params, channels / multiplier);
  const MapExtents y = OutputMap(params, channels);
  check.RequireOperand(0, kF32, MapReach(x, params.x()));
  const uint32_t weights = Times(Times(panels, kernels::kPanelOutputs), taps);
  if constexpr (is_narrow) {
    RequireWeights(check, params, weights);
  } else {
    check.RequireOperand(1, kF32, weights);
  }
  check.RequireOperand(2, kF32, channels);
  check.RequireOperand(3, kF32, MapReach(y, params.y()));
  check.RequireApart(y, params.y());
  return check.fault();
}

__attribute__((always_inline)) inline kernels::DepthwiseShape ShapeOf(
    const format::DepthwiseParams& params) {
  kernels::DepthwiseShape shape;
  AssignDepthwise(shape, params);
  return shape;
}

template <typename Weight>
__attribute__((always_inline)) inline void Run(const kernels::DepthwiseShape& shape,
                                               std::byte* const* operands) {
  kernels::Depthwise(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                     As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace

Fault Check(const format::DepthwiseParams& params, const OperandSlots& slots) {
  return CheckAs<false>(params, slots);
}
Fault CheckNarrow(const format::DepthwiseParams& params, const OperandSlots& slots) {
  return CheckAs<true>(params, slots);
}

bool MayShare(const format::DepthwiseParams&, uint32_t, uint32_t) { return false; }

void Run(const format::DepthwiseParams& params, std::byte* const* operands) {
  Run<float>(ShapeOf(params), operands);
}
void RunNarrow(const format::DepthwiseParams& params, std::byte* const* operands) {
  const kernels::DepthwiseShape shape = ShapeOf(params);
  WithWeights(params.weights(), [&](auto weight) { Run<decltype(weight)>(shape, operands); });
}

}  // namespace weft::bind::depthwise

WEFT_BIND_STEP(depthwise, Depthwise)
WEFT_BIND_NARROW_STEP(depthwise, Depthwise)
