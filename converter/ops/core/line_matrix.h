// SPDX-License-Identifier: Apache-2.0
// Linear maps of the lines along one axis, as constant matrices: Fourier transforms, means of
// uneven windows. Lines that are not contiguous are gathered by a copy and moved back by another.
// Cropping and zero padding of a line are part of the matrix.
#ifndef WEFT_CONVERTER_OPS_CORE_LINE_MATRIX_H_
#define WEFT_CONVERTER_OPS_CORE_LINE_MATRIX_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/ops/operation.h"

namespace weft::ops {

// outputs[i] = sum over j of weights[i * inputs + j] * inputs[j]
struct LineMatrix {
  int64_t inputs = 0, outputs = 0;
  std::vector<float> weights;
};

// Limit of CheckMatrix.
inline constexpr int64_t kMaxMatrixWeights = int64_t{1} << 23;

// Returns true if a matrix of this size can be stored; else reports an error.
bool CheckMatrix(InferScope& scope, int64_t inputs, int64_t outputs);

// y[rows, outputs] = the matrix applied to lines of x that begin every `x_row_stride` elements.
void EmitMatrix(program::Builder& builder, const LineMatrix& matrix, int64_t rows,
                int64_t x_row_stride, program::ValueId x, program::ValueId y);

// A dense tensor of numbers that are `parts` adjacent floats each.
struct NumberTensor {
  program::ValueId value;
  Dims dims;  // of the numbers
  int64_t parts;
};

// Maps `rows` lines, which begin every `x_row_stride` floats, to contiguous lines.
using LineEmitter =
    std::function<void(int64_t rows, int64_t x_row_stride, program::ValueId x, program::ValueId y)>;

// Maps x along `axis` into y, which is created if it is kNone. A line of the result has `outputs`
// floats, `parts` per number. No extent of x may be 0.
NumberTensor EmitAlong(program::Builder& builder, const NumberTensor& x, size_t axis,
                       int64_t outputs, int64_t parts, const LineEmitter& emit,
                       program::ValueId y = program::kNone);

// Maps x along `axis` into y, which is created if it is kNone. Numbers of the result have `parts`
// floats. The matrix reads the first floats of a line. No extent of x may be 0.
NumberTensor EmitAlong(program::Builder& builder, const NumberTensor& x, size_t axis,
                       const LineMatrix& matrix, int64_t parts,
                       program::ValueId y = program::kNone);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_LINE_MATRIX_H_
