// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_reset_cell.h"

#include "runtime/bind/narrow.h"

namespace weft::bind::gru_reset_cell {
namespace {

WEFT_SHAPE_OF(GruResetCell, CellShape, (inputs)(hidden)(backward))

template <typename Weight>
WEFT_INLINE void Run(const kernels::CellShape& shape, std::byte* const* operands) {
  kernels::GruResetCell(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                        As<const float>(operands[2]), As<const float>(operands[3]),
                        As<float>(operands[4]), As<float>(operands[5]));
}

}  // namespace

static void Rules(const format::GruResetCellParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.backward(), 1);
}

}  // namespace weft::bind::gru_reset_cell

WEFT_BIND_NARROW_STEP(gru_reset_cell, GruResetCell)
