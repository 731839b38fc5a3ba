// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for gru_reset_cell: the chains, then the references of gru_reset and
// gru_update with their tolerance.
#ifndef WEFT_KERNELS_REFERENCE_GRU_RESET_CELL_H_
#define WEFT_KERNELS_REFERENCE_GRU_RESET_CELL_H_

#include "kernels/recurrent/gru_reset_cell.h"
#include "kernels/reference/gru_reset.h"
#include "kernels/reference/gru_update.h"

namespace weft::kernels {

// `h` is the recurrent input of the gate: the previous h, or reset_h.
inline float GruResetChainReference(const CellShape& s, uint32_t gate, uint32_t unit,
                                    const float* x, const float* weights, const float* h,
                                    const float* start) {
  float sum = start[size_t{gate} * s.hidden + unit];
  for (size_t k = 0; k < size_t{s.inputs} + s.hidden; ++k) {
    const float input = k < s.inputs ? x[k] : h[k - s.inputs];
    sum = std::fmaf(input, weights[GruResetWeightAt(s, gate, unit, k)], sum);
  }
  return sum;
}

inline GruResetResult GruResetGatesReference(const CellShape& s, const float* x,
                                             const float* weights, const float* h,
                                             const float* start, uint32_t unit) {
  const float pre[] = {GruResetChainReference(s, 0, unit, x, weights, h, start),
                       GruResetChainReference(s, 1, unit, x, weights, h, start)};
  GruResetShape gates;
  gates.hidden = 1;
  gates.f.op = UnaryOp::kSigmoid;
  return GruResetReference(gates, pre, h + unit, 0, 0);
}

// Uses reset_h of all units as computed by the kernel.
inline double GruResetCellReference(const CellShape& s, const float* x, const float* weights,
                                    const float* h, const float* reset_h, const float* start,
                                    uint32_t unit) {
  const auto z = static_cast<float>(GruResetGatesReference(s, x, weights, h, start, unit).z);
  const float candidate = GruResetChainReference(s, 2, unit, x, weights, reset_h, start);
  GruUpdateShape update;
  update.hidden = 1;
  update.g.op = UnaryOp::kTanh;
  return GruUpdateReference(update, &candidate, &z, h + unit, 0, 0);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_GRU_RESET_CELL_H_
