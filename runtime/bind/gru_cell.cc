// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_cell.h"

#include "runtime/bind/narrow.h"

namespace weft::bind::gru_cell {

static void Rules(const format::GruCellParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.backward(), 1);
}

}  // namespace weft::bind::gru_cell

WEFT_BIND_NARROW_STEP(gru_cell, GruCell, CellShape, (inputs)(hidden)(backward))
