// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv.h"

#include "runtime/bind/maps.h"
#include "runtime/bind/narrow.h"

namespace weft::bind::conv {
namespace {

WEFT_SHAPE_OF(Conv, ConvShape, WEFT_CONV_FIELDS)

template <typename Weight>
WEFT_INLINE void Run(const kernels::ConvShape& shape, std::byte* const* operands) {
  kernels::Conv(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace

static void Rules(const format::ConvParams& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
}

}  // namespace weft::bind::conv

WEFT_BIND_NARROW_STEP(conv, Conv)
