// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_q8.h"

#include "runtime/bind/code_range.h"
#include "runtime/bind/maps.h"

namespace weft::bind::conv_q8 {
static void Rules(const format::ConvQ8Params& params, ParamChecker& check) {
  RequireWindows(check, params);
  RequireProduct(check, params.codes(), params.activation(),
                 Times(footprint::Taps(params), params.in_channels()));
}

void Run(const format::ConvQ8Params& params, std::byte* const* operands) {
  kernels::ConvQ8Shape shape;
  WEFT_FIELDS(WEFT_CONV_FIELDS)
  shape.results = ResultsOf(params.codes());
  WEFT_FIELDS((x_zero))
  int8_t* const scratch = kernels::ConvQ8IsDirect(params) ? nullptr : As<int8_t>(operands[6]);
  kernels::ConvQ8(shape, As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                  FactorsOf(operands), operands[5], scratch);
}

}  // namespace weft::bind::conv_q8

WEFT_BIND_STEP(conv_q8, ConvQ8)
