// SPDX-License-Identifier: Apache-2.0
// Elementwise steps, for lowerings of any family. Nothing is emitted if the output has no elements.
// The caller owns the output value and has checked types and shapes.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_POINTWISE_H_
#define WEFT_CONVERTER_OPS_SUPPORT_POINTWISE_H_

#include "converter/ops/operation.h"
#include "converter/ops/support/broadcast.h"

namespace weft::ops {

// A value with dims aligned to the output axis by axis; extent 1 repeats along the axis.
struct Operand {
  program::ValueId value;
  Dims dims;
};

// y = op(a, b) in a's element type.
void EmitBinary(program::Builder& builder, format::BinaryOp op, const Operand& a, const Operand& b,
                program::ValueId y);

// As above, with NumPy broadcasting of the values' own dims.
void EmitBinary(program::Builder& builder, format::BinaryOp op, program::ValueId a,
                program::ValueId b, program::ValueId y);

// As above, with explicit strides: `nest` iterates over a and b in the element order of y.
void EmitBinary(program::Builder& builder, format::BinaryOp op, const StridedNest& nest,
                program::ValueId a, program::ValueId b, program::ValueId y);

// y = a <op> b as boolean; both are aligned to y axis by axis.
void EmitCompare(program::Builder& builder, format::CompareOp op, const Operand& a,
                 const Operand& b, program::ValueId y);

// y = condition ? a : b; all are aligned to y.dims, which may differ from the dims of the value y.
void EmitSelect(program::Builder& builder, const Operand& condition, const Operand& a,
                const Operand& b, const Operand& y);

// y = x, converted to y's element type.
void EmitConvert(program::Builder& builder, program::ValueId x, program::ValueId y);

// y = op(x); alpha and beta are the parameters of the operation, see Activation in weft.fbs.
void EmitUnary(program::Builder& builder, format::UnaryOp op, program::ValueId x,
               program::ValueId y, float alpha = 0, float beta = 0);

// The same steps with a new value for the result, which they return. Its dims are those to which
// the operands broadcast, and its type is that of `a` or x; Compared returns a boolean.
Operand Combined(program::Builder& builder, format::BinaryOp op, const Operand& a,
                 const Operand& b);
Operand Compared(program::Builder& builder, format::CompareOp op, const Operand& a,
                 const Operand& b);
Operand Selected(program::Builder& builder, const Operand& condition, const Operand& a,
                 const Operand& b);
Operand Applied(program::Builder& builder, format::UnaryOp op, const Operand& x, float alpha = 0,
                float beta = 0);

// A constant of f32 that repeats along all axes.
Operand FloatNumber(program::Builder& builder, float number, size_t rank);

// x converted to element type `to`; x itself if it has that type.
program::ValueId Converted(program::Builder& builder, program::ValueId x, ElementType to);

// The neutral element of a reduction, which is also its result for empty data: a constant of one
// element, and its bits. For any type with complete bytes that the reduction accepts.
program::ValueId NeutralElement(program::Builder& builder, format::ReduceOp op, ElementType type);
uint64_t NeutralBits(format::ReduceOp op, ElementType type);

// An Activation without clipping.
format::Activation MakeActivation(format::UnaryOp op, float alpha = 0, float beta = 0);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_POINTWISE_H_
