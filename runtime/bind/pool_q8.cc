// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool_q8.h"

#include "runtime/bind/code_range.h"
#include "runtime/bind/maps.h"
#include "runtime/bind/multiplier.h"

namespace weft::bind::pool_q8 {

static void Rules(const format::PoolQ8Params& params, ParamChecker& check) {
  RequireCodeRange(check, params.codes());
  const bool has_integers = params.codes().results() == format::Results::integer_codes;
  const bool is_max = params.op() == format::PoolOp::max;
  RequireMultiplier(check, params.multiplier());
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, kI8);
  if (is_max) {
    RequireNoCodeRange(check, params.codes());
    check.RequireZero(static_cast<uint8_t>(params.x_zero()));
    RequireScale(check, params.scale(), IsZero(params.scale()));
  } else {
    check.RequireAtMost(FaultCode::kParamTerms, footprint::Taps(params), kernels::kMaxDifferences);
    if (has_integers) {
      check.Require(params.op() == format::PoolOp::mean_exclude_pad, FaultCode::kParamOpType,
                    params.op(), kI8);
    } else {
      RequireScale(check, params.scale(), IsScale(params.scale()));
    }
  }
  RequirePool(check, params);
}

WEFT_RUN(PoolQ8, WEFT_POOL_FIELDS(scale)(codes)(x_zero)(multiplier))

}  // namespace weft::bind::pool_q8

WEFT_BIND_STEP(pool_q8, PoolQ8)
