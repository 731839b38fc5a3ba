// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/conv_q8.h"

#include "kernels/matrix/pack.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/code_range.h"
#include "runtime/bind/maps.h"
#include "runtime/bind/param_checker.h"

namespace weft::bind::conv_q8 {
Fault Check(const format::ConvQ8Params& params, const OperandSlots& slots) {
  ParamChecker check(slots);
  check.RequireZero(params.reserved0());
  check.RequireZero(params.reserved1());
  RequireWindows(check, params);
  const MapExtents x = InputMap(params, Times(params.groups(), params.in_channels()));
  const MapExtents y = OutputMap(params, Times(params.groups(), params.out_channels()));
  const uint32_t inputs =
      Times(Times(params.kernel_height(), params.kernel_width()), params.in_channels());
  const uint32_t padded =
      Times(Clip(kernels::PanelCount(params.out_channels())), kernels::kPanelOutputs);
  const uint32_t weights =
      Times(Times(padded, params.groups()), Clip(kernels::PaddedInputs(inputs)));
  check.RequireApart(y, params.y());
  check.RequireOperand(0, kI8, MapReach(x, params.x()));
  RequireProduct(check, params.codes(), params.activation(), inputs, weights, y.channels);
  check.RequireOperand(4, kF32, y.channels);
  check.RequireOperand(5, params.codes().type(), MapReach(y, params.y()));
  const bool is_direct = kernels::ConvQ8IsDirect(params);
  check.RequireOperand(6, kI8, Clip(kernels::ConvQ8ScratchBytes(is_direct, inputs)));
  return check.fault();
}

bool MayShare(const format::ConvQ8Params&, uint32_t, uint32_t) { return false; }

void Run(const format::ConvQ8Params& params, std::byte* const* operands) {
  kernels::ConvQ8Shape shape;
  AssignConv(shape, params);
  shape.results = ResultsOf(params.codes());
  shape.x_zero = params.x_zero();
  int8_t* const scratch = kernels::ConvQ8IsDirect(params) ? nullptr : As<int8_t>(operands[6]);
  kernels::ConvQ8(shape, As<const int8_t>(operands[0]), As<const int8_t>(operands[1]),
                  FactorsOf(operands), operands[5], scratch);
}

}  // namespace weft::bind::conv_q8

WEFT_BIND_STEP(conv_q8, ConvQ8)
