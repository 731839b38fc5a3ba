// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/top.h"

#include "runtime/bind/step.h"
#include "runtime/bind/variants.h"

namespace weft::bind::top {

static void Rules(const format::TopParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.min(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.by_index(), 1);
  check.RequireBelow(FaultCode::kParamType, params.type(), format::kElementTypeCount);
  if (!check.ok()) return;
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, params.type());
  check.Require(kernels::TopKnows(ElementOf(params.type())), FaultCode::kParamType, params.type());
  check.RequireIndexType(params.index_type());
  check.Require(params.k() >= 1 && params.k() <= params.axis(), FaultCode::kParamChoice, params.k(),
                params.axis());
}

WEFT_RUN(Top, (outer)(axis)(inner)(k)(min)(by_index)(type)(index_type))

}  // namespace weft::bind::top

WEFT_BIND_STEP(top, Top)
