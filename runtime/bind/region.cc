// SPDX-License-Identifier: Apache-2.0
#include "kernels/region.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::region {

Fault Check(const format::RegionParams& params, const OperandSlots& slots) {
  const format::ElementType index_type = params.index_type();
  const uint32_t plane = Times(params.height(), params.width());
  const uint32_t bins = Times(params.pooled_height(), params.pooled_width());
  const uint32_t regions = params.regions();
  ParamChecker check(slots);
  check.RequireAtMost(FaultCode::kParamFlag, params.at_least_one(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.maximum(), 1);
  check.Require(index_type == format::ElementType::i32 || index_type == format::ElementType::i64,
                FaultCode::kParamType, static_cast<uint32_t>(index_type), 0);
  check.RequireOperand(0, kF32, Times(Times(params.batch(), params.channels()), plane));
  check.RequireOperand(1, kF32, Times(regions, 4));
  check.RequireOperand(2, index_type, regions);
  check.RequireOperand(3, kF32, Times(Times(regions, params.channels()), bins));
  return check.fault();
}

bool MayShare(const format::RegionParams&, uint32_t, uint32_t) { return false; }

void Run(const format::RegionParams& params, std::byte* const* operands) {
  kernels::RegionShape shape;
  shape.batch = params.batch();
  shape.channels = params.channels();
  shape.height = params.height();
  shape.width = params.width();
  shape.regions = params.regions();
  shape.pooled_height = params.pooled_height();
  shape.pooled_width = params.pooled_width();
  shape.samples = params.samples();
  shape.scale = params.scale();
  shape.before = params.before();
  shape.behind = params.behind();
  shape.at_least_one = params.at_least_one();
  shape.maximum = params.maximum();
  shape.index_type = ElementOf(params.index_type());
  kernels::Region(shape, As<float>(operands[0]), As<float>(operands[1]), operands[2],
                  As<float>(operands[3]));
}

}  // namespace weft::bind::region

WEFT_BIND_STEP(region, Region)
