// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/law.h"

namespace weft::bind::gather {

Fault Check(const format::GatherParams& params, const OperandSlots& slots) {
  const uint32_t element_bytes = params.element_bytes();
  const format::ElementType index_type = params.index_type();
  Law law(slots);
  law.Zero(params.reserved0());
  law.Zero(params.reserved1());
  law.ElementBytes(element_bytes);
  law.Require(index_type == format::ElementType::i32 || index_type == format::ElementType::i64,
              FaultCode::kParamType, static_cast<uint32_t>(index_type), 0);
  const uint32_t slices = Times(params.batch(), params.outer());
  law.HoldsElements(0, element_bytes, Times(Times(slices, params.axis()), params.inner()));
  law.Holds(1, index_type, Times(params.batch(), params.indices()));
  law.HoldsElements(2, element_bytes, Times(Times(slices, params.indices()), params.inner()));
  return law.fault();
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
