// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/top.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/variants.h"

namespace weft::bind::top {

Fault Check(const format::TopParams& params, const OperandSlots& slots) {
  const uint32_t type = static_cast<uint32_t>(params.type());
  const format::ElementType index_type = params.index_type();
  ParamChecker check(slots);
  check.RequireAtMost(FaultCode::kParamFlag, params.min(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.by_index(), 1);
  check.RequireBelow(FaultCode::kParamType, type, format::kElementTypeCount);
  if (!check.fault().ok()) return check.fault();
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, type, 0);
  check.Require(kernels::TopKnows(ElementOf(params.type())), FaultCode::kParamType, type, 0);
  check.Require(index_type == format::ElementType::i32 || index_type == format::ElementType::i64,
                FaultCode::kParamType, static_cast<uint32_t>(index_type), 0);
  check.Require(params.k() >= 1 && params.k() <= params.axis(), FaultCode::kParamChoice, params.k(),
                params.axis());
  const uint32_t lines = Times(params.outer(), params.inner());
  const uint32_t results = Times(lines, params.k());
  check.RequireOperand(0, params.type(), Times(lines, params.axis()));
  check.RequireOperand(1, params.type(), results);
  check.RequireOperand(2, index_type, results);
  return check.fault();
}

bool MayShare(const format::TopParams&, uint32_t, uint32_t) { return false; }

void Run(const format::TopParams& params, std::byte* const* operands) {
  kernels::TopShape shape;
  shape.outer = params.outer();
  shape.axis = params.axis();
  shape.inner = params.inner();
  shape.k = params.k();
  shape.min = params.min();
  shape.by_index = params.by_index();
  shape.type = ElementOf(params.type());
  shape.index_type = ElementOf(params.index_type());
  kernels::Top(shape, operands[0], operands[1], operands[2]);
}

}  // namespace weft::bind::top

WEFT_BIND_STEP(top, Top)
