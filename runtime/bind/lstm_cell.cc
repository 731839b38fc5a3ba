// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_cell.h"

#include "runtime/bind/narrow.h"

namespace weft::bind::lstm_cell {
namespace {

WEFT_SHAPE_OF(LstmCell, CellShape, (inputs)(hidden)(backward))

template <typename Weight>
WEFT_INLINE void Run(const kernels::CellShape& shape, std::byte* const* operands) {
  kernels::LstmCell(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                    As<const float>(operands[2]), As<const float>(operands[3]),
                    As<const float>(operands[4]), As<float>(operands[5]), As<float>(operands[6]));
}

}  // namespace

static void Rules(const format::LstmCellParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.backward(), 1);
}

}  // namespace weft::bind::lstm_cell

WEFT_BIND_NARROW_STEP(lstm_cell, LstmCell)
