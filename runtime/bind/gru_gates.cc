// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_gates.h"

#include "runtime/bind/step.h"

namespace weft::bind::gru_gates {

static void Rules(const format::GruGatesParams& params, ParamChecker& check) {
  check.RequireActivation(params.f());
  check.RequireActivation(params.g());
}

WEFT_RUN(GruGates, (rows)(hidden)(x_row_stride)(r_row_stride)(f)(g))

}  // namespace weft::bind::gru_gates

WEFT_BIND_STEP(gru_gates, GruGates)
