// SPDX-License-Identifier: Apache-2.0
// Steps over rows of f32, for programs that tests build by hand.
#ifndef WEFT_TESTS_CONVERTER_PLAN_ELEMENTWISE_H_
#define WEFT_TESTS_CONVERTER_PLAN_ELEMENTWISE_H_

#include <cstdint>

#include "converter/program/builder.h"

namespace weft {

inline void EmitUnary(program::Builder& builder, format::UnaryOp op, program::ValueId x,
                      program::ValueId y) {
  format::UnaryParams params;
  params.mutate_count(static_cast<uint32_t>(builder.value(x).bytes / 4));
  params.mutable_activation().mutate_op(op);
  params.mutate_type(ElementType::f32);
  builder.Emit(params, {x}, {y});
}

inline program::ValueId Unary(program::Builder& builder, format::UnaryOp op, program::ValueId x) {
  const program::ValueId y = builder.Scratch(builder.value(x).type);
  EmitUnary(builder, op, x, y);
  return y;
}

inline program::ValueId Add(program::Builder& builder, program::ValueId a, program::ValueId b) {
  const program::ValueId y = builder.Scratch(builder.value(a).type);
  format::BinaryParams params;
  params.mutate_rank(1);
  params.mutable_dims()->Mutate(0, static_cast<uint32_t>(builder.value(a).bytes / 4));
  params.mutable_a_strides()->Mutate(0, 1);
  params.mutable_b_strides()->Mutate(0, 1);
  params.mutate_op(format::BinaryOp::add);
  params.mutate_type(ElementType::f32);
  builder.Emit(params, {a, b}, {y});
  return y;
}

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_PLAN_ELEMENTWISE_H_
