// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv.h"

#include "runtime/bind/maps.h"
#include "runtime/bind/narrow.h"

namespace weft::bind::conv {

static void Rules(const format::ConvParams& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
}

}  // namespace weft::bind::conv

WEFT_BIND_NARROW_STEP(conv, Conv, ConvShape, WEFT_CONV_FIELDS)
