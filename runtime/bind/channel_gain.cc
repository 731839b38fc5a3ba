// SPDX-License-Identifier: Apache-2.0
#include "kernels/signal/channel_gain.h"

#include "runtime/bind/step.h"

namespace weft::bind::channel_gain {

static void Rules(const format::ChannelGainParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFactor, params.shift(), 31);
}

WEFT_RUN(ChannelGain, (count)(shift))

}  // namespace weft::bind::channel_gain

WEFT_BIND_STEP(channel_gain, ChannelGain)
