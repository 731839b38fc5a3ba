// SPDX-License-Identifier: Apache-2.0
// Scalar twin of gru_update in double; the tolerance is kGruTolerance.
#ifndef WEFT_KERNELS_GRU_UPDATE_REF_H_
#define WEFT_KERNELS_GRU_UPDATE_REF_H_

#include "kernels/gru_gates_ref.h"
#include "kernels/gru_update.h"

namespace weft::kernels {

inline double GruUpdateTwin(const GruUpdateShape& s, const float* pre, const float* z,
                            const float* h, size_t row, size_t unit) {
  const size_t at = row * s.hidden + unit;
  const double candidate = ActivationTwin(s.g, pre[row * s.pre_row_stride + unit]);
  return (1 - static_cast<double>(z[at])) * candidate + static_cast<double>(z[at]) * h[at];
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_GRU_UPDATE_REF_H_
