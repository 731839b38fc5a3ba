// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/region.h"

#include "runtime/bind/step.h"

namespace weft::bind::region {

static_assert(static_cast<uint32_t>(format::RegionOp::MAX) + 1 == kernels::kRegionOpCount);

static void Rules(const format::RegionParams& params, ParamChecker& check) {
  const uint32_t bins = Times(params.pooled_height(), params.pooled_width());
  const auto op = static_cast<kernels::RegionOp>(params.op());
  check.RequireAtMost(FaultCode::kParamFlag, params.at_least_one(), 1);
  check.RequireBelow(FaultCode::kParamOp, static_cast<uint32_t>(op), kernels::kRegionOpCount);
  check.RequireIndexType(params.index_type());
  const bool is_own = op == kernels::RegionOp::kOwnMean;
  check.Require(!is_own || (bins != 0 && params.channels() % bins == 0), FaultCode::kParamChoice,
                params.channels(), bins);
}

void Run(const format::RegionParams& params, std::byte* const* operands) {
  kernels::RegionShape shape;
  WEFT_FIELDS((batch)(channels)(height)(width)(regions)(pooled_height)(pooled_width)(samples))
  WEFT_FIELDS((scale)(before)(after)(at_least_one)(op)(index_type))
  Call(kernels::Region, shape, operands);
}

}  // namespace weft::bind::region

WEFT_BIND_STEP(region, Region)
