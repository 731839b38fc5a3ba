// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for gru_update in double; the tolerance is kGruTolerance.
#ifndef WEFT_KERNELS_REFERENCE_GRU_UPDATE_H_
#define WEFT_KERNELS_REFERENCE_GRU_UPDATE_H_

#include "kernels/recurrent/gru_update.h"
#include "kernels/reference/gru_gates.h"

namespace weft::kernels {

inline double GruUpdateReference(const GruUpdateShape& s, const float* pre, const float* z,
                                 const float* h, size_t row, size_t unit) {
  const size_t at = row * s.hidden + unit;
  const double candidate = ActivationReference(s.g, pre[row * s.pre_row_stride + unit]);
  return (1 - static_cast<double>(z[at])) * candidate + static_cast<double>(z[at]) * h[at];
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_GRU_UPDATE_H_
