// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise.h"

#include "kernels/matrix/pack.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/narrow.h"
#include "runtime/bind/param_checker.h"

namespace weft::kernels {
#define WEFT_WEIGHTS(name, Name, ...)                                               \
  __attribute__((weak)) void Depthwise(const DepthwiseShape& shape, const float* x, \
                                       const Name* weights, const float* bias, float* y);
#include "kernels/matrix/weights.inc"
#undef WEFT_WEIGHTS
}  // namespace weft::kernels

namespace weft::bind::depthwise {
namespace {

template <bool is_narrow>
__attribute__((always_inline)) inline Fault CheckAs(const format::DepthwiseParams& params,
                                                    const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  check.RequireWindow(params.in_height(), params.out_height(), params.kernel_height(),
                      params.stride_y(), params.dilation_y(), params.pad_top());
  check.RequireWindow(params.in_width(), params.out_width(), params.kernel_width(),
                      params.stride_x(), params.dilation_x(), params.pad_left());
  const uint32_t multiplier = params.multiplier();
  check.Require(multiplier != 0 && params.channels() % multiplier == 0, FaultCode::kParamMultiplier,
                params.channels(), multiplier);
  if (!check.fault().ok()) return check.fault();
  const uint32_t channels = params.channels();
  const uint32_t taps = Times(params.kernel_height(), params.kernel_width());
  const uint32_t panels =
      channels / kernels::kPanelOutputs + (channels % kernels::kPanelOutputs != 0);
  const MapExtents x = {params.batch(), params.in_height(), params.in_width(),
                        channels / multiplier};
  const MapExtents y = {params.batch(), params.out_height(), params.out_width(), channels};
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
  shape.batch = params.batch();
  shape.channels = params.channels();
  shape.multiplier = params.multiplier();
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
  shape.activation = ActivationOf(params.activation());
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
