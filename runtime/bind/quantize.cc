// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/quantize.h"

#include "runtime/bind/code_range.h"

namespace weft::bind::quantize {

static void Rules(const format::QuantizeParams& params, ParamChecker& check) {
  RequireCodeRange(check, params.codes());
  check.Require(params.codes().results() == format::Results::codes, FaultCode::kParamType,
                params.codes().results());
  RequireScale(check, params.inverse(), IsScale(params.inverse()));
}

WEFT_RUN(Quantize, (count)(inverse)(codes))

}  // namespace weft::bind::quantize

WEFT_BIND_STEP(quantize, Quantize)
