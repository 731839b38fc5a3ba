// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense.h"

#include "runtime/bind/narrow.h"

namespace weft::bind::dense {

static void Rules(const format::DenseParams& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
}

}  // namespace weft::bind::dense

WEFT_BIND_NARROW_STEP(dense, Dense, DenseShape, WEFT_ROW_FIELDS)
