// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/ring.h"

#include "runtime/bind/step.h"

namespace weft::bind::ring {

static void Rules(const format::RingParams& params, ParamChecker& check) {
  const uint32_t reach = Plus(
      params.first(), ReachOf(footprint::Rows{params.taps(), params.dilation(), params.length()}));
  const uint32_t max = Plus(params.past(), params.positions());
  check.RequireAtMost(FaultCode::kParamOp, params.order(),
                      static_cast<uint32_t>(format::RingOrder::MAX));
  check.RequireElementBytes(params.element_bytes());
  check.RequireAtMost(FaultCode::kParamWindow, max, 0x7FFFFFFF);
  check.RequireAtMost(FaultCode::kParamWindow, reach, max);
}

void Run(const format::RingParams& params, std::byte* const* operands) {
  kernels::RingShape shape;
  WEFT_FIELDS((outer)(past)(positions)(inner)(first)(taps)(dilation)(length)(element_bytes))
  WEFT_FIELDS((order))
  kernels::RingState state;
  state.ring = operands[1];
  state.start = As<int32_t>(operands[2]);
  state.ring_after = operands[4];
  state.start_after = As<int32_t>(operands[5]);
  kernels::Ring(shape, operands[0], state, operands[3]);
}

}  // namespace weft::bind::ring

WEFT_BIND_STEP(ring, Ring)
