// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/auto_scale.h"

#include "runtime/bind/step.h"

namespace weft::bind::auto_scale {

static void Rules(const format::AutoScaleParams&, ParamChecker&) {}

void Run(const format::AutoScaleParams& params, std::byte* const* operands) {
  kernels::AutoScale(params.count(), As<const int16_t>(operands[0]), As<int16_t>(operands[1]),
                     As<int32_t>(operands[2]));
}

}  // namespace weft::bind::auto_scale

WEFT_BIND_STEP(auto_scale, AutoScale)
