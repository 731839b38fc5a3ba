// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_reset.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::gru_reset {

Fault Check(const format::GruResetParams& params, const OperandSlots& slots) {
  const uint32_t count = Times(params.rows(), params.hidden());
  ParamChecker check(slots);
  check.RequireActivation(params.f());
  check.RequireOperand(
      0, kF32, RowsReach(params.rows(), params.pre_row_stride(), Times(2, params.hidden())));
  check.RequireOperand(1, kF32, count);
  check.RequireOperand(2, kF32, count);
  check.RequireOperand(3, kF32, count);
  return check.fault();
}

// z may overwrite its own half of a single row of pre; rh may overwrite h.
bool MayShare(const format::GruResetParams& params, uint32_t input, uint32_t output) {
  return input == output && (output == 1 || params.rows() <= 1);
}

void Run(const format::GruResetParams& params, std::byte* const* operands) {
  kernels::GruResetShape shape;
  shape.rows = params.rows();
  shape.hidden = params.hidden();
  shape.pre_row_stride = params.pre_row_stride();
  shape.f = ActivationOf(params.f());
  kernels::GruReset(shape, As<const float>(operands[0]), As<const float>(operands[1]),
                    As<float>(operands[2]), As<float>(operands[3]));
}

}  // namespace weft::bind::gru_reset

WEFT_BIND_STEP(gru_reset, GruReset)
