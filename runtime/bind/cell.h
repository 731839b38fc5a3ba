// SPDX-License-Identifier: Apache-2.0
// The rules that the fused cells share: operand 0 is x, 1 the weights, 2 h.
#ifndef WEFT_RUNTIME_BIND_CELL_H_
#define WEFT_RUNTIME_BIND_CELL_H_

#include "kernels/recurrent/cell.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/narrow.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind {

// Weights of a cell whose gates are all stored in the same blocks.
template <typename Params>
__attribute__((always_inline)) inline uint32_t CellWeightsOf(const Params& params, uint32_t gates) {
  return Times(Clip(kernels::CellRow(gates, params.hidden())),
               Plus(params.inputs(), params.hidden()));
}

template <bool is_narrow, typename Params>
__attribute__((always_inline)) inline void CheckCell(ParamChecker& check, const Params& params,
                                                     uint32_t weights) {
  const uint32_t hidden = params.hidden();
  check.RequireAtMost(FaultCode::kParamFlag, params.backward(), 1);
  check.RequireOperand(0, kF32, params.inputs());
  if constexpr (is_narrow) {
    RequireWeights(check, params, weights);
  } else {
    check.RequireOperand(1, kF32, weights);
  }
  check.RequireOperand(2, kF32, hidden);
}

template <typename Params>
__attribute__((always_inline)) inline kernels::CellShape CellShapeOf(const Params& params) {
  kernels::CellShape shape;
  shape.inputs = params.inputs();
  shape.hidden = params.hidden();
  shape.backward = params.backward() != 0;
  return shape;
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_CELL_H_
