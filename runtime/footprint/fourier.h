// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_RUNTIME_FOOTPRINT_FOURIER_H_
#define WEFT_RUNTIME_FOOTPRINT_FOURIER_H_

#include "kernels/fourier/fourier.h"
#include "runtime/footprint/footprint.h"

namespace weft::footprint {

inline kernels::FourierShape ShapeOf(const format::FourierParams& p) {
  kernels::FourierShape shape;
  shape.lines = p.lines();
  shape.size = p.size();
  shape.x_line_stride = p.x_line_stride();
  shape.y_line_stride = p.y_line_stride();
  shape.scale = p.scale();
  const uint8_t* factors = p.factors()->Data();
  for (uint32_t i = 0; i < kernels::kMaxFourierFactors; ++i) shape.factors[i] = factors[i];
  shape.op = static_cast<kernels::FourierOp>(p.op());
  shape.has_window = p.has_window() != 0;
  return shape;
}

// A line of y is used as a buffer while x is read.
WEFT_FOOTPRINT(Fourier) {
  const kernels::FourierShape shape = ShapeOf(p);
  v.Reads(0, kF32, Rows{p.lines(), p.x_line_stride(), Clip(kernels::FourierInputs(shape))});
  v.Reads(1, kF32, Clip(kernels::FourierTableFloats(shape)));
  v.Writes(2, kF32, Rows{p.lines(), p.y_line_stride(), Clip(kernels::FourierOutputs(shape))});
  v.Writes(3, kF32, Clip(kernels::FourierScratchFloats(shape)));
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_FOURIER_H_
