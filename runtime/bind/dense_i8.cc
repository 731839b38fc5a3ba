// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense_i8.h"

#include "runtime/bind/code_range.h"

namespace weft::bind::dense_i8 {

static void Rules(const format::DenseI8Params& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
  RequireMax(check, params.max(), params.inputs());
}

WEFT_RUN(DenseI8, WEFT_ROW_FIELDS(max))

}  // namespace weft::bind::dense_i8

WEFT_BIND_STEP(dense_i8, DenseI8)
