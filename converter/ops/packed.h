// SPDX-License-Identifier: Apache-2.0
// Constants laid out the way the matrix steps read them, and the dense step over them. The packed
// bytes become weights of the program; equal ones are stored once. Sizes were checked by shape
// inference.
#ifndef WEFT_CONVERTER_OPS_PACKED_H_
#define WEFT_CONVERTER_OPS_PACKED_H_

#include <cstdint>
#include <span>
#include <vector>

#include "converter/ir/graph.h"
#include "converter/program/builder.h"

namespace weft::ops {

// The elements of an f32 constant, which may lie at any address.
std::vector<float> Floats(const ir::Constant& constant);

// Weight (n, k) is weights[n * output_stride + k * input_stride].
plan::ValueId PackDense(plan::Builder& builder, std::span<const float> weights,
                        int64_t output_stride, int64_t input_stride, int64_t outputs,
                        int64_t inputs);

// `weights` are [groups, out_channels, in_channels, kernel_height, kernel_width], channels per
// group.
plan::ValueId PackConv(plan::Builder& builder, std::span<const float> weights,
                       const format::ConvParams& params);

// y[rows, outputs] = x[rows, inputs] * weights, y contiguous. Rows of x begin `x_row_stride`
// elements apart, which may overlap; 0: they are contiguous, too.
void EmitDense(plan::Builder& builder, int64_t rows, int64_t inputs, int64_t outputs,
               plan::ValueId x, plan::ValueId weights, plan::ValueId y, int64_t x_row_stride = 0);

// The step emitted last fuses with none behind it. Of products that are no MatMul of the graph:
// whether their rows fit an addition may change when time is cut, and with it the rounding.
void KeepLastStepApart(plan::Builder& builder);

// The weights of the step emitted last never become integers.
void KeepLastStepFloat(plan::Builder& builder);

// The dense product emitted last is a convolution of several taps.
void MarkLastStepWindow(plan::Builder& builder);

// The dense product emitted last is a convolution over one place.
void MarkLastStepOnePlace(plan::Builder& builder);

// The dense product emitted last is a product of a constant matrix and one column.
void MarkLastStepOneColumn(plan::Builder& builder);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_PACKED_H_
