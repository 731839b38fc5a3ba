// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/normalize.h"

#include "runtime/bind/step.h"

namespace weft::bind::normalize {

static void Rules(const format::NormalizeParams& params, ParamChecker& check) {
  check.RequireBelow(FaultCode::kParamOp, params.op(), kernels::kNormalizeOpCount);
}

WEFT_RUN(Normalize, (outer)(axis)(inner)(epsilon)(op))

}  // namespace weft::bind::normalize

WEFT_BIND_STEP(normalize, Normalize)
