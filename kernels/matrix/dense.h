// SPDX-License-Identifier: Apache-2.0
// Dense layer over packed weights: y[r,n] = act(start[r,n] + sum_k x[r,k] * weights[k,n]).
// Each output is one chain of fused multiply-adds over ascending k that begins at start (0
// without). So y is bit-identical on every target and for any number of rows at once. It is also
// bit-identical if the sum is split in two calls and the second starts from the first's result. The
// caller owns all memory; y must not overlap x or weights. y may be start itself when their row
// strides are equal.
#ifndef WEFT_KERNELS_MATRIX_DENSE_H_
#define WEFT_KERNELS_MATRIX_DENSE_H_

#include "kernels/element.h"
#include "kernels/elementwise/activation.h"
#include "kernels/matrix/weights.h"

namespace weft::kernels {

// Strides in elements. x_row_stride 0 and start_row_stride 0 repeat one row.
struct DenseShape {
  uint32_t rows = 0;
  uint32_t inputs = 0;
  uint32_t outputs = 0;
  uint32_t x_row_stride = 0;
  uint32_t y_row_stride = 0;
  uint32_t start_row_stride = 0;
  Activation activation;
};

// `weights` as PackDense lays them out: PackedDenseFloats(outputs, inputs) floats. `start` may be
// null. Only `outputs` floats of each row of y are written. Any extent may be 0.
void Dense(const DenseShape& shape, const float* x, const float* weights, const float* start,
           float* y);

// The same for another weight type, if the program links it (kernels/variants.inc).
#define WEFT_WEIGHTS(name, Name, ...)                                                          \
  void Dense(const DenseShape& shape, const float* x, const Name* weights, const float* start, \
             float* y);
#define WEFT_SCALED_WEIGHTS(name, Name, ...) WEFT_WEIGHTS(name, Name)
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_MATRIX_DENSE_H_
