// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary_q8.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::binary_q8 {

Fault Check(const format::BinaryQ8Params& params, const OperandSlots& slots) {
  const bool adds = params.op() == format::BinaryOp::add;
  const auto is_scale = [](float scale) { return IsScale(scale < 0 ? -scale : scale); };
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.Require(adds || params.op() == format::BinaryOp::multiply, FaultCode::kParamOpType,
                static_cast<uint32_t>(params.op()), static_cast<uint32_t>(kI8));
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  RequireCodeRange(check, params.codes());
  RequireScale(check, params.a_scale(), is_scale(params.a_scale()));
  RequireScale(check, params.b_scale(), adds ? is_scale(params.b_scale()) : params.b_scale() == 0);
  if (!check.fault().ok()) return check.fault();
  const uint32_t rank = params.rank();
  const uint32_t* dims = Numbers(params.dims());
  check.RequireOperand(0, kI8, StridedReach(rank, dims, Numbers(params.a_strides())));
  check.RequireOperand(1, kI8, StridedReach(rank, dims, Numbers(params.b_strides())));
  check.RequireOperand(2, kI8, StridedCount(rank, dims));
  return check.fault();
}

// y may overwrite an operand that is not broadcast: its element is read before that of y is
// written.
bool MayShare(const format::BinaryQ8Params& params, uint32_t input, uint32_t) {
  const auto* strides = input == 0 ? params.a_strides() : params.b_strides();
  return params.rank() <= kernels::kMaxRank &&
         IsInOrder(params.rank(), Numbers(params.dims()), Numbers(strides));
}

void Run(const format::BinaryQ8Params& params, std::byte* const* operands) {
  kernels::BinaryQ8Shape shape;
  shape.rank = params.rank();
  Assign(shape.dims, params.dims());
  Assign(shape.a_strides, params.a_strides());
  Assign(shape.b_strides, params.b_strides());
  shape.a_scale = params.a_scale();
  shape.b_scale = params.b_scale();
  shape.codes = CodesOf(params.codes());
  shape.a_zero = params.a_zero();
  shape.b_zero = params.b_zero();
  shape.multiplies = params.op() == format::BinaryOp::multiply;
  kernels::BinaryQ8(shape, As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                    As<int8_t>(operands[2]));
}

}  // namespace weft::bind::binary_q8

WEFT_BIND_STEP(binary_q8, BinaryQ8)
