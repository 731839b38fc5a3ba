// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/matmul.h"

#include "runtime/bind/step.h"
#include "runtime/bind/variants.h"

namespace weft::bind::matmul {

using format::ElementType;

static void Rules(const format::MatmulParams& params, ParamChecker& check) {
  const ElementType type = params.type();
  const bool is_of_integers =
      type == ElementType::i16 || type == ElementType::i32 || type == ElementType::i64;
  check.Require(type == kF32 || is_of_integers, FaultCode::kParamType, type);
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, type);
  check.RequireAtMost(FaultCode::kParamRank, params.batch_rank(), kernels::kMatmulBatchRank);
}

template <typename T, typename Sum = T>
void Multiply(const kernels::MatmulShape& shape, std::byte* const* operands) {
  kernels::Matmul(shape, As<const T>(operands[0]), As<const T>(operands[1]), As<Sum>(operands[2]));
}

void Run(const format::MatmulParams& params, std::byte* const* operands) {
  kernels::MatmulShape shape;
  WEFT_FIELDS((batch_rank)(batch_dims)(a_batch_strides)(b_batch_strides)(rows)(columns)(inner))
  WEFT_FIELDS((a_row_stride)(a_inner_stride)(b_inner_stride)(b_column_stride))
  switch (params.type()) {
    case ElementType::i16:
      return Multiply<int16_t, int32_t>(shape, operands);
    case ElementType::i32:
      return Multiply<int32_t>(shape, operands);
    case ElementType::i64:
      return Multiply<int64_t>(shape, operands);
    default:
      return Multiply<float>(shape, operands);
  }
}

}  // namespace weft::bind::matmul

WEFT_BIND_STEP(matmul, Matmul)
