// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense.h"

#include "runtime/bind/narrow.h"

namespace weft::bind::dense {
namespace {

WEFT_SHAPE_OF(Dense, DenseShape, WEFT_ROW_FIELDS)

template <typename Weight>
WEFT_INLINE void Run(const kernels::DenseShape& shape, std::byte* const* operands) {
  kernels::Dense(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                 As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace

static void Rules(const format::DenseParams& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
}

}  // namespace weft::bind::dense

WEFT_BIND_NARROW_STEP(dense, Dense)
