// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for gru_cell: the chains, then the reference of gru_gates with its
// tolerance.
#ifndef WEFT_KERNELS_REFERENCE_GRU_CELL_H_
#define WEFT_KERNELS_REFERENCE_GRU_CELL_H_

#include "kernels/recurrent/gru_cell.h"
#include "kernels/reference/gru_gates.h"
#include "kernels/reference/lstm_cell.h"

namespace weft::kernels {

inline double GruCellReference(const CellShape& s, const float* x, const float* weights,
                               const float* h, const float* start, const float* r_start,
                               uint32_t unit) {
  float x_part[kGruGates], r_part[kGruGates];
  for (uint32_t gate = 0; gate < kGruGates; ++gate) {
    const size_t row = size_t{gate} * s.hidden + unit;
    x_part[gate] =
        CellChainReference(s, kGruGates, gate, unit, start[row], x, weights, 0, s.inputs);
    r_part[gate] =
        CellChainReference(s, kGruGates, gate, unit, r_start[row], h, weights, s.inputs, s.hidden);
  }
  GruGatesShape gates;
  gates.hidden = 1;
  gates.f.op = UnaryOp::kSigmoid;
  gates.g.op = UnaryOp::kTanh;
  return GruGatesReference(gates, x_part, r_part, h + unit, 0, 0);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_GRU_CELL_H_
