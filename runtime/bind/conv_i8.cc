// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_i8.h"

#include "kernels/matrix/weights.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/maps.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::conv_i8 {

Fault Check(const format::ConvI8Params& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  RequireWindows(check, params);
  const MapExtents x = InputMap(params, Times(params.groups(), params.in_channels()));
  const MapExtents y = OutputMap(params, Times(params.groups(), params.out_channels()));
  check.RequireApart(y, params.y());
  const uint32_t inputs =
      Times(Times(params.kernel_height(), params.kernel_width()), params.in_channels());
  const format::ElementType type = RequireRows(check, params.max(), inputs);
  const uint32_t panels = Clip(kernels::PanelCount(params.out_channels()));
  const uint32_t padded = Times(Times(panels, kernels::kPanelOutputs), params.groups());
  const uint32_t pixels = kernels::ConvI8Pixels(params.out_height(), params.out_width());
  const uint64_t patches =
      kernels::ConvI8PatchFloats(pixels, inputs, params.out_channels(), params.y().channel());
  check.RequireOperand(0, type, MapReach(x, params.x()));
  check.RequireOperand(1, format::ElementType::i8,
                       Times(padded, Clip(kernels::PaddedInputs(inputs))));
  check.RequireAlignment(1, kernels::kWeightsAlignment);
  check.RequireOperand(2, kF32, padded);
  check.RequireOperand(3, kF32, y.channels);
  check.RequireOperand(4, kF32, MapReach(y, params.y()));
  check.RequireOperand(5, kF32, Clip(patches));
  check.RequireOperand(6, format::ElementType::i16,
                       Clip(kernels::DenseI8ScratchShorts(pixels, inputs)));
  check.RequireAlignment(6, kernels::kWeightsAlignment);
  return check.fault();
}

bool MayShare(const format::ConvI8Params&, uint32_t, uint32_t) { return false; }

void Run(const format::ConvI8Params& params, std::byte* const* operands) {
  kernels::ConvI8Shape shape;
  AssignConv(shape, params);
  shape.max = params.max();
  kernels::ConvI8(shape, operands[0], As<const int8_t>(operands[1]), As<const float>(operands[2]),
                  As<const float>(operands[3]), As<float>(operands[4]), As<float>(operands[5]),
                  As<int16_t>(operands[6]));
}

}  // namespace weft::bind::conv_i8

WEFT_BIND_STEP(conv_i8, ConvI8)
