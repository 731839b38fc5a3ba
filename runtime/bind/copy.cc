// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/copy.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::copy {

namespace {

// Number of elements that the slot must hold for an access that starts at `offset` and may have
// negative strides. Saturates if the access leaves the slot at its start.
uint32_t Reach(const format::CopyParams& params, uint32_t offset, const int32_t* strides) {
  const uint32_t* dims = Numbers(params.dims());
  if (StridedCount(params.rank(), dims) == 0) return 0;
  uint32_t forward = Plus(offset, 1);
  uint32_t backward = 0;
  for (uint32_t i = 0; i < params.rank(); ++i) {
    const uint32_t distance =
        Times(dims[i] - 1, strides[i] < 0 ? 0u - static_cast<uint32_t>(strides[i])
                                          : static_cast<uint32_t>(strides[i]));
    uint32_t& way = strides[i] < 0 ? backward : forward;
    way = Plus(way, distance);
  }
  return backward > offset ? kOutOfReach : forward;
}

}  // namespace

Fault Check(const format::CopyParams& params, const OperandSlots& slots) {
  const uint32_t element_bytes = params.element_bytes();
  ParamChecker check(slots);
  check.RequireElementBytes(element_bytes);
  check.RequireAtMost(FaultCode::kParamRank, params.rank(), kernels::kMaxRank);
  if (!check.fault().ok()) return check.fault();
  check.RequireElements(0, element_bytes,
                        Reach(params, params.src_offset(), Numbers(params.src_strides())));
  check.RequireElements(1, element_bytes,
                        Reach(params, params.dst_offset(), Numbers(params.dst_strides())));
  // No element of y is written twice, so the slot must hold all of them.
  check.RequireElements(1, element_bytes, StridedCount(params.rank(), Numbers(params.dims())));
  return check.fault();
}

bool MayShare(const format::CopyParams&, uint32_t, uint32_t) { return false; }

void Run(const format::CopyParams& params, std::byte* const* operands) {
  kernels::CopyShape shape;
  shape.rank = params.rank();
  Assign(shape.dims, params.dims());
  Assign(shape.src_strides, params.src_strides());
  Assign(shape.dst_strides, params.dst_strides());
  shape.src_offset = params.src_offset();
  shape.dst_offset = params.dst_offset();
  shape.element_bytes = params.element_bytes();
  kernels::Copy(shape, operands[0], operands[1]);
}

}  // namespace weft::bind::copy

WEFT_BIND_STEP(copy, Copy)
