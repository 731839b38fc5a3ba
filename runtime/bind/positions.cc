// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/positions.h"

#include "runtime/bind/step.h"

namespace weft::bind::positions {

static void Rules(const format::PositionsParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  check.RequireBelow(FaultCode::kParamType, params.type(), format::kElementTypeCount);
  if (!check.ok()) return;
  check.Require(kernels::PositionsSupports(ElementOf(params.type())), FaultCode::kParamType,
                params.type(), 0);
  check.RequireIndexType(params.index_type());
}

WEFT_RUN(Positions, (batch)(rank)(dims)(max)(type)(index_type))

}  // namespace weft::bind::positions

WEFT_BIND_STEP(positions, Positions)
