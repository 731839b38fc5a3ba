// SPDX-License-Identifier: Apache-2.0
// Linear maps of the lines along one axis, as constant matrices: Fourier transforms, means of
// uneven windows. Lines that are no neighbours in memory are brought together by a copy and back by
// another; what is cut off or filled up at a line's end goes into the matrix.
#ifndef WEFT_CONVERTER_OPS_LINE_MATRIX_H_
#define WEFT_CONVERTER_OPS_LINE_MATRIX_H_

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

inline constexpr int64_t kMostMatrixWeights = int64_t{1} << 23;

// Can a matrix of so many weights be stored? Else a fault.
bool CheckMatrix(InferScope& scope, int64_t inputs, int64_t outputs);

// y[rows, outputs] = the matrix applied to lines of x that begin `x_row_stride` elements apart.
void EmitMatrix(plan::Builder& builder, const LineMatrix& matrix, int64_t rows,
                int64_t x_row_stride, plan::ValueId x, plan::ValueId y);

// A dense tensor of numbers of `parts` floats each, which lie next to each other.
struct NumberTensor {
  plan::ValueId value;
  Dims dims;  // of the numbers
  int64_t parts;
};

// Maps `rows` lines, which begin `x_row_stride` floats apart, to lines one behind the other.
using LineEmitter =
    std::function<void(int64_t rows, int64_t x_row_stride, plan::ValueId x, plan::ValueId y)>;

// x mapped along `axis` into y, which is made where it is none; a line of the result has `outputs`
// floats, of which `parts` are a number. None of x's extents is 0.
NumberTensor EmitAlong(plan::Builder& builder, const NumberTensor& x, size_t axis, int64_t outputs,
                       int64_t parts, const LineEmitter& emit, plan::ValueId y = plan::kNone);

// x mapped along `axis` into y, which is made where it is none; numbers of the result have `parts`
// floats. The matrix reads the first of a line's floats; none of x's extents is 0.
NumberTensor EmitAlong(plan::Builder& builder, const NumberTensor& x, size_t axis,
                       const LineMatrix& matrix, int64_t parts, plan::ValueId y = plan::kNone);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_LINE_MATRIX_H_
