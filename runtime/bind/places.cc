// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/places.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::places {

Fault Check(const format::PlacesParams& params, const OperandSlots& slots) {
  const uint32_t type = static_cast<uint32_t>(params.type());
  const format::ElementType index_type = params.index_type();
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  check.RequireBelow(FaultCode::kParamType, type, format::kElementTypeCount);
  if (!check.fault().ok()) return check.fault();
  check.Require(kernels::PlacesKnows(ElementOf(params.type())), FaultCode::kParamType, type, 0);
  check.Require(index_type == format::ElementType::i32 || index_type == format::ElementType::i64,
                FaultCode::kParamType, static_cast<uint32_t>(index_type), 0);
  const uint32_t count = StridedCount(params.rank(), Numbers(params.dims()));
  check.RequireOperand(0, params.type(), Times(params.batch(), count));
  check.RequireOperand(1, index_type, Times(Times(params.batch(), params.rank()), params.most()));
  check.RequireOperand(2, format::ElementType::i32, params.batch());
  return check.fault();
}

bool MayShare(const format::PlacesParams&, uint32_t, uint32_t) { return false; }

void Run(const format::PlacesParams& params, std::byte* const* operands) {
  kernels::PlacesShape shape;
  shape.batch = params.batch();
  shape.rank = params.rank();
  Assign(shape.dims, params.dims());
  shape.most = params.most();
  shape.type = ElementOf(params.type());
  shape.index_type = ElementOf(params.index_type());
  kernels::Places(shape, operands[0], operands[1], As<int32_t>(operands[2]));
}

}  // namespace weft::bind::places

WEFT_BIND_STEP(places, Places)
