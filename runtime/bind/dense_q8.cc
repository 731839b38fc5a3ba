// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_q8.h"

#include "runtime/bind/code_range.h"

namespace weft::bind::dense_q8 {

static void Rules(const format::DenseQ8Params& params, ParamChecker& check) {
  RequireProduct(check, params.codes(), params.activation(), params.inputs());
}

void Run(const format::DenseQ8Params& params, std::byte* const* operands) {
  kernels::DenseQ8Shape shape;
  WEFT_FIELDS(WEFT_ROW_FIELDS)
  shape.results = ResultsOf(params.codes());
  kernels::DenseQ8(shape, As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                   FactorsOf(operands), operands[5]);
}

}  // namespace weft::bind::dense_q8

WEFT_BIND_STEP(dense_q8, DenseQ8)
