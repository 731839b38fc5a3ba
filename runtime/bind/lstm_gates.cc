// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_gates.h"

#include "runtime/bind/step.h"

namespace weft::bind::lstm_gates {

bool HasInlineActivations(const format::LstmGatesParams& params) {
  return kernels::IsSigmoidTanh(ActivationOf(params.f()), ActivationOf(params.g()),
                                ActivationOf(params.h()));
}

static void Rules(const format::LstmGatesParams& params, ParamChecker& check) {
  const bool calls_activations = CallsActivations(params);
  for (const format::Activation* a : {&params.f(), &params.g(), &params.h()}) {
    check.RequireKnownActivation(*a);
    if (calls_activations) check.RequireLinkedActivation(*a);
  }
}

WEFT_RUN(LstmGates, (rows)(hidden)(pre_row_stride)(f)(g)(h))

}  // namespace weft::bind::lstm_gates

WEFT_BIND_STEP(lstm_gates, LstmGates)
