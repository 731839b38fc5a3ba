// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_reset_cell.h"

#include "runtime/bind/narrow.h"

namespace weft::bind::gru_reset_cell {

static void Rules(const format::GruResetCellParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.backward(), 1);
}

}  // namespace weft::bind::gru_reset_cell

WEFT_BIND_NARROW_STEP(gru_reset_cell, GruResetCell, CellShape, (inputs)(hidden)(backward))
