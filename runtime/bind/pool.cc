// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/pool.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/pools.h"

namespace weft::bind::pool {

Fault Check(const format::PoolParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  RequirePool(check, params, kF32);
  return check.fault();
}

bool MayShare(const format::PoolParams&, uint32_t, uint32_t) { return false; }

void Run(const format::PoolParams& params, std::byte* const* operands) {
  kernels::PoolShape shape;
  AssignPool(shape, params);
  kernels::Pool(shape, As<const float>(operands[0]), As<float>(operands[1]));
}

}  // namespace weft::bind::pool

WEFT_BIND_STEP(pool, Pool)
