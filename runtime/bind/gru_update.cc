// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_update.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::gru_update {

Fault Check(const format::GruUpdateParams& params, const OperandSlots& slots) {
  const uint32_t count = Times(params.rows(), params.hidden());
  ParamChecker check(slots);
  check.RequireActivation(params.g());
  check.RequireOperand(0, kF32, RowsReach(params.rows(), params.pre_row_stride(), params.hidden()));
  check.RequireOperand(1, kF32, count);
  check.RequireOperand(2, kF32, count);
  check.RequireOperand(3, kF32, count);
  return check.fault();
}

// h' may overwrite z, h, or pre if the rows of pre have the stride of h'.
bool MayShare(const format::GruUpdateParams& params, uint32_t input, uint32_t) {
  return input != 0 || params.rows() <= 1 || params.pre_row_stride() == params.hidden();
}

void Run(const format::GruUpdateParams& params, std::byte* const* operands) {
  kernels::GruUpdateShape shape;
  shape.rows = params.rows();
  shape.hidden = params.hidden();
  shape.pre_row_stride = params.pre_row_stride();
  shape.g = ActivationOf(params.g());
  kernels::GruUpdate(shape, As<const float>(operands[0]), As<const float>(operands[1]),
                     As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace weft::bind::gru_update

WEFT_BIND_STEP(gru_update, GruUpdate)
