// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/softmax_q8.h"

#include "runtime/bind/code_range.h"
#include "runtime/bind/multiplier.h"

namespace weft::bind::softmax_q8 {

static void Rules(const format::SoftmaxQ8Params& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamTerms, params.length(), kernels::kMaxSoftmaxLength);
  check.RequireAtMost(FaultCode::kParamFlag, params.gives_shorts(), 1);
  RequireMultiplier(check, params.multiplier());
  RequireFactor(check, params.multiplier().exponent(), 0, kMaxExponent);
}

WEFT_RUN(SoftmaxQ8, (rows)(length)(multiplier)(gives_shorts))

}  // namespace weft::bind::softmax_q8

WEFT_BIND_STEP(softmax_q8, SoftmaxQ8)
