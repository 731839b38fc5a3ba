// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/lookup.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::lookup {

Fault Check(const format::LookupParams& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireOperand(0, kI8, params.count());
  check.RequireOperand(1, kI8, kernels::kLookupBytes);
  check.RequireOperand(2, kI8, params.count());
  return check.fault();
}

bool MayShare(const format::LookupParams&, uint32_t input, uint32_t) { return input == 0; }

void Run(const format::LookupParams& params, std::byte* const* operands) {
  kernels::Lookup(params.count(), As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                  As<int8_t>(operands[2]));
}

}  // namespace weft::bind::lookup

WEFT_BIND_STEP(lookup, Lookup)
