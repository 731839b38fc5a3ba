// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/compare.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/variants.h"

namespace weft::bind::compare {

Fault Check(const format::CompareParams& params, const OperandSlots& slots) {
  const uint32_t op = static_cast<uint32_t>(params.op());
  const uint32_t type = static_cast<uint32_t>(params.type());
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.RequireBelow(FaultCode::kParamOp, op, kernels::kCompareOpCount);
  check.RequireBelow(FaultCode::kParamType, type, format::kElementTypeCount);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  if (!check.fault().ok()) return check.fault();
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, type, 0);
  check.Require(kernels::CompareKnows(ElementOf(params.type())), FaultCode::kParamOpType, op, type);
  const uint32_t rank = params.rank();
  const uint32_t* dims = Numbers(params.dims());
  check.RequireOperand(0, params.type(), StridedReach(rank, dims, Numbers(params.a_strides())));
  check.RequireOperand(1, params.type(), StridedReach(rank, dims, Numbers(params.b_strides())));
  check.RequireOperand(2, format::ElementType::boolean, StridedCount(rank, dims));
  return check.fault();
}

// y may overwrite an operand of one byte that is not broadcast.
bool MayShare(const format::CompareParams& params, uint32_t input, uint32_t) {
  const auto* strides = input == 0 ? params.a_strides() : params.b_strides();
  return params.rank() <= kernels::kMaxRank && format::BitsOf(params.type()) == 8 &&
         IsInOrder(params.rank(), Numbers(params.dims()), Numbers(strides));
}

void Run(const format::CompareParams& params, std::byte* const* operands) {
  if (IsOneElement(params.rank(), Numbers(params.dims()))) {
    return kernels::CompareOne(static_cast<kernels::CompareOp>(params.op()),
                               ElementOf(params.type()), operands[0], operands[1], operands[2]);
  }
  kernels::CompareShape shape;
  shape.rank = params.rank();
  Assign(shape.dims, params.dims());
  Assign(shape.a_strides, params.a_strides());
  Assign(shape.b_strides, params.b_strides());
  shape.op = static_cast<kernels::CompareOp>(params.op());
  shape.type = ElementOf(params.type());
  kernels::Compare(shape, operands[0], operands[1], operands[2]);
}

}  // namespace weft::bind::compare

WEFT_BIND_STEP(compare, Compare)
