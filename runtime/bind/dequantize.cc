// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/dequantize.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::dequantize {

Fault Check(const format::DequantizeParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  RequireScale(check, params.scale(), IsScale(params.scale()));
  check.RequireOperand(0, kI8, params.count());
  check.RequireOperand(1, kF32, params.count());
  return check.fault();
}

bool MayShare(const format::DequantizeParams&, uint32_t, uint32_t) { return false; }

void Run(const format::DequantizeParams& params, std::byte* const* operands) {
  kernels::Dequantize({params.count(), params.scale(), params.zero()},
                      As<const int8_t>(operands[0]), As<float>(operands[1]));
}

}  // namespace weft::bind::dequantize

WEFT_BIND_STEP(dequantize, Dequantize)
