// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/convert.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::convert {

Fault Check(const format::ConvertParams& params, const OperandSlots& slots) {
  const uint32_t from = static_cast<uint32_t>(params.from());
  const uint32_t to = static_cast<uint32_t>(params.to());
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.RequireBelow(FaultCode::kParamType, from, format::kElementTypeCount);
  check.RequireBelow(FaultCode::kParamType, to, format::kElementTypeCount);
  if (!check.fault().ok()) return check.fault();
  check.Require(kernels::ConvertKnows(ElementOf(params.from()), ElementOf(params.to())),
                FaultCode::kParamConversion, from, to);
  check.RequireOperand(0, params.from(), params.count());
  check.RequireOperand(1, params.to(), params.count());
  return check.fault();
}

bool MayShare(const format::ConvertParams& params, uint32_t, uint32_t) {
  return format::BitsOf(params.from()) == format::BitsOf(params.to());
}

void Run(const format::ConvertParams& params, std::byte* const* operands) {
  kernels::ConvertShape shape;
  shape.count = params.count();
  shape.from = ElementOf(params.from());
  shape.to = ElementOf(params.to());
  kernels::Convert(shape, operands[0], operands[1]);
}

}  // namespace weft::bind::convert

WEFT_BIND_STEP(convert, Convert)
