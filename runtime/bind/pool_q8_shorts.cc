// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool_q8_shorts.h"

#include "runtime/bind/maps.h"
#include "runtime/bind/shorts.h"

namespace weft::bind::pool_q8 {

static void RulesOfShorts(const format::PoolQ8Params& params, ParamChecker& check) {
  const bool is_max = params.op() == format::PoolOp::max;
  RequireShorts(check, params.codes());
  RequireMultiplier(check, params.multiplier());
  check.RequireZero(static_cast<uint8_t>(params.x_zero()));
  RequireScale(check, params.scale(), IsZero(params.scale()));
  if (!is_max) {
    check.Require(params.op() == format::PoolOp::mean_exclude_pad, FaultCode::kParamOpType,
                  params.op(), footprint::kI16);
    check.RequireAtMost(FaultCode::kParamTerms, footprint::Taps(params), kernels::kMaxShortTaps);
  }
  RequirePool(check, params);
}

static void RunShorts(const format::PoolQ8Params& params, std::byte* const* operands) {
  kernels::PoolQ8Shape shape;
  WEFT_FIELDS(WEFT_POOL_FIELDS(multiplier))
  Call(kernels::PoolQ8Shorts, shape, operands);
}

}  // namespace weft::bind::pool_q8

WEFT_BIND_SHORTS_STEP(pool_q8, PoolQ8)
