// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/gather.h"

#include "runtime/bind/step.h"

namespace weft::bind::gather {

static void Rules(const format::GatherParams& params, ParamChecker& check) {
  check.RequireElementBytes(params.element_bytes());
  check.RequireIndexType(params.index_type());
}

WEFT_RUN(Gather, (batch)(outer)(axis)(inner)(indices)(element_bytes)(index_type))

}  // namespace weft::bind::gather

WEFT_BIND_STEP(gather, Gather)
