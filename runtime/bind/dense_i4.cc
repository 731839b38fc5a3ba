// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_i4.h"

#include "runtime/bind/step.h"

namespace weft::bind::dense_i4 {

constexpr format::ElementType kF16 = format::ElementType::f16;

static void Rules(const format::DenseI4Params& params, ParamChecker& check) {
  const uint32_t max = params.max();
  const uint32_t largest = kernels::MaxForI4(params.inputs(), params.group_blocks());
  check.RequireActivation(params.activation());
  check.Require(max >= kernels::kMinMax && max <= largest, FaultCode::kParamSums, max, largest);
  check.Require(params.scales() == kF32 || params.scales() == kF16, FaultCode::kParamType,
                params.scales());
}

void Run(const format::DenseI4Params& params, std::byte* const* operands) {
  kernels::DenseI4Shape shape;
  WEFT_FIELDS(WEFT_ROW_FIELDS(max)(group_blocks))
  kernels::DenseI4Weights weights;
  weights.numbers = As<const uint8_t>(operands[1]);
  if (params.scales() == kF16) {
    weights.half_scales = As<const kernels::F16>(operands[2]);
  } else {
    weights.scales = As<const float>(operands[2]);
  }
  weights.zeros = As<const uint8_t>(operands[3]);
  kernels::DenseI4(shape, As<const float>(operands[0]), weights, As<const float>(operands[4]),
                   As<float>(operands[5]), As<int16_t>(operands[6]));
}

}  // namespace weft::bind::dense_i4

WEFT_BIND_STEP(dense_i4, DenseI4)
