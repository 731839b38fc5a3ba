// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/fixed_fourier.h"

#include "runtime/bind/step.h"

namespace weft::bind::fixed_fourier {

static void Rules(const format::FixedFourierParams& params, ParamChecker& check) {
  const bool is_inverse = params.is_inverse() != 0;
  check.RequireAtMost(FaultCode::kParamFlag, params.is_inverse(), 1);
  check.Require(params.type() == footprint::kI16 || params.type() == footprint::kI32,
                FaultCode::kParamType, params.type());
  check.Require(kernels::IsFixedFourierSize(params.size()), FaultCode::kParamFactors, 0,
                params.size());
  if (is_inverse) {
    check.RequireZero(params.inputs());
  } else {
    check.RequireAtMost(FaultCode::kParamChoice, params.inputs(), params.size());
  }
}

void Run(const format::FixedFourierParams& params, std::byte* const* operands) {
  kernels::FixedFourierShape shape;
  WEFT_FIELDS((lines)(size)(inputs)(is_inverse))
  if (params.type() == footprint::kI16) {
    return kernels::FixedFourier(shape, As<const int16_t>(operands[0]),
                                 As<const int16_t>(operands[1]), As<int16_t>(operands[2]));
  }
  kernels::FixedFourier(shape, As<const int32_t>(operands[0]), As<const int32_t>(operands[1]),
                        As<int32_t>(operands[2]));
}

}  // namespace weft::bind::fixed_fourier

WEFT_BIND_STEP(fixed_fourier, FixedFourier)
