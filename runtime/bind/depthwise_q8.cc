// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_q8.h"

#include "runtime/bind/code_range.h"
#include "runtime/bind/maps.h"

namespace weft::bind::depthwise_q8 {

static void Rules(const format::DepthwiseQ8Params& params, ParamChecker& check) {
  RequireWindows(check, params);
  RequireMultiplier(check, params);
  RequireProduct(check, params.codes(), params.activation(), footprint::Taps(params));
}

void Run(const format::DepthwiseQ8Params& params, std::byte* const* operands) {
  kernels::DepthwiseQ8Shape shape;
  WEFT_FIELDS(WEFT_DEPTHWISE_FIELDS)
  shape.results = ResultsOf(params.codes());
  WEFT_FIELDS((x_zero))
  kernels::DepthwiseQ8(shape, As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                       FactorsOf(operands), operands[5]);
}

}  // namespace weft::bind::depthwise_q8

WEFT_BIND_STEP(depthwise_q8, DepthwiseQ8)
