// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/select.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::select {

Fault Check(const format::SelectParams& params, const OperandSlots& slots) {
  const uint32_t element_bytes = params.element_bytes();
  ParamChecker check(slots);
  check.RequireElementBytes(element_bytes);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  if (!check.fault().ok()) return check.fault();
  const uint32_t rank = params.rank();
  const uint32_t* dims = Numbers(params.dims());
  check.RequireOperand(0, format::ElementType::boolean,
                       StridedReach(rank, dims, Numbers(params.condition_strides())));
  check.RequireElements(1, element_bytes, StridedReach(rank, dims, Numbers(params.a_strides())));
  check.RequireElements(2, element_bytes, StridedReach(rank, dims, Numbers(params.b_strides())));
  check.RequireElements(3, element_bytes, StridedCount(rank, dims));
  return check.fault();
}

// y may overwrite an operand of the same element size that is not broadcast.
bool MayShare(const format::SelectParams& params, uint32_t input, uint32_t) {
  const auto* strides = input == 0   ? params.condition_strides()
                        : input == 1 ? params.a_strides()
                                     : params.b_strides();
  return params.rank() <= kernels::kMaxRank && (input != 0 || params.element_bytes() == 1) &&
         IsInOrder(params.rank(), Numbers(params.dims()), Numbers(strides));
}

void Run(const format::SelectParams& params, std::byte* const* operands) {
  if (IsOneElement(params.rank(), Numbers(params.dims()))) {
    return kernels::SelectOne(params.element_bytes(), operands[0], operands[1], operands[2],
                              operands[3]);
  }
  kernels::SelectShape shape;
  shape.rank = params.rank();
  Assign(shape.dims, params.dims());
  Assign(shape.condition_strides, params.condition_strides());
  Assign(shape.a_strides, params.a_strides());
  Assign(shape.b_strides, params.b_strides());
  shape.element_bytes = params.element_bytes();
  kernels::Select(shape, operands[0], operands[1], operands[2], operands[3]);
}

}  // namespace weft::bind::select

WEFT_BIND_STEP(select, Select)
