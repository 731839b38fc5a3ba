// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense.h"

#include "kernels/matrix/pack.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::dense {

Fault Check(const format::DenseParams& params, const OperandSlots& slots) {
  const uint32_t rows = params.rows();
  const uint32_t outputs = params.outputs();
  const uint32_t padded =
      Times(outputs / kernels::kPanelOutputs + (outputs % kernels::kPanelOutputs != 0),
            kernels::kPanelOutputs);
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  check.RequireRowsApart(rows, params.y_row_stride(), outputs);
  check.RequireOperand(0, kF32, RowsReach(rows, params.x_row_stride(), params.inputs()));
  check.RequireOperand(1, kF32, Times(padded, params.inputs()));
  check.RequireOperand(2, kF32, RowsReach(rows, params.start_row_stride(), outputs));
  check.RequireOperand(3, kF32, RowsReach(rows, params.y_row_stride(), outputs));
  return check.fault();
}

// Each output is read from start before it is written.
bool MayShare(const format::DenseParams& params, uint32_t input, uint32_t) {
  return input == 2 && (params.rows() <= 1 || params.start_row_stride() == params.y_row_stride());
}

void Run(const format::DenseParams& params, std::byte* const* operands) {
  kernels::DenseShape shape;
  shape.rows = params.rows();
  shape.inputs = params.inputs();
  shape.outputs = params.outputs();
  shape.x_row_stride = params.x_row_stride();
  shape.y_row_stride = params.y_row_stride();
  shape.start_row_stride = params.start_row_stride();
  shape.activation = ActivationOf(params.activation());
  kernels::Dense(shape, As<const float>(operands[0]), As<const float>(operands[1]),
                 As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace weft::bind::dense

WEFT_BIND_STEP(dense, Dense)
