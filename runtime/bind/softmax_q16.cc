// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax_q16.h"

#include "runtime/bind/multiplier.h"

namespace weft::bind::softmax_q16 {

static void Rules(const format::SoftmaxQ16Params& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamTerms, params.length(), kernels::kMaxSoftmaxShorts);
  RequireMultiplier(check, params.multiplier());
}

WEFT_RUN(SoftmaxQ16, (rows)(length)(multiplier))

}  // namespace weft::bind::softmax_q16

WEFT_BIND_STEP(softmax_q16, SoftmaxQ16)
