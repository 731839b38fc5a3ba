// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier/fourier.h"

#include "runtime/bind/bind.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::fourier {
namespace {

kernels::FourierShape ShapeOf(const format::FourierParams& params) {
  kernels::FourierShape shape;
  shape.lines = params.lines();
  shape.size = params.size();
  shape.x_line_stride = params.x_line_stride();
  shape.y_line_stride = params.y_line_stride();
  shape.scale = params.scale();
  const uint8_t* factors = params.factors()->Data();
  for (uint32_t i = 0; i < kernels::kMaxFourierFactors; ++i) shape.factors[i] = factors[i];
  shape.op = static_cast<kernels::FourierOp>(params.op());
  shape.has_window = params.has_window() != 0;
  return shape;
}

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

Fault Check(const format::FourierParams& params, const OperandSlots& slots) {
  const uint32_t op = static_cast<uint32_t>(params.op());
  ParamChecker check(slots);
  check.RequireZero(params.reserved());
  check.RequireBelow(FaultCode::kParamOp, op, kernels::kFourierOpCount);
  if (!check.fault().ok()) return check.fault();
  const kernels::FourierShape shape = ShapeOf(params);
  if (!IsRealFourier(shape.op)) check.RequireZero(params.has_window());
  check.RequireAtMost(FaultCode::kParamFlag, params.has_window(), 1);
  const uint32_t points = kernels::FourierPoints(shape), product = ProductOf(shape.factors);
  check.Require(points != 0 && product == points, FaultCode::kParamFactors, product, points);
  if (!check.fault().ok()) return check.fault();
  const uint32_t inputs = Clip(kernels::FourierInputs(shape));
  const uint32_t outputs = Clip(kernels::FourierOutputs(shape));
  check.RequireRowsApart(shape.lines, shape.y_line_stride, outputs);
  check.RequireOperand(0, kF32, RowsReach(shape.lines, shape.x_line_stride, inputs));
  check.RequireOperand(1, kF32, Clip(kernels::FourierTableFloats(shape)));
  check.RequireOperand(2, kF32, RowsReach(shape.lines, shape.y_line_stride, outputs));
  check.RequireOperand(3, kF32, Clip(kernels::FourierScratchFloats(shape)));
  return check.fault();
}

// A line of y is used as a buffer while x is read.
bool MayShare(const format::FourierParams&, uint32_t, uint32_t) { return false; }

void Run(const format::FourierParams& params, std::byte* const* operands) {
  kernels::Fourier(ShapeOf(params), As<const float>(operands[0]), As<const float>(operands[1]),
                   As<float>(operands[2]), As<float>(operands[3]));
}

}  // namespace weft::bind::fourier

WEFT_BIND_STEP(fourier, Fourier)
