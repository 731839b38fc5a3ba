// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/copy.h"

#include "runtime/bind/step.h"

namespace weft::bind::copy {

static void Rules(const format::CopyParams& params, ParamChecker& check) {
  check.RequireElementBytes(params.element_bytes());
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
}

WEFT_RUN(Copy, (rank)(dims)(src_strides)(dst_strides)(src_offset)(dst_offset)(element_bytes))

}  // namespace weft::bind::copy

WEFT_BIND_STEP(copy, Copy)
