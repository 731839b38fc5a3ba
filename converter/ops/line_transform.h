// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of lines as steps: the step `fourier`, or a product with a constant
// matrix where the line is short or its length has a large prime factor.
#ifndef WEFT_CONVERTER_OPS_LINE_TRANSFORM_H_
#define WEFT_CONVERTER_OPS_LINE_TRANSFORM_H_

#include <cstdint>
#include <vector>

#include "converter/ops/operation.h"
#include "kernels/fourier/fourier.h"

namespace weft::ops {

using kernels::FourierOp;

// Formulas in kernels/fourier/fourier.h, the scale of an inverse being 1 / size. A line of x gives
// the first `given` of its numbers; zeros follow.
struct LineTransform {
  FourierOp op = FourierOp::kForward;
  int64_t size = 0, given = 0;
  double scale = 1;            // besides that of an inverse
  std::vector<double> window;  // none, or one for each real number of a line
  int64_t width =
      0;  // floats of a line of y, those behind the results being 0 already; 0: none are
};

// Can it be stored? Else a fault.
bool CheckTransform(InferScope& scope, FourierOp op, int64_t size, int64_t given);

// Floats of a line of y, without what width adds.
int64_t OutputsOf(const LineTransform& transform);

// y[rows, width] = lines of x, which begin `x_row_stride` floats apart and may overlap,
// transformed.
void EmitTransform(plan::Builder& builder, const LineTransform& transform, int64_t rows,
                   int64_t x_row_stride, plan::ValueId x, plan::ValueId y);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_LINE_TRANSFORM_H_
