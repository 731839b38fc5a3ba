// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/gru_cell.h"

#include "runtime/bind/cell.h"

namespace weft::kernels {
#define WEFT_WEIGHTS(name, Name, ...)                                                             \
  __attribute__((weak)) void GruCell(const CellShape& shape, const float* x, const Name* weights, \
                                     const float* h, const float* start, const float* r_start,    \
                                     float* h_next);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
}  // namespace weft::kernels

namespace weft::bind::gru_cell {
namespace {

template <bool is_narrow>
__attribute__((always_inline)) inline Fault CheckAs(const format::GruCellParams& params,
                                                    const OperandSlots& slots) {
  const uint32_t hidden = params.hidden();
  ParamChecker check(slots);
  CheckCell<is_narrow>(check, params, CellWeightsOf(params, kernels::kGruGates));
  check.RequireOperand(3, kF32, Times(kernels::kGruGates, hidden));
  check.RequireOperand(4, kF32, Times(kernels::kGruGates, hidden));
  check.RequireOperand(5, kF32, hidden);
  return check.fault();
}

template <typename Weight>
__attribute__((always_inline)) inline void Run(const kernels::CellShape& shape,
                                               std::byte* const* operands) {
  kernels::GruCell(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                   As<const float>(operands[2]), As<const float>(operands[3]),
                   As<const float>(operands[4]), As<float>(operands[5]));
}

}  // namespace

Fault Check(const format::GruCellParams& params, const OperandSlots& slots) {
  return CheckAs<false>(params, slots);
}
Fault CheckNarrow(const format::GruCellParams& params, const OperandSlots& slots) {
  return CheckAs<true>(params, slots);
}

// h is read until the end.
bool MayShare(const format::GruCellParams&, uint32_t, uint32_t) { return false; }

void Run(const format::GruCellParams& params, std::byte* const* operands) {
  Run<float>(CellShapeOf(params), operands);
}
void RunNarrow(const format::GruCellParams& params, std::byte* const* operands) {
  const kernels::CellShape shape = CellShapeOf(params);
  WithWeights(params.weights(), [&](auto weight) { Run<decltype(weight)>(shape, operands); });
}

}  // namespace weft::bind::gru_cell

WEFT_BIND_STEP(gru_cell, GruCell)
WEFT_BIND_NARROW_STEP(gru_cell, GruCell)
