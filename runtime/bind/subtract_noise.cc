// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/subtract_noise.h"

#include "runtime/bind/step.h"

namespace weft::bind::subtract_noise {

static void Rules(const format::SubtractNoiseParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.clamping(), 1);
  check.RequireAtMost(FaultCode::kParamFactor, params.smoothing_bits(), 31);
  check.RequireAtMost(FaultCode::kParamFactor, params.bits(), 31);
}

WEFT_RUN(SubtractNoise, (count)(smoothing)(rest)(min_remaining)(smoothing_bits)(bits)(clamping))

}  // namespace weft::bind::subtract_noise

WEFT_BIND_STEP(subtract_noise, SubtractNoise)
