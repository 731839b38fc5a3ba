// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/positions.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::positions {

Fault Check(const format::PositionsParams& params, const OperandSlots& slots) {
  const uint32_t type = static_cast<uint32_t>(params.type());
  const format::ElementType index_type = params.index_type();
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  check.RequireBelow(FaultCode::kParamType, type, format::kElementTypeCount);
  if (!check.fault().ok()) return check.fault();
  check.Require(kernels::PositionsSupports(ElementOf(params.type())), FaultCode::kParamType, type,
                0);
  check.Require(index_type == format::ElementType::i32 || index_type == format::ElementType::i64,
                FaultCode::kParamType, static_cast<uint32_t>(index_type), 0);
  const uint32_t count = StridedCount(params.rank(), Numbers(params.dims()));
  check.RequireOperand(0, params.type(), Times(params.batch(), count));
  check.RequireOperand(1, index_type, Times(Times(params.batch(), params.rank()), params.max()));
  check.RequireOperand(2, format::ElementType::i32, params.batch());
  return check.fault();
}

bool MayShare(const format::PositionsParams&, uint32_t, uint32_t) { return false; }

void Run(const format::PositionsParams& params, std::byte* const* operands) {
  kernels::PositionsShape shape;
  shape.batch = params.batch();
  shape.rank = params.rank();
  Assign(shape.dims, params.dims());
  shape.max = params.max();
  shape.type = ElementOf(params.type());
  shape.index_type = ElementOf(params.index_type());
  kernels::Positions(shape, operands[0], operands[1], As<int32_t>(operands[2]));
}

}  // namespace weft::bind::positions

WEFT_BIND_STEP(positions, Positions)
