// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/quantize.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::quantize {

Fault Check(const format::QuantizeParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  RequireCodeRange(check, params.codes());
  RequireScale(check, params.inverse(), IsScale(params.inverse()));
  check.RequireOperand(0, kF32, params.count());
  check.RequireOperand(1, kI8, params.count());
  return check.fault();
}

bool MayShare(const format::QuantizeParams&, uint32_t, uint32_t) { return false; }

void Run(const format::QuantizeParams& params, std::byte* const* operands) {
  kernels::Quantize({params.count(), params.inverse(), CodesOf(params.codes())},
                    As<const float>(operands[0]), As<int8_t>(operands[1]));
}

}  // namespace weft::bind::quantize

WEFT_BIND_STEP(quantize, Quantize)
