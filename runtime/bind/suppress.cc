// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/suppress.h"

#include "runtime/bind/step.h"

namespace weft::bind::suppress {
static void Rules(const format::SuppressParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.centred(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.across(), 1);
  check.Require(params.max() >= 1 && params.max() <= params.boxes(), FaultCode::kParamChoice,
                params.max(), params.boxes());
}

void Run(const format::SuppressParams& params, std::byte* const* operands) {
  kernels::SuppressShape shape;
  WEFT_FIELDS((batch)(classes)(boxes)(max)(iou_threshold)(score_threshold)(centred)(across))
  WEFT_FIELDS((decay))
  kernels::SuppressResults results = {As<int32_t>(operands[2]), As<float>(operands[3]),
                                      As<int32_t>(operands[4]), As<int32_t>(operands[5])};
  if (shape.decay != 0) {
    results.lowered = As<float>(operands[5] + size_t{sizeof(float)} * params.boxes());
  }
  kernels::Suppress(shape, As<float>(operands[0]), As<float>(operands[1]), results);
}

}  // namespace weft::bind::suppress

WEFT_BIND_STEP(suppress, Suppress)
