// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/select.h"

#include "runtime/bind/step.h"

namespace weft::bind::select {

static void Rules(const format::SelectParams& params, ParamChecker& check) {
  check.RequireElementBytes(params.element_bytes());
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
}

void Run(const format::SelectParams& params, std::byte* const* operands) {
  if (IsOneElement(params.rank(), Numbers(params.dims()))) {
    return kernels::SelectOne(params.element_bytes(), operands[0], operands[1], operands[2],
                              operands[3]);
  }
  kernels::SelectShape shape;
  WEFT_FIELDS((rank)(dims)(condition_strides)(a_strides)(b_strides)(element_bytes))
  kernels::Select(shape, operands[0], operands[1], operands[2], operands[3]);
}

}  // namespace weft::bind::select

WEFT_BIND_STEP(select, Select)
