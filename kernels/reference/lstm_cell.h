// SPDX-License-Identifier: Apache-2.0
// Scalar reference kernel for lstm_cell: the chains, then the reference of lstm_gates with its
// tolerance.
#ifndef WEFT_KERNELS_REFERENCE_LSTM_CELL_H_
#define WEFT_KERNELS_REFERENCE_LSTM_CELL_H_

#include "kernels/recurrent/lstm_cell.h"
#include "kernels/reference/lstm_gates.h"

namespace weft::kernels {

// sum + x * weights of inputs [first, first + count).
inline float CellChainReference(const CellShape& s, uint32_t gates, uint32_t gate, uint32_t unit,
                                float sum, const float* x, const float* weights, size_t first,
                                size_t count) {
  for (size_t k = 0; k < count; ++k) {
    sum = std::fmaf(x[k], weights[CellWeightAt(s, gates, gate, unit, first + k)], sum);
  }
  return sum;
}

inline LstmGatesResult LstmCellReference(const CellShape& s, const float* x, const float* weights,
                                         const float* h, const float* c, const float* start,
                                         uint32_t unit) {
  float sums[kLstmGates];
  for (uint32_t gate = 0; gate < kLstmGates; ++gate) {
    const float of_x = CellChainReference(s, kLstmGates, gate, unit, start[gate * s.hidden + unit],
                                          x, weights, 0, s.inputs);
    sums[gate] =
        CellChainReference(s, kLstmGates, gate, unit, of_x, h, weights, s.inputs, s.hidden);
  }
  LstmGatesShape gates;
  gates.hidden = 1;
  gates.f.op = UnaryOp::kSigmoid;
  gates.g.op = gates.h.op = UnaryOp::kTanh;
  return LstmGatesReference(gates, sums, c + unit, 0, 0);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REFERENCE_LSTM_CELL_H_
