// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_q8_shorts.h"

#include "runtime/bind/shorts.h"

namespace weft::bind::dense_q8 {

static void RulesOfShorts(const format::DenseQ8Params& params, ParamChecker& check) {
  RequireShortProduct(check, params.codes(), params.activation());
}

static void RunShorts(const format::DenseQ8Params& params, std::byte* const* operands) {
  kernels::DenseQ8Shape shape;
  WEFT_FIELDS((rows)(inputs)(outputs)(x_row_stride)(y_row_stride))
  kernels::DenseQ8Shorts(shape, As<const int16_t>(operands[0]), As<const int8_t>(operands[1]),
                         ShortResultsOf(params, operands), As<int16_t>(operands[5]));
}

}  // namespace weft::bind::dense_q8

WEFT_BIND_SHORTS_STEP(dense_q8, DenseQ8)
