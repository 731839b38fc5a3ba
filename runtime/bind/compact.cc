// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/compact.h"

#include "runtime/bind/step.h"

namespace weft::bind::compact {

static void Rules(const format::CompactParams& params, ParamChecker& check) {
  check.RequireElementBytes(params.element_bytes());
}

void Run(const format::CompactParams& params, std::byte* const* operands) {
  kernels::CompactShape shape;
  WEFT_FIELDS((outer)(max)(inner)(element_bytes))
  kernels::Compact(shape, operands[0], *As<int32_t>(operands[1]), operands[2]);
}

}  // namespace weft::bind::compact

WEFT_BIND_STEP(compact, Compact)
