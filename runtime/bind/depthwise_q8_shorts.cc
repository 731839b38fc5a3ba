// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise_q8_shorts.h"

#include "runtime/bind/maps.h"
#include "runtime/bind/shorts.h"

namespace weft::bind::depthwise_q8 {

static void RulesOfShorts(const format::DepthwiseQ8Params& params, ParamChecker& check) {
  RequireWindows(check, params);
  RequireMultiplier(check, params);
  check.RequireZero(static_cast<uint8_t>(params.x_zero()));
  RequireShortProduct(check, params.codes(), params.activation());
}

static void RunShorts(const format::DepthwiseQ8Params& params, std::byte* const* operands) {
  kernels::DepthwiseQ8Shape shape;
  WEFT_FIELDS(WEFT_WINDOW_FIELDS(channels)(multiplier))
  kernels::DepthwiseQ8Shorts(shape, As<const int16_t>(operands[0]), As<const int8_t>(operands[1]),
                             ShortResultsOf(params, operands), As<int16_t>(operands[5]));
}

}  // namespace weft::bind::depthwise_q8

WEFT_BIND_SHORTS_STEP(depthwise_q8, DepthwiseQ8)
