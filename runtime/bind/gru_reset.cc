// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_reset.h"

#include "runtime/bind/step.h"

namespace weft::bind::gru_reset {

static void Rules(const format::GruResetParams& params, ParamChecker& check) {
  check.RequireActivation(params.f());
}

WEFT_RUN(GruReset, (rows)(hidden)(pre_row_stride)(f))

}  // namespace weft::bind::gru_reset

WEFT_BIND_STEP(gru_reset, GruReset)
