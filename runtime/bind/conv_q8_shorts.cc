// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_q8_shorts.h"

#include "runtime/bind/maps.h"
#include "runtime/bind/shorts.h"

namespace weft::bind::conv_q8 {

static void RulesOfShorts(const format::ConvQ8Params& params, ParamChecker& check) {
  RequireWindows(check, params);
  check.RequireZero(static_cast<uint8_t>(params.x_zero()));
  RequireShortProduct(check, params.codes(), params.activation());
}

static void RunShorts(const format::ConvQ8Params& params, std::byte* const* operands) {
  kernels::ConvQ8Shape shape;
  WEFT_FIELDS(WEFT_WINDOW_FIELDS(groups)(in_channels)(out_channels))
  int16_t* const scratch = kernels::ConvQ8IsDirect(params) ? nullptr : As<int16_t>(operands[6]);
  kernels::ConvQ8Shorts(shape, As<const int16_t>(operands[0]), As<const int8_t>(operands[1]),
                        ShortResultsOf(params, operands), As<int16_t>(operands[5]), scratch);
}

}  // namespace weft::bind::conv_q8

WEFT_BIND_SHORTS_STEP(conv_q8, ConvQ8)
