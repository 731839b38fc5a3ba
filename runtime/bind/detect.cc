// SPDX-License-Identifier: Apache-2.0
#include "kernels/detection/detect.h"

#include "runtime/bind/step.h"

namespace weft::bind::detect {

static void Rules(const format::DetectParams& params, ParamChecker& check) {
  check.RequireAtMost(FaultCode::kParamFlag, params.best_class(), 1);
  check.RequireAtMost(FaultCode::kParamFlag, params.clip(), 1);
  check.Require(params.box_classes() == 1 || params.box_classes() == params.classes(),
                FaultCode::kParamChoice, params.box_classes(), params.classes());
  check.RequireAtMost(FaultCode::kParamChoice, params.kept(), params.rows());
}

void Run(const format::DetectParams& params, std::byte* const* operands) {
  kernels::DetectShape shape;
  WEFT_FIELDS((batch)(priors)(classes)(box_classes)(candidates)(kept)(rows)(background))
  WEFT_FIELDS((score_threshold)(overlap_threshold)(best_class)(clip))
  Call(kernels::Detect, shape, operands);
}

}  // namespace weft::bind::detect

WEFT_BIND_STEP(detect, Detect)
