// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary_q8.h"

#include "runtime/bind/code_range.h"
#include "runtime/bind/multiplier.h"

namespace weft::bind::binary_q8 {

static void Rules(const format::BinaryQ8Params& params, ParamChecker& check) {
  using format::BinaryOp;
  const BinaryOp op = params.op();
  const bool adds = op == BinaryOp::add, multiplies = op == BinaryOp::multiply;
  const bool has_integers = params.codes().results() == format::Results::integer_codes;
  const bool is_difference = op == BinaryOp::subtract || op == BinaryOp::squared_difference;
  const bool needs_integers = is_difference || op == BinaryOp::prelu || op == BinaryOp::divide;
  const bool is_known = adds || multiplies || (has_integers && needs_integers);
  check.Require(is_known, FaultCode::kParamOpType, op, kI8);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  RequireCodeRange(check, params.codes());
  if (has_integers) {
    RequireMultiplier(check, params.a_multiplier());
    RequireMultiplier(check, params.b_multiplier());
    RequireMultiplier(check, params.multiplier());
  } else {
    const float a = params.a_scale(), b = params.b_scale();
    RequireScale(check, a, IsMagnitudeScale(a));
    RequireScale(check, b, adds ? IsMagnitudeScale(b) : IsZero(b));
  }
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, kI8);
}

WEFT_RUN(BinaryQ8, WEFT_BROADCAST_FIELDS(a_scale)(b_scale)(
                       codes)(a_zero)(b_zero)(op)(a_multiplier)(b_multiplier)(multiplier))

}  // namespace weft::bind::binary_q8

WEFT_BIND_STEP(binary_q8, BinaryQ8)
