// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax.h"

#include "runtime/bind/step.h"

namespace weft::bind::softmax {

static void Rules(const format::SoftmaxParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.logarithm(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.causal(), 1);
  if (params.causal() != 0) {
    check.RequireAtMost(FaultCode::kParamFlag, params.logarithm(), 0);
    check.RequireAtMost(FaultCode::kParamFlag, params.inner(), 1);
  }
}

WEFT_RUN(Softmax, (outer)(axis)(inner)(logarithm)(causal))

}  // namespace weft::bind::softmax

WEFT_BIND_STEP(softmax, Softmax)
