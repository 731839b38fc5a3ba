// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/detect.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::detect {

Fault Check(const format::DetectParams& params, const OperandSlots& slots) {
  const uint32_t priors = Times(params.batch(), params.priors());
  ParamChecker check(slots);
  check.RequireAtMost(FaultCode::kParamFlag, params.best_class(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.clip(), 1);
  check.RequireZero(params.reserved());
  check.Require(params.box_classes() == 1 || params.box_classes() == params.classes(),
                FaultCode::kParamChoice, params.box_classes(), params.classes());
  check.RequireAtMost(FaultCode::kParamChoice, params.kept(), params.rows());
  check.RequireOperand(0, kF32, Times(Times(priors, params.box_classes()), 4));
  check.RequireOperand(1, kF32, Times(priors, params.classes()));
  check.RequireOperand(2, kF32, Times(Times(params.batch(), params.rows()), 7));
  check.RequireOperand(3, format::ElementType::i32, Plus(params.priors(), params.kept()));
  return check.fault();
}

bool MayShare(const format::DetectParams&, uint32_t, uint32_t) { return false; }

void Run(const format::DetectParams& params, std::byte* const* operands) {
  kernels::DetectShape shape;
  shape.batch = params.batch();
  shape.priors = params.priors();
  shape.classes = params.classes();
  shape.box_classes = params.box_classes();
  shape.candidates = params.candidates();
  shape.kept = params.kept();
  shape.rows = params.rows();
  shape.background = params.background();
  shape.score_threshold = params.score_threshold();
  shape.overlap_threshold = params.overlap_threshold();
  shape.best_class = params.best_class();
  shape.clip = params.clip();
  kernels::Detect(shape, As<float>(operands[0]), As<float>(operands[1]), As<float>(operands[2]),
                  As<int32_t>(operands[3]));
}

}  // namespace weft::bind::detect

WEFT_BIND_STEP(detect, Detect)
