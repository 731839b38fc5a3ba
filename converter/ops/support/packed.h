// SPDX-License-Identifier: Apache-2.0
// Packs constant matrices into the layouts of the matrix steps, and emits the dense step. Packed
// bytes become weights of the program; equal ones are stored once. Shape inference has checked all
// sizes.
#ifndef WEFT_CONVERTER_OPS_SUPPORT_PACKED_H_
#define WEFT_CONVERTER_OPS_SUPPORT_PACKED_H_

#include <cstdint>
#include <vector>

#include "converter/base/quantisation.h"
#include "converter/ir/graph.h"
#include "converter/program/builder.h"

namespace weft::ops {

// The elements of an f32 constant, whose bytes need not be aligned.
std::vector<float> Floats(const ir::Constant& constant);
// The same with their quantisation.
CodedFloats CodedFloatsOf(const ir::Constant& constant);

// Packs the weights of a dense step. Weight (output n, input k) is weights[n * output_stride + k *
// input_stride].
program::ValueId PackDense(program::Builder& builder, const CodedFloats& weights,
                           int64_t output_stride, int64_t input_stride, int64_t outputs,
                           int64_t inputs);

// Packs the weights of a conv step. `weights` are [groups, out_channels, in_channels,
// kernel_height, kernel_width], with channel counts per group.
program::ValueId PackConv(program::Builder& builder, const CodedFloats& weights,
                          const format::ConvParams& params);

// Emits y[rows, outputs] = x[rows, inputs] * weights with contiguous y. Rows of x are
// `x_row_stride` elements apart and may overlap; 0: they are contiguous.
void EmitDense(program::Builder& builder, int64_t rows, int64_t inputs, int64_t outputs,
               program::ValueId x, program::ValueId weights, program::ValueId y,
               int64_t x_row_stride = 0);

// Excludes the last emitted step from fusion with the steps after it. Use it for products that are
// not a MatMul of the graph: streaming may change whether their rows match an addition. Fusing that
// addition would change the rounding.
void ExcludeLastStepFromFusion(program::Builder& builder);

// Keeps the weights of the last emitted step in floating point; they are never quantised.
void KeepLastStepFloat(program::Builder& builder);

// Marks the last emitted dense product as a convolution with several taps.
void MarkLastStepWindow(program::Builder& builder);

// Marks the last emitted dense product as a convolution with one output position.
void MarkLastStepOnePosition(program::Builder& builder);

// Marks the last emitted dense product as a constant matrix times a single column.
void MarkLastStepOneColumn(program::Builder& builder);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_PACKED_H_
