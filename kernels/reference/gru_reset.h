// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for gru_reset in double; the tolerance is kGruTolerance.
#ifndef WEFT_KERNELS_REFERENCE_GRU_RESET_H_
#define WEFT_KERNELS_REFERENCE_GRU_RESET_H_

#include "kernels/recurrent/gru_reset.h"
#include "kernels/reference/gru_gates.h"

namespace weft::kernels {

struct GruResetResult {
  double z;
  double reset_h;
};

inline GruResetResult GruResetReference(const GruResetShape& s, const float* pre, const float* h,
                                        size_t row, size_t unit) {
  const float* gates = pre + row * s.pre_row_stride + unit;
  return {ActivationReference(s.f, gates[0]),
          ActivationReference(s.f, gates[s.hidden]) * h[row * s.hidden + unit]};
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_GRU_RESET_H_
