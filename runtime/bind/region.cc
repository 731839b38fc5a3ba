// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/region.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::region {

static_assert(static_cast<uint32_t>(format::RegionOp::MAX) + 1 == kernels::kRegionOpCount);

Fault Check(const format::RegionParams& params, const OperandSlots& slots) {
  const format::ElementType index_type = params.index_type();
  const uint32_t plane = Times(params.height(), params.width());
  const uint32_t bins = Times(params.pooled_height(), params.pooled_width());
  const uint32_t regions = params.regions();
  const auto op = static_cast<kernels::RegionOp>(params.op());
  ParamChecker check(slots);
  check.RequireAtMost(FaultCode::kParamFlag, params.at_least_one(), 1);
  check.RequireBelow(FaultCode::kParamOp, static_cast<uint32_t>(op), kernels::kRegionOpCount);
  check.Require(index_type == format::ElementType::i32 || index_type == format::ElementType::i64,
                FaultCode::kParamType, static_cast<uint32_t>(index_type), 0);
  const bool is_own = op == kernels::RegionOp::kOwnMean;
  check.Require(!is_own || (bins != 0 && params.channels() % bins == 0), FaultCode::kParamChoice,
                params.channels(), bins);
  check.RequireOperand(0, kF32, Times(Times(params.batch(), params.channels()), plane));
  check.RequireOperand(1, kF32, Times(regions, 4));
  check.RequireOperand(2, index_type, regions);
  const uint32_t channels = kernels::RegionChannels(op, params.channels(), bins);
  check.RequireOperand(3, kF32, Times(Times(regions, channels), bins));
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
  shape.after = params.after();
  shape.at_least_one = params.at_least_one();
  shape.op = static_cast<kernels::RegionOp>(params.op());
  shape.index_type = ElementOf(params.index_type());
  kernels::Region(shape, As<float>(operands[0]), As<float>(operands[1]), operands[2],
                  As<float>(operands[3]));
}

}  // namespace weft::bind::region

WEFT_BIND_STEP(region, Region)
