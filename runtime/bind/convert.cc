// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/convert.h"

#include "runtime/bind/step.h"

namespace weft::bind::convert {

static void Rules(const format::ConvertParams& params, ParamChecker& check) {
  check.RequireBelow(FaultCode::kParamType, params.from(), format::kElementTypeCount);
  check.RequireBelow(FaultCode::kParamType, params.to(), format::kElementTypeCount);
  if (!check.ok()) return;
  check.Require(kernels::ConvertKnows(ElementOf(params.from()), ElementOf(params.to())),
                FaultCode::kParamConversion, params.from(), params.to());
}

WEFT_RUN(Convert, (count)(from)(to))

}  // namespace weft::bind::convert

WEFT_BIND_STEP(convert, Convert)
