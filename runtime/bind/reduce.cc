// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce.h"

#include "runtime/bind/step.h"
#include "runtime/bind/variants.h"

namespace weft::bind::reduce {

static void Rules(const format::ReduceParams& params, ParamChecker& check) {
  check.RequireBelow(FaultCode::kParamOp, params.op(), kernels::kReduceOpCount);
  check.RequireBelow(FaultCode::kParamOp, params.order(), kernels::kReduceOrderCount);
  check.RequireBelow(FaultCode::kParamType, params.type(), format::kElementTypeCount);
  check.RequireAtMost(FaultCode::kParamRank, Plus(params.kept_rank(), params.reduced_rank()),
                      kernels::kMaxRank);
  if (!check.ok()) return;
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, params.type());
  check.Require(
      kernels::ReduceKnows(static_cast<kernels::ReduceOp>(params.op()), ElementOf(params.type())),
      FaultCode::kParamOpType, params.op(), params.type());
}

WEFT_RUN(Reduce, (kept_rank)(reduced_rank)(dims)(strides)(op)(type)(order))

}  // namespace weft::bind::reduce

WEFT_BIND_STEP(reduce, Reduce)
