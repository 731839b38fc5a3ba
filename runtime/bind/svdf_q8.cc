// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/svdf_q8.h"

#include "runtime/bind/code_range.h"
#include "runtime/bind/multiplier.h"

namespace weft::bind::svdf_q8 {

static void Rules(const format::SvdfQ8Params& params, ParamChecker& check) {
  RequireMultiplier(check, params.of_x());
  RequireMultiplier(check, params.of_state());
  RequireCodeRange(check, params.codes());
  check.Require(params.state() == footprint::kI8 || params.state() == footprint::kI16,
                FaultCode::kParamType, params.state());
  check.RequireAtMost(FaultCode::kParamTerms, params.inputs(), kernels::kMaxProducts);
}

void Run(const format::SvdfQ8Params& params, std::byte* const* operands) {
  kernels::SvdfQ8Shape shape;
  WEFT_FIELDS((rows)(inputs)(units)(rank)(memory)(x_row_stride)(codes))
  shape.of_x = MultiplierOf(params.of_x());
  shape.of_state = MultiplierOf(params.of_state());
  const auto* x = As<const int8_t>(operands[0]);
  const auto* weights = As<const int8_t>(operands[1]);
  const auto* numbers = As<const int32_t>(operands[3]);
  auto* y = As<int8_t>(operands[5]);
  if (params.state() == footprint::kI8) {
    return kernels::SvdfQ8(shape, x, weights, As<const int8_t>(operands[2]), numbers,
                           As<const int8_t>(operands[4]), y, As<int8_t>(operands[6]));
  }
  kernels::SvdfQ8(shape, x, weights, As<const int16_t>(operands[2]), numbers,
                  As<const int16_t>(operands[4]), y, As<int16_t>(operands[6]));
}

}  // namespace weft::bind::svdf_q8

WEFT_BIND_STEP(svdf_q8, SvdfQ8)
