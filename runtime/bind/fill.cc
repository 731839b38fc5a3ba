// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/fill.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::fill {

Fault Check(const format::FillParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireElementBytes(params.element_bytes());
  check.RequireElements(0, params.element_bytes(), params.count());
  return check.fault();
}

bool MayShare(const format::FillParams&, uint32_t, uint32_t) { return false; }

void Run(const format::FillParams& params, std::byte* const* operands) {
  kernels::FillShape shape;
  shape.count = params.count();
  shape.element_bytes = params.element_bytes();
  shape.bits_low = params.bits_low();
  shape.bits_high = params.bits_high();
  kernels::Fill(shape, operands[0]);
}

}  // namespace weft::bind::fill

WEFT_BIND_STEP(fill, Fill)
