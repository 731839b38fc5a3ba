// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier/fourier.h"

#include "runtime/bind/step.h"

namespace weft::bind::fourier {
namespace {

// Product of the factors up to the first zero; 0 if a factor is unsupported or follows the zero.
uint32_t ProductOf(const uint8_t (&factors)[kernels::kMaxFourierFactors]) {
  uint32_t product = 1;
  bool has_ended = false;
  for (const uint8_t factor : factors) {
    has_ended = has_ended || factor == 0;
    if (factor == 0) continue;
    if (has_ended || !kernels::IsFourierFactor(factor)) return 0;
    product = Times(product, factor);
  }
  return product;
}

}  // namespace

static void Rules(const format::FourierParams& params, ParamChecker& check) {
  check.RequireBelow(FaultCode::kParamOp, params.op(), kernels::kFourierOpCount);
  if (!check.ok()) return;
  const kernels::FourierShape shape = footprint::ShapeOf(params);
  if (!IsRealFourier(shape.op)) check.RequireZero(params.has_window());
  check.RequireAtMost(FaultCode::kParamFlag, params.has_window(), 1);
  const uint32_t points = kernels::FourierPoints(shape), product = ProductOf(shape.factors);
  check.Require(points != 0 && product == points, FaultCode::kParamFactors, product, points);
}

void Run(const format::FourierParams& params, std::byte* const* operands) {
  kernels::Fourier(footprint::ShapeOf(params), As<const float>(operands[0]),
                   As<const float>(operands[1]), As<float>(operands[2]), As<float>(operands[3]));
}

}  // namespace weft::bind::fourier

WEFT_BIND_STEP(fourier, Fourier)
