// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_gates.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::lstm_gates {

bool HasInlineActivations(const format::LstmGatesParams& params) {
  return kernels::IsSigmoidTanh(ActivationOf(params.f()), ActivationOf(params.g()),
                                ActivationOf(params.h()));
}

Fault Check(const format::LstmGatesParams& params, const OperandSlots& slots) {
  const uint32_t count = Times(params.rows(), params.hidden());
  ParamChecker check(slots);
  const bool calls_activations = CallsActivations(params);
  for (const format::Activation* a : {&params.f(), &params.g(), &params.h()}) {
    check.RequireKnownActivation(*a);
    if (calls_activations) check.RequireLinkedActivation(*a);
  }
  check.RequireOperand(
      0, kF32, RowsReach(params.rows(), params.pre_row_stride(), Times(4, params.hidden())));
  check.RequireOperand(1, kF32, count);
  check.RequireOperand(2, kF32, count);
  check.RequireOperand(3, kF32, count);
  return check.fault();
}

// c' may overwrite c.
bool MayShare(const format::LstmGatesParams&, uint32_t input, uint32_t output) {
  return input == 1 && output == 1;
}

void Run(const format::LstmGatesParams& params, std::byte* const* operands) {
  kernels::LstmGatesShape shape;
  shape.rows = params.rows();
  shape.hidden = params.hidden();
  shape.pre_row_stride = params.pre_row_stride();
  shape.f = ActivationOf(params.f());
  shape.g = ActivationOf(params.g());
  shape.h = ActivationOf(params.h());
  kernels::LstmGates(shape, As<const float>(operands[0]), As<const float>(operands[1]),
                     As<float>(operands[2]), As<float>(operands[3]));
}

}  // namespace weft::bind::lstm_gates

WEFT_BIND_STEP(lstm_gates, LstmGates)
