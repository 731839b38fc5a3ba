// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_update.h"

#include "runtime/bind/step.h"

namespace weft::bind::gru_update {

static void Rules(const format::GruUpdateParams& params, ParamChecker& check) {
  check.RequireActivation(params.g());
}

WEFT_RUN(GruUpdate, (rows)(hidden)(pre_row_stride)(g))

}  // namespace weft::bind::gru_update

WEFT_BIND_STEP(gru_update, GruUpdate)
