// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_i4.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/rows.h"

namespace weft::bind::dense_i4 {

constexpr format::ElementType kF16 = format::ElementType::f16;

Fault Check(const format::DenseI4Params& params, const OperandSlots& slots) {
  const uint32_t rows = params.rows(), inputs = params.inputs(), outputs = params.outputs();
  const uint32_t max = params.max(), group = params.group_blocks();
  const uint32_t padded = Times(Clip(kernels::PanelCount(outputs)), kernels::kPanelOutputs);
  const uint32_t largest = kernels::MaxForI4(inputs, group);
  const uint32_t scales = Times(padded, kernels::GroupCount(inputs, group));
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.RequireRowsApart(rows, params.y_row_stride(), outputs);
  check.Require(max >= kernels::kMinMax && max <= largest, FaultCode::kParamSums, max, largest);
  check.Require(params.scales() == kF32 || params.scales() == kF16, FaultCode::kParamType,
                static_cast<uint32_t>(params.scales()), 0);
  check.RequireOperand(0, kF32, RowsReach(rows, params.x_row_stride(), inputs));
  check.RequireOperand(1, format::ElementType::u4,
                       Times(padded, Clip(kernels::PaddedInputs(inputs))));
  check.RequireAlignment(1, kernels::kWeightsAlignment);
  check.RequireOperand(2, params.scales(), scales);
  check.RequireOperand(3, format::ElementType::u8, scales);
  check.RequireOperand(4, kF32, RowsReach(rows, params.start_row_stride(), outputs));
  check.RequireOperand(5, kF32, RowsReach(rows, params.y_row_stride(), outputs));
  check.RequireOperand(6, format::ElementType::i16,
                       Clip(kernels::DenseI4ScratchShorts(rows, inputs, group)));
  check.RequireAlignment(6, kernels::kWeightsAlignment);
  return check.fault();
}

// Each output is read from start before it is written.
bool MayShare(const format::DenseI4Params& params, uint32_t input, uint32_t output) {
  return input == 4 && output == 0 &&
         (params.rows() <= 1 || params.start_row_stride() == params.y_row_stride());
}

void Run(const format::DenseI4Params& params, std::byte* const* operands) {
  kernels::DenseI4Shape shape;
  AssignRows(shape, params);
  shape.max = params.max();
  shape.group_blocks = params.group_blocks();
  kernels::DenseI4Weights weights;
  weights.numbers = As<const uint8_t>(operands[1]);
  if (params.scales() == kF16) {
    weights.half_scales = As<const kernels::F16>(operands[2]);
  } else {
    weights.scales = As<const float>(operands[2]);
  }
  weights.zeros = As<const uint8_t>(operands[3]);
  kernels::DenseI4(shape, As<const float>(operands[0]), weights, As<const float>(operands[4]),
                   As<float>(operands[5]), As<int16_t>(operands[6]));
}

}  // namespace weft::bind::dense_i4

WEFT_BIND_STEP(dense_i4, DenseI4)
