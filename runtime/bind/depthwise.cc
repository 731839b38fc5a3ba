// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise.h"

#include "runtime/bind/maps.h"
#include "runtime/bind/narrow.h"

namespace weft::bind::depthwise {

static void Rules(const format::DepthwiseParams& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
  RequireMultiplier(check, params);
}

}  // namespace weft::bind::depthwise

WEFT_BIND_NARROW_STEP(depthwise, Depthwise, DepthwiseShape, WEFT_DEPTHWISE_FIELDS)
