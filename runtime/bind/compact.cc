// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/compact.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::compact {

Fault Check(const format::CompactParams& params, const OperandSlots& slots) {
  const uint32_t elements = Times(Times(params.outer(), params.max()), params.inner());
  ParamChecker check(slots);
  check.RequireElementBytes(params.element_bytes());
  check.RequireElements(0, params.element_bytes(), elements);
  check.RequireOperand(1, format::ElementType::i32, 1);
  check.RequireElements(2, params.element_bytes(), elements);
  return check.fault();
}

bool MayShare(const format::CompactParams&, uint32_t input, uint32_t) { return input == 0; }

void Run(const format::CompactParams& params, std::byte* const* operands) {
  kernels::CompactShape shape;
  shape.outer = params.outer();
  shape.max = params.max();
  shape.inner = params.inner();
  shape.element_bytes = params.element_bytes();
  kernels::Compact(shape, operands[0], *As<int32_t>(operands[1]), operands[2]);
}

}  // namespace weft::bind::compact

WEFT_BIND_STEP(compact, Compact)
