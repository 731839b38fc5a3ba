// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/depthwise.h"

#include "runtime/bind/maps.h"
#include "runtime/bind/narrow.h"

namespace weft::bind::depthwise {
namespace {

WEFT_SHAPE_OF(Depthwise, DepthwiseShape, WEFT_DEPTHWISE_FIELDS)

template <typename Weight>
WEFT_INLINE void Run(const kernels::DepthwiseShape& shape, std::byte* const* operands) {
  kernels::Depthwise(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                     As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace

static void Rules(const format::DepthwiseParams& params, ParamChecker& check) {
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
  RequireMultiplier(check, params);
}

}  // namespace weft::bind::depthwise

WEFT_BIND_NARROW_STEP(depthwise, Depthwise)
