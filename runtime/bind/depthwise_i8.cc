// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_i8.h"

#include "runtime/bind/maps.h"

namespace weft::bind::depthwise_i8 {

static void Rules(const format::DepthwiseI8Params& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
  RequireMultiplier(check, params);
}

namespace {

kernels::DepthwiseI8Weights WeightsOf(std::byte* const* operands) {
  return {As<const int8_t>(operands[1]), As<const float>(operands[2]),
          As<const float>(operands[3])};
}

}  // namespace

void Run(const format::DepthwiseI8Params& params, std::byte* const* operands) {
  kernels::DepthwiseShape shape;
  WEFT_FIELDS(WEFT_DEPTHWISE_FIELDS)
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
