// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/normalize_q8.h"

#include "runtime/bind/multiplier.h"

namespace weft::bind::normalize_q8 {

static void Rules(const format::NormalizeQ8Params& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamTerms, params.length(), kernels::kMaxNormalizeLength);
  RequireFactor(check, params.x_zero(), INT8_MIN, INT8_MAX);
}

WEFT_RUN(NormalizeQ8, (rows)(length)(x_zero))

}  // namespace weft::bind::normalize_q8

WEFT_BIND_STEP(normalize_q8, NormalizeQ8)
