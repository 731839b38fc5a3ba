// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary_q8_shorts.h"

#include "runtime/bind/shorts.h"

namespace weft::bind::binary_q8 {

static void RulesOfShorts(const format::BinaryQ8Params& params, ParamChecker& check) {
  using format::BinaryOp;
  const BinaryOp op = params.op();
  const bool is_known = op == BinaryOp::add || op == BinaryOp::subtract ||
                        op == BinaryOp::multiply || op == BinaryOp::squared_difference ||
                        op == BinaryOp::prelu;
  check.Require(is_known, FaultCode::kParamOpType, op, footprint::kI16);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  RequireShorts(check, params.codes());
  check.RequireZero(static_cast<uint8_t>(params.a_zero()));
  check.RequireZero(static_cast<uint8_t>(params.b_zero()));
  RequireScale(check, params.a_scale(), IsZero(params.a_scale()));
  RequireScale(check, params.b_scale(), IsZero(params.b_scale()));
  RequireMultiplier(check, params.a_multiplier());
  RequireMultiplier(check, params.b_multiplier());
  RequireMultiplier(check, params.multiplier());
}

static void RunShorts(const format::BinaryQ8Params& params, std::byte* const* operands) {
  kernels::BinaryQ8Shape shape;
  WEFT_FIELDS(WEFT_BROADCAST_FIELDS(op)(a_multiplier)(b_multiplier)(multiplier))
  Call(kernels::BinaryQ8Shorts, shape, operands);
}

}  // namespace weft::bind::binary_q8

WEFT_BIND_SHORTS_STEP(binary_q8, BinaryQ8)
