// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv.h"

#include "kernels/matrix/pack.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/maps.h"
#include "runtime/bind/narrow.h"
#include "runtime/bind/param_checker.h"

namespace weft::kernels {
#define WEFT_WEIGHTS(name, Name, ...)                                                          \
  __attribute__((weak)) void Conv(const ConvShape& shape, const float* x, const Name* weights, \
                                  const float* bias, float* y);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
}  // namespace weft::kernels

namespace weft::bind::conv {
namespace {

template <bool is_narrow>
__attribute__((always_inline)) inline Fault CheckAs(const format::ConvParams& params,
                                                    const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
  const MapExtents x = InputMap(params, Times(params.groups(), params.in_channels()));
  const MapExtents y = OutputMap(params, Times(params.groups(), params.out_channels()));
  check.RequireApart(y, params.y());
  const uint32_t taps = Times(params.kernel_height(), params.kernel_width());
  const uint32_t panels = params.out_channels() / kernels::kPanelOutputs +
                          (params.out_channels() % kernels::kPanelOutputs != 0);
  const uint32_t padded = Times(Times(panels, kernels::kPanelOutputs), params.groups());
  check.RequireOperand(0, kF32, MapReach(x, params.x()));
  const uint32_t weights = Times(Times(padded, params.in_channels()), taps);
  if constexpr (is_narrow) {
    RequireWeights(check, params, weights);
  } else {
    check.RequireOperand(1, kF32, weights);
  }
  check.RequireOperand(2, kF32, y.channels);
  check.RequireOperand(3, kF32, MapReach(y, params.y()));
  return check.fault();
}

__attribute__((always_inline)) inline kernels::ConvShape ShapeOf(const format::ConvParams& params) {
  kernels::ConvShape shape;
  AssignConv(shape, params);
  return shape;
}

template <typename Weight>
__attribute__((always_inline)) inline void Run(const kernels::ConvShape& shape,
                                               std::byte* const* operands) {
  kernels::Conv(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace

Fault Check(const format::ConvParams& params, const OperandSlots& slots) {
  return CheckAs<false>(params, slots);
}
Fault CheckNarrow(const format::ConvParams& params, const OperandSlots& slots) {
  return CheckAs<true>(params, slots);
}

bool MayShare(const format::ConvParams&, uint32_t, uint32_t) { return false; }

void Run(const format::ConvParams& params, std::byte* const* operands) {
  Run<float>(ShapeOf(params), operands);
}
void RunNarrow(const format::ConvParams& params, std::byte* const* operands) {
  const kernels::ConvShape shape = ShapeOf(params);
  WithWeights(params.weights(), [&](auto weight) { Run<decltype(weight)>(shape, operands); });
}

}  // namespace weft::bind::conv

WEFT_BIND_STEP(conv, Conv)
WEFT_BIND_NARROW_STEP(conv, Conv)
