// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool_q8.h"

#include "runtime/bind/code_range.h"
#include "runtime/bind/maps.h"

namespace weft::bind::pool_q8 {

static void Rules(const format::PoolQ8Params& params, ParamChecker& check) {
  RequireCodeRange(check, params.codes());
  if (params.op() == format::PoolOp::max) {
    RequireNoCodeRange(check, params.codes());
    check.RequireZero(static_cast<uint8_t>(params.x_zero()));
    RequireScale(check, params.scale(), params.scale() == 0);
  } else {
    check.RequireAtMost(FaultCode::kParamTerms, footprint::Taps(params), kernels::kMaxDifferences);
    RequireScale(check, params.scale(), IsScale(params.scale()));
  }
  RequirePool(check, params);
}

WEFT_RUN(PoolQ8, WEFT_POOL_FIELDS(scale)(codes)(x_zero))

}  // namespace weft::bind::pool_q8

WEFT_BIND_STEP(pool_q8, PoolQ8)
