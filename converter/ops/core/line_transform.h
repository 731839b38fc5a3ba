// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of lines as steps: the step `fourier`, or a product with a constant
// matrix if the line is short or its length has a large prime factor.
#ifndef WEFT_CONVERTER_OPS_CORE_LINE_TRANSFORM_H_
#define WEFT_CONVERTER_OPS_CORE_LINE_TRANSFORM_H_

#include <cstdint>
#include <vector>

#include "converter/ops/operation.h"
#include "kernels/fourier/fourier.h"

namespace weft::ops {

using kernels::FourierOp;

// Formulas are in kernels/fourier/fourier.h; the scale of an inverse is 1 / size. A line of x
// supplies the first `given` numbers, followed by zeros.
struct LineTransform {
  FourierOp op = FourierOp::kForward;
  int64_t size = 0, given = 0;
  double scale = 1;            // in addition to that of an inverse
  std::vector<double> window;  // empty, or one factor per real number of a line
  // Floats of a line of y; those after the results are already 0. 0: no more than the results.
  int64_t width = 0;
};

// Returns true if the transform can be stored; else reports an error.
bool CheckTransform(InferScope& scope, FourierOp op, int64_t size, int64_t given);

// Floats of a line of y, without the padding of `width`.
int64_t OutputsOf(const LineTransform& transform);

// y[rows, width] = the transforms of lines of x, which begin every `x_row_stride` floats and may
// overlap.
void EmitTransform(program::Builder& builder, const LineTransform& transform, int64_t rows,
                   int64_t x_row_stride, program::ValueId x, program::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_LINE_TRANSFORM_H_
