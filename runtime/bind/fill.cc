// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/fill.h"

#include "runtime/bind/step.h"

namespace weft::bind::fill {

static void Rules(const format::FillParams& params, ParamChecker& check) {
  check.RequireElementBytes(params.element_bytes());
}

WEFT_RUN(Fill, (count)(element_bytes)(bits_low)(bits_high))

}  // namespace weft::bind::fill

WEFT_BIND_STEP(fill, Fill)
