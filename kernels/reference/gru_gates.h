// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for gru_gates in double.
#ifndef WEFT_KERNELS_REFERENCE_GRU_GATES_H_
#define WEFT_KERNELS_REFERENCE_GRU_GATES_H_

#include "kernels/recurrent/gru_gates.h"
#include "kernels/reference/lstm_gates.h"

namespace weft::kernels {

inline constexpr Tolerance kGruTolerance = {1e-6, 1e-6};

inline double GruGatesReference(const GruGatesShape& s, const float* x_part,
                                const float* recurrent_part, const float* h, size_t row,
                                size_t unit) {
  const float* x = x_part + row * s.x_row_stride + unit;
  const float* r = recurrent_part + row * s.r_row_stride + unit;
  const double update = ActivationReference(s.f, static_cast<double>(x[0]) + r[0]);
  const double reset = ActivationReference(s.f, static_cast<double>(x[s.hidden]) + r[s.hidden]);
  const double candidate = ActivationReference(s.g, x[2 * s.hidden] + reset * r[2 * s.hidden]);
  return (1 - update) * candidate + update * h[row * s.hidden + unit];
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_GRU_GATES_H_
