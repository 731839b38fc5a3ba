// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_reset_cell.h"

#include "runtime/bind/cell.h"

namespace weft::kernels {
#define WEFT_WEIGHTS(name, Name, ...)                                                              \
  __attribute__((weak)) void GruResetCell(const CellShape& shape, const float* x,                  \
                                          const Name* weights, const float* h, const float* start, \
                                          float* h_next, float* reset_h);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
}  // namespace weft::kernels

namespace weft::bind::gru_reset_cell {
namespace {

// Weights of z and r, then those of the candidate.
uint32_t WeightsOf(const format::GruResetCellParams& params) {
  const uint32_t row = Plus(Clip(kernels::CellRow(kernels::kGruResetGates, params.hidden())),
                            Clip(kernels::CellRow(1, params.hidden())));
  return Times(row, Plus(params.inputs(), params.hidden()));
}

template <bool is_narrow>
__attribute__((always_inline)) inline Fault CheckAs(const format::GruResetCellParams& params,
                                                    const OperandSlots& slots) {
  const uint32_t hidden = params.hidden();
  ParamChecker check(slots);
  CheckCell<is_narrow>(check, params, WeightsOf(params));
  check.RequireOperand(3, kF32, Times(3, hidden));
  check.RequireOperand(4, kF32, hidden);
  check.RequireOperand(5, kF32, hidden);
  return check.fault();
}

template <typename Weight>
__attribute__((always_inline)) inline void Run(const kernels::CellShape& shape,
                                               std::byte* const* operands) {
  kernels::GruResetCell(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                        As<const float>(operands[2]), As<const float>(operands[3]),
                        As<float>(operands[4]), As<float>(operands[5]));
}

}  // namespace

Fault Check(const format::GruResetCellParams& params, const OperandSlots& slots) {
  return CheckAs<false>(params, slots);
}
Fault CheckNarrow(const format::GruResetCellParams& params, const OperandSlots& slots) {
  return CheckAs<true>(params, slots);
}

// h and start are read until the end, and h' holds z until then.
bool MayShare(const format::GruResetCellParams&, uint32_t, uint32_t) { return false; }

void Run(const format::GruResetCellParams& params, std::byte* const* operands) {
  Run<float>(CellShapeOf(params), operands);
}
void RunNarrow(const format::GruResetCellParams& params, std::byte* const* operands) {
  const kernels::CellShape shape = CellShapeOf(params);
  WithWeights(params.weights(), [&](auto weight) { Run<decltype(weight)>(shape, operands); });
}

}  // namespace weft::bind::gru_reset_cell

WEFT_BIND_STEP(gru_reset_cell, GruResetCell)
WEFT_BIND_NARROW_STEP(gru_reset_cell, GruResetCell)
