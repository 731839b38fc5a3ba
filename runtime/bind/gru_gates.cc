// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_gates.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::gru_gates {

Fault Check(const format::GruGatesParams& params, const OperandSlots& slots) {
  const uint32_t rows = params.rows();
  const uint32_t hidden = params.hidden();
  ParamChecker check(slots);
  check.RequireActivation(params.f());
  check.RequireActivation(params.g());
  check.RequireOperand(0, kF32, RowsReach(rows, params.x_row_stride(), Times(3, hidden)));
  check.RequireOperand(1, kF32, RowsReach(rows, params.r_row_stride(), Times(3, hidden)));
  check.RequireOperand(2, kF32, Times(rows, hidden));
  check.RequireOperand(3, kF32, Times(rows, hidden));
  return check.fault();
}

// h' may overwrite h.
bool MayShare(const format::GruGatesParams&, uint32_t input, uint32_t) { return input == 2; }

void Run(const format::GruGatesParams& params, std::byte* const* operands) {
  kernels::GruGatesShape shape;
  shape.rows = params.rows();
  shape.hidden = params.hidden();
  shape.x_row_stride = params.x_row_stride();
  shape.r_row_stride = params.r_row_stride();
  shape.f = ActivationOf(params.f());
  shape.g = ActivationOf(params.g());
  kernels::GruGates(shape, As<const float>(operands[0]), As<const float>(operands[1]),
                    As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace weft::bind::gru_gates

WEFT_BIND_STEP(gru_gates, GruGates)
