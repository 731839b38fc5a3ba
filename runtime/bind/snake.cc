// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/snake.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::snake {

Fault Check(const format::SnakeParams& params, const OperandSlots& slots) {
  const uint32_t count = Times(Times(params.outer(), params.channels()), params.inner());
  ParamChecker check(slots);
  check.RequireOperand(0, kF32, count);
  check.RequireOperand(1, kF32, params.channels());
  check.RequireOperand(2, kF32, params.channels());
  check.RequireOperand(3, kF32, count);
  return check.fault();
}

bool MayShare(const format::SnakeParams&, uint32_t input, uint32_t) { return input == 0; }

void Run(const format::SnakeParams& params, std::byte* const* operands) {
  kernels::Snake({params.outer(), params.channels(), params.inner()}, As<const float>(operands[0]),
                 As<const float>(operands[1]), As<const float>(operands[2]),
                 As<float>(operands[3]));
}

}  // namespace weft::bind::snake

WEFT_BIND_STEP(snake, Snake)
