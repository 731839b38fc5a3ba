// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/dequantize.h"

#include "runtime/bind/code_range.h"

namespace weft::bind::dequantize {

static void Rules(const format::DequantizeParams& params, ParamChecker& check) {
  RequireScale(check, params.scale(), IsScale(params.scale()));
}

WEFT_RUN(Dequantize, (count)(scale)(zero))

}  // namespace weft::bind::dequantize

WEFT_BIND_STEP(dequantize, Dequantize)
