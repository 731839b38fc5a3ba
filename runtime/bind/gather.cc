// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/gather.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::gather {

Fault Check(const format::GatherParams& params, const OperandSlots& slots) {
  const uint32_t element_bytes = params.element_bytes();
  const format::ElementType index_type = params.index_type();
  ParamChecker check(slots);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.RequireElementBytes(element_bytes);
  check.Require(index_type == format::ElementType::i32 || index_type == format::ElementType::i64,
                FaultCode::kParamType, static_cast<uint32_t>(index_type), 0);
  const uint32_t slices = Times(params.batch(), params.outer());
  check.RequireElements(0, element_bytes, Times(Times(slices, params.axis()), params.inner()));
  check.RequireOperand(1, index_type, Times(params.batch(), params.indices()));
  check.RequireElements(2, element_bytes, Times(Times(slices, params.indices()), params.inner()));
  return check.fault();
}

bool MayShare(const format::GatherParams&, uint32_t, uint32_t) { return false; }

void Run(const format::GatherParams& params, std::byte* const* operands) {
  kernels::GatherShape shape;
  shape.batch = params.batch();
  shape.outer = params.outer();
  shape.axis = params.axis();
  shape.inner = params.inner();
  shape.indices = params.indices();
  shape.element_bytes = params.element_bytes();
  shape.index_type = ElementOf(params.index_type());
  kernels::Gather(shape, operands[0], operands[1], operands[2]);
}

}  // namespace weft::bind::gather

WEFT_BIND_STEP(gather, Gather)
