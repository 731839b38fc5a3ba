// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary_q8.h"

#include "runtime/bind/code_range.h"

namespace weft::bind::binary_q8 {

static void Rules(const format::BinaryQ8Params& params, ParamChecker& check) {
  const bool adds = params.op() == format::BinaryOp::add;
  const auto is_scale = [](float scale) { return IsScale(scale < 0 ? -scale : scale); };
  check.Require(adds || params.op() == format::BinaryOp::multiply, FaultCode::kParamOpType,
                params.op(), kI8);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  RequireCodeRange(check, params.codes());
  RequireScale(check, params.a_scale(), is_scale(params.a_scale()));
  RequireScale(check, params.b_scale(), adds ? is_scale(params.b_scale()) : params.b_scale() == 0);
}

void Run(const format::BinaryQ8Params& params, std::byte* const* operands) {
  kernels::BinaryQ8Shape shape;
  WEFT_FIELDS(WEFT_BROADCAST_FIELDS(a_scale)(b_scale)(codes)(a_zero)(b_zero))
  shape.multiplies = params.op() == format::BinaryOp::multiply;
  kernels::BinaryQ8(shape, As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                    As<int8_t>(operands[2]));
}

}  // namespace weft::bind::binary_q8

WEFT_BIND_STEP(binary_q8, BinaryQ8)
