// SPDX-License-Identifier: Apache-2.0
// Geometry shared by the steps that multiply rows by weights, derived from their parameters.
#ifndef WEFT_RUNTIME_BIND_ROWS_H_
#define WEFT_RUNTIME_BIND_ROWS_H_

#include "kernels/matrix/dense.h"
#include "runtime/bind/bind.h"

namespace weft::bind {

template <typename Params>
__attribute__((always_inline)) inline void AssignRows(kernels::DenseShape& shape,
                                                      const Params& params) {
  shape.rows = params.rows();
  shape.inputs = params.inputs();
  shape.outputs = params.outputs();
  shape.x_row_stride = params.x_row_stride();
  shape.y_row_stride = params.y_row_stride();
  shape.start_row_stride = params.start_row_stride();
  shape.activation = ActivationOf(params.activation());
}

}  // namespace weft::bind

#endif  // WEFT_RUNTIME_BIND_ROWS_H_
