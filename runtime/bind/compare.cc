// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/compare.h"

#include "runtime/bind/step.h"
#include "runtime/bind/variants.h"

namespace weft::bind::compare {

static void Rules(const format::CompareParams& params, ParamChecker& check) {
  check.RequireBelow(FaultCode::kParamOp, params.op(), kernels::kCompareOpCount);
  check.RequireBelow(FaultCode::kParamType, params.type(), format::kElementTypeCount);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  if (!check.ok()) return;
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, params.type());
  check.Require(kernels::CompareKnows(ElementOf(params.type())), FaultCode::kParamOpType,
                params.op(), params.type());
}

void Run(const format::CompareParams& params, std::byte* const* operands) {
  if (IsOneElement(params.rank(), Numbers(params.dims()))) {
    return kernels::CompareOne(static_cast<kernels::CompareOp>(params.op()),
                               ElementOf(params.type()), operands[0], operands[1], operands[2]);
  }
  kernels::CompareShape shape;
  WEFT_FIELDS(WEFT_BROADCAST_FIELDS(op)(type))
  kernels::Compare(shape, operands[0], operands[1], operands[2]);
}

}  // namespace weft::bind::compare

WEFT_BIND_STEP(compare, Compare)
