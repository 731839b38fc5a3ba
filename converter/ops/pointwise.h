// SPDX-License-Identifier: Apache-2.0
// Steps that work element by element, for lowerings of any family. Nothing is emitted for an output
// without elements. The caller owns the output value and has checked types and shapes.
#ifndef WEFT_CONVERTER_OPS_POINTWISE_H_
#define WEFT_CONVERTER_OPS_POINTWISE_H_

#include "converter/ops/broadcast.h"
#include "converter/ops/operation.h"

namespace weft::ops {

// A value under dims that line up with the output axis by axis, ones where it repeats.
struct Operand {
  plan::ValueId value;
  Dims dims;
};

// y = op(a, b), over a's element type.
void EmitBinary(plan::Builder& builder, format::BinaryOp op, const Operand& a, const Operand& b,
                plan::ValueId y);

// As above with NumPy alignment of the values' own dims.
void EmitBinary(plan::Builder& builder, format::BinaryOp op, plan::ValueId a, plan::ValueId b,
                plan::ValueId y);

// As above along a walk of a and b that visits y's elements in order.
void EmitBinary(plan::Builder& builder, format::BinaryOp op, const Walk& walk, plan::ValueId a,
                plan::ValueId b, plan::ValueId y);

// y = a <op> b as boolean; both line up with y axis by axis.
void EmitCompare(plan::Builder& builder, format::CompareOp op, const Operand& a, const Operand& b,
                 plan::ValueId y);

// y = condition ? a : b; all line up with y's dims, which may be other than the value's own.
void EmitSelect(plan::Builder& builder, const Operand& condition, const Operand& a,
                const Operand& b, const Operand& y);

// y = x in y's element type.
void EmitConvert(plan::Builder& builder, plan::ValueId x, plan::ValueId y);

// y = op(x) with the operation's numbers; see Activation in weft.fbs.
void EmitUnary(plan::Builder& builder, format::UnaryOp op, plan::ValueId x, plan::ValueId y,
               float alpha = 0, float beta = 0);

// x in another element type; itself where it is of that type.
plan::ValueId Converted(plan::Builder& builder, plan::ValueId x, ElementType to);

// An Activation without clip.
format::Activation MakeActivation(format::UnaryOp op, float alpha = 0, float beta = 0);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_POINTWISE_H_
