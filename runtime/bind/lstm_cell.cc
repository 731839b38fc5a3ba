// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_cell.h"

#include "runtime/bind/narrow.h"

namespace weft::bind::lstm_cell {

static void Rules(const format::LstmCellParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.backward(), 1);
}

}  // namespace weft::bind::lstm_cell

WEFT_BIND_NARROW_STEP(lstm_cell, LstmCell, CellShape, (inputs)(hidden)(backward))
