// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix/dense.h"

#include "kernels/matrix/pack.h"
#include "runtime/bind/bind.h"
#include "runtime/bind/narrow.h"
#include "runtime/bind/param_checker.h"
#include "runtime/bind/rows.h"

namespace weft::kernels {
#define WEFT_WEIGHTS(name, Name, ...)                                                            \
  __attribute__((weak)) void Dense(const DenseShape& shape, const float* x, const Name* weights, \
                                   const float* start, float* y);
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS
}  // namespace weft::kernels

namespace weft::bind::dense {
namespace {

template <bool is_narrow>
__attribute__((always_inline)) inline Fault CheckAs(const format::DenseParams& params,
                                                    const OperandSlots& slots) {
  const uint32_t rows = params.rows();
  const uint32_t outputs = params.outputs();
  const uint32_t padded =
      Times(outputs / kernels::kPanelOutputs + (outputs % kernels::kPanelOutputs != 0),
            kernels::kPanelOutputs);
  ParamChecker check(slots);
  check.RequireActivation(params.activation());
  check.RequireRowsApart(rows, params.y_row_stride(), outputs);
  check.RequireOperand(0, kF32, RowsReach(rows, params.x_row_stride(), params.inputs()));
  const uint32_t weights = Times(padded, params.inputs());
  if constexpr (is_narrow) {
    RequireWeights(check, params, weights);
  } else {
    check.RequireOperand(1, kF32, weights);
  }
  check.RequireOperand(2, kF32, RowsReach(rows, params.start_row_stride(), outputs));
  check.RequireOperand(3, kF32, RowsReach(rows, params.y_row_stride(), outputs));
  return check.fault();
}

__attribute__((always_inline)) inline kernels::DenseShape ShapeOf(
    const format::DenseParams& params) {
  kernels::DenseShape shape;
  AssignRows(shape, params);
  return shape;
}

template <typename Weight>
__attribute__((always_inline)) inline void Run(const kernels::DenseShape& shape,
                                               std::byte* const* operands) {
  kernels::Dense(shape, As<const float>(operands[0]), As<const Weight>(operands[1]),
                 As<const float>(operands[2]), As<float>(operands[3]));
}

}  // namespace

Fault Check(const format::DenseParams& params, const OperandSlots& slots) {
  return CheckAs<false>(params, slots);
}
Fault CheckNarrow(const format::DenseParams& params, const OperandSlots& slots) {
  return CheckAs<true>(params, slots);
}

// Each output is read from start before it is written.
bool MayShare(const format::DenseParams& params, uint32_t input, uint32_t) {
  return input == 2 && (params.rows() <= 1 || params.start_row_stride() == params.y_row_stride());
}

void Run(const format::DenseParams& params, std::byte* const* operands) {
  Run<float>(ShapeOf(params), operands);
}
void RunNarrow(const format::DenseParams& params, std::byte* const* operands) {
  const kernels::DenseShape shape = ShapeOf(params);
  WithWeights(params.weights(), [&](auto weight) { Run<decltype(weight)>(shape, operands); });
}

}  // namespace weft::bind::dense

WEFT_BIND_STEP(dense, Dense)
WEFT_BIND_NARROW_STEP(dense, Dense)
