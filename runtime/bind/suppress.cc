// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/suppress.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::suppress {
namespace {

// Number of words: indices of boxes and, if scores are lowered, as many floats after them.
uint32_t RoomOf(const format::SuppressParams& params) {
  return Times(params.boxes(), params.decay() != 0 ? 2 : 1);
}

}  // namespace

Fault Check(const format::SuppressParams& params, const OperandSlots& slots) {
  const uint32_t boxes = Times(params.batch(), params.boxes());
  const uint32_t lines = Times(params.batch(), params.classes());
  const uint32_t numbers = Times(Times(lines, params.max()), 3);
  ParamChecker check(slots);
  check.RequireAtMost(FaultCode::kParamFlag, params.centred(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.across(), 1);
  check.RequireZero(params.reserved());
  check.Require(params.max() >= 1 && params.max() <= params.boxes(), FaultCode::kParamChoice,
                params.max(), params.boxes());
  check.RequireOperand(0, kF32, Times(boxes, 4));
  check.RequireOperand(1, kF32, Times(lines, params.boxes()));
  check.RequireOperand(2, format::ElementType::i32, numbers);
  check.RequireOperand(3, kF32, numbers);
  check.RequireOperand(4, format::ElementType::i32, 1);
  check.RequireOperand(5, format::ElementType::i32, RoomOf(params));
  return check.fault();
}

bool MayShare(const format::SuppressParams&, uint32_t, uint32_t) { return false; }

void Run(const format::SuppressParams& params, std::byte* const* operands) {
  kernels::SuppressShape shape;
  shape.batch = params.batch();
  shape.classes = params.classes();
  shape.boxes = params.boxes();
  shape.max = params.max();
  shape.iou_threshold = params.iou_threshold();
  shape.score_threshold = params.score_threshold();
  shape.centred = params.centred();
  shape.across = params.across();
  shape.decay = params.decay();
  kernels::SuppressResults results = {As<int32_t>(operands[2]), As<float>(operands[3]),
                                      As<int32_t>(operands[4]), As<int32_t>(operands[5])};
  if (shape.decay != 0) {
    results.lowered = As<float>(operands[5] + size_t{sizeof(float)} * params.boxes());
  }
  kernels::Suppress(shape, As<float>(operands[0]), As<float>(operands[1]), results);
}

}  // namespace weft::bind::suppress

WEFT_BIND_STEP(suppress, Suppress)
