// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_q8.h"

#include "kernels/matrix/pack.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/rows.h"

namespace weft::bind::dense_q8 {

Fault Check(const format::DenseQ8Params& params, const OperandSlots& slots) {
  const uint32_t rows = params.rows(), inputs = params.inputs(), outputs = params.outputs();
  const uint32_t padded = Times(Clip(kernels::PanelCount(outputs)), kernels::kPanelOutputs);
  ParamChecker check(slots);
  check.RequireRowsApart(rows, params.y_row_stride(), outputs);
  check.RequireOperand(0, kI8, RowsReach(rows, params.x_row_stride(), inputs));
  RequireProduct(check, params.codes(), params.activation(), inputs,
                 Times(padded, Clip(kernels::PaddedInputs(inputs))), outputs);
  check.RequireOperand(4, kF32, RowsReach(rows, params.start_row_stride(), outputs));
  check.RequireOperand(5, params.codes().type(), RowsReach(rows, params.y_row_stride(), outputs));
  return check.fault();
}

// Each output of floats is read from start before it is written.
bool MayShare(const format::DenseQ8Params& params, uint32_t input, uint32_t output) {
  return input == 4 && output == 0 && params.codes().type() == kF32 &&
         (params.rows() <= 1 || params.start_row_stride() == params.y_row_stride());
}

void Run(const format::DenseQ8Params& params, std::byte* const* operands) {
  kernels::DenseQ8Shape shape;
  AssignRows(shape, params);
  shape.results = ResultsOf(params.codes());
  kernels::DenseQ8(shape, As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                   FactorsOf(operands), operands[5]);
}

}  // namespace weft::bind::dense_q8

WEFT_BIND_STEP(dense_q8, DenseQ8)
