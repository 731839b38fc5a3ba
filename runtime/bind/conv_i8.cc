// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_i8.h"

#include "runtime/bind/code_range.h"
#include "runtime/bind/maps.h"

namespace weft::bind::conv_i8 {

static void Rules(const format::ConvI8Params& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
  RequireMax(check, params.max(), Times(footprint::Taps(params), params.in_channels()));
}

WEFT_RUN(ConvI8, WEFT_CONV_FIELDS(max))

}  // namespace weft::bind::conv_i8

WEFT_BIND_STEP(conv_i8, ConvI8)
