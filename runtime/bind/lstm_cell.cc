// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_cell.h"

#include "runtime/bind/cell.h"

namespace weft::kernels {
#define WEFT_WEIGHTS(name, Name, ...)                                                              \
  __attribute__((weak)) void LstmCell(const CellShape& shape, const float* x, const Name* weights, \
                                      const float* h, const float* c, const float* start,          \
                                      float* h_next, float* c_next);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
}  // namespace weft::kernels

namespace weft::bind::lstm_cell {
namespace {

template <bool is_narrow>
__attribute__((always_inline)) inline Fault CheckAs(const format::LstmCellParams& params,
                                                    const OperandSlots& slots) {
  const uint32_t hidden = params.hidden();
  ParamChecker check(slots);
  CheckCell<is_narrow>(check, params, CellWeightsOf(params, kernels::kLstmGates));
  check.RequireOperand(3, kF32, hidden);
  check.RequireOperand(4, kF32, Times(kernels::kLstmGates, hidden));
  check.RequireOperand(5, kF32, hidden);
  check.RequireOperand(6, kF32, hidden);
  return check.fault();
}

template <typename Weight>
__attribute__((always_inline)) inline void Run(const kernels::CellShape& shape,
                                               std::byte* const* operands) {
  kernels::LstmCell(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                    As<const float>(operands[2]), As<const float>(operands[3]),
                    As<const float>(operands[4]), As<float>(operands[5]), As<float>(operands[6]));
}

}  // namespace

Fault Check(const format::LstmCellParams& params, const OperandSlots& slots) {
  return CheckAs<false>(params, slots);
}
Fault CheckNarrow(const format::LstmCellParams& params, const OperandSlots& slots) {
  return CheckAs<true>(params, slots);
}

// c' may overwrite c; h is read until the end.
bool MayShare(const format::LstmCellParams&, uint32_t input, uint32_t output) {
  return input == 3 && output == 1;
}

void Run(const format::LstmCellParams& params, std::byte* const* operands) {
  Run<float>(CellShapeOf(params), operands);
}
void RunNarrow(const format::LstmCellParams& params, std::byte* const* operands) {
  const kernels::CellShape shape = CellShapeOf(params);
  WithWeights(params.weights(), [&](auto weight) { Run<decltype(weight)>(shape, operands); });
}

}  // namespace weft::bind::lstm_cell

WEFT_BIND_STEP(lstm_cell, LstmCell)
WEFT_BIND_NARROW_STEP(lstm_cell, LstmCell)
