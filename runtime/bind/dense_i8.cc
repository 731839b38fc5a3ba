// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_i8.h"

#include "kernels/matrix/weights.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/rows.h"

namespace weft::bind::dense_i8 {

Fault Check(const format::DenseI8Params& params, const OperandSlots& slots) {
  const uint32_t rows = params.rows(), inputs = params.inputs(), outputs = params.outputs();
  const uint32_t padded = Times(Clip(kernels::PanelCount(outputs)), kernels::kPanelOutputs);
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  check.RequireRowsApart(rows, params.y_row_stride(), outputs);
  const format::ElementType type = RequireRows(check, params.max(), inputs);
  check.RequireOperand(0, type, RowsReach(rows, params.x_row_stride(), inputs));
  check.RequireOperand(1, format::ElementType::i8,
                       Times(padded, Clip(kernels::PaddedInputs(inputs))));
  check.RequireAlignment(1, kernels::kWeightsAlignment);
  check.RequireOperand(2, kF32, padded);
  check.RequireOperand(3, kF32, RowsReach(rows, params.start_row_stride(), outputs));
  check.RequireOperand(4, kF32, RowsReach(rows, params.y_row_stride(), outputs));
  check.RequireOperand(5, format::ElementType::i16,
                       Clip(kernels::DenseI8ScratchShorts(rows, inputs)));
  check.RequireAlignment(5, kernels::kWeightsAlignment);
  return check.fault();
}

// Each output is read from start before it is written.
bool MayShare(const format::DenseI8Params& params, uint32_t input, uint32_t output) {
  return input == 3 && output == 0 &&
         (params.rows() <= 1 || params.start_row_stride() == params.y_row_stride());
}

void Run(const format::DenseI8Params& params, std::byte* const* operands) {
  kernels::DenseI8Shape shape;
  AssignRows(shape, params);
  shape.max = params.max();
  kernels::DenseI8(shape, operands[0], As<const int8_t>(operands[1]), As<const float>(operands[2]),
                   As<const float>(operands[3]), As<float>(operands[4]), As<int16_t>(operands[5]));
}

}  // namespace weft::bind::dense_i8

WEFT_BIND_STEP(dense_i8, DenseI8)
