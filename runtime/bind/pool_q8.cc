// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool_q8.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/pools.h"

namespace weft::bind::pool_q8 {

Fault Check(const format::PoolQ8Params& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  RequireCodeRange(check, params.codes());
  if (params.op() == format::PoolOp::max) {
    RequireNoCodeRange(check, params.codes());
    check.RequireZero(static_cast<uint8_t>(params.x_zero()));
    RequireScale(check, params.scale(), params.scale() == 0);
  } else {
    check.RequireAtMost(FaultCode::kParamTerms,
                        Times(params.kernel_height(), params.kernel_width()),
                        kernels::kMaxDifferences);
    RequireScale(check, params.scale(), IsScale(params.scale()));
  }
  RequirePool(check, params, kI8);
  return check.fault();
}

bool MayShare(const format::PoolQ8Params&, uint32_t, uint32_t) { return false; }

void Run(const format::PoolQ8Params& params, std::byte* const* operands) {
  kernels::PoolQ8Shape shape;
  AssignPool(shape, params);
  shape.scale = params.scale();
  shape.codes = CodesOf(params.codes());
  shape.x_zero = params.x_zero();
  kernels::PoolQ8(shape, As<const int8_t>(operands[0]), As<int8_t>(operands[1]));
}

}  // namespace weft::bind::pool_q8

WEFT_BIND_STEP(pool_q8, PoolQ8)
