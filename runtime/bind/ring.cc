// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/ring.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::ring {

Fault Check(const format::RingParams& params, const OperandSlots& slots) {
  const uint32_t element_bytes = params.element_bytes();
  const uint32_t reach =
      Plus(params.first(), RowsReach(params.taps(), params.dilation(), params.length()));
  const uint32_t max = Plus(params.past(), params.positions());
  const uint32_t piece = Times(params.outer(), params.inner());
  ParamChecker check(slots);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  check.RequireAtMost(FaultCode::kParamOp, static_cast<uint32_t>(params.order()),
                      static_cast<uint32_t>(format::RingOrder::MAX));
  check.RequireElementBytes(element_bytes);
  check.RequireAtMost(FaultCode::kParamWindow, max, 0x7FFFFFFF);
  check.RequireAtMost(FaultCode::kParamWindow, reach, max);
  check.RequireElements(0, element_bytes, Times(piece, params.positions()));
  check.RequireElements(1, element_bytes, Times(piece, params.past()));
  check.RequireOperand(2, format::ElementType::i32, 1);
  check.RequireElements(3, element_bytes, Times(piece, Times(params.taps(), params.length())));
  check.RequireElements(4, element_bytes, Times(piece, params.past()));
  check.RequireOperand(5, format::ElementType::i32, 1);
  return check.fault();
}

bool MayShare(const format::RingParams&, uint32_t input, uint32_t output) {
  return input == output && output != 0;
}

void Run(const format::RingParams& params, std::byte* const* operands) {
  kernels::RingShape shape;
  shape.outer = params.outer();
  shape.past = params.past();
  shape.positions = params.positions();
  shape.inner = params.inner();
  shape.first = params.first();
  shape.taps = params.taps();
  shape.dilation = params.dilation();
  shape.length = params.length();
  shape.element_bytes = params.element_bytes();
  shape.order = static_cast<kernels::RingOrder>(params.order());
  kernels::RingState state;
  state.ring = operands[1];
  state.start = As<int32_t>(operands[2]);
  state.ring_after = operands[4];
  state.start_after = As<int32_t>(operands[5]);
  kernels::Ring(shape, operands[0], state, operands[3]);
}

}  // namespace weft::bind::ring

WEFT_BIND_STEP(ring, Ring)
