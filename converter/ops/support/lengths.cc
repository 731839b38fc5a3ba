// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/lengths.h"

#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {

program::ValueId EmitLength(program::Builder& builder, const LowerScope::Values& values,
                            const ir::RunTimeExtent& extent) {
  const program::ValueId count = values.at({extent.maker, LowerScope::kLengthPort - extent.which});
  if (extent.part == 1) return count;
  const program::ValueId length = builder.Scratch({ElementType::i32, {}});
  EmitBinary(builder, format::BinaryOp::multiply, {count, {}},
             {IntegerWeights(builder, ElementType::i32, {extent.part}), {}}, length);
  return length;
}

program::ValueId EmitFilled(program::Builder& builder, program::ValueId x, const Dims& dims,
                            size_t axis, program::ValueId length, program::ValueId filler) {
  const Dims one(dims.size(), 1);
  Dims along = one;
  along[axis] = dims[axis];
  const Operand positions = {IndexSequence(builder, ElementType::i32, dims[axis]), along};
  const Operand is_used = {builder.Scratch({ElementType::boolean, along}), along};
  EmitCompare(builder, format::CompareOp::less, positions, {length, one}, is_used.value);
  const Operand y = {builder.Scratch({builder.type(x), dims}), dims};
  EmitSelect(builder, is_used, {x, dims}, {filler, one}, y);
  return y.value;
}

}  // namespace weft::ops
