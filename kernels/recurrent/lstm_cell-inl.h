// SPDX-License-Identifier: Apache-2.0
// LstmCell for weights of any type, included by lstm_cell.cc and lstm_cell_<type>.cc.

#if defined(WEFT_KERNELS_RECURRENT_LSTM_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_LSTM_CELL_INL_H_
#undef WEFT_KERNELS_RECURRENT_LSTM_CELL_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_LSTM_CELL_INL_H_
#endif

#include "kernels/recurrent/cell-inl.h"
#include "kernels/recurrent/lstm-inl.h"
#include "kernels/recurrent/lstm_cell.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <class Weight>
struct LstmCellAt {
  CellOperands<kLstmGates, Weight> operands;
  const float* c;
  const float* start;
  float* h_next;
  float* c_next;

#if HWY_TARGET == HWY_SCALAR
  // Computes the sums of a gate of a block; its weights begin at `gate`.
  HWY_NOINLINE void Sum(WeightsOf<Weight> gate, const float* from, float* to) const {
    operands.AddHidden(gate, operands.AddInputs(gate, from, to), to);
  }

  HWY_INLINE void RunBlock(size_t unit) const {
    float a[kPanel];
    float b[kPanel];
    const size_t hidden = operands.shape.hidden;
    const WeightsOf<Weight> gates = operands.OfInputs(unit);
    const float* from = start + unit;
    float* out = h_next + unit;
    float* cells = c_next + unit;
    Sum(operands.Gate(gates, 1), from + hidden, a);
    Sum(operands.Gate(gates, 2), from + 2 * hidden, b);
    GateLstmUnits(a, b, a, kPanel);
    Sum(gates, from, b);
    KeepLstmUnits(b, c + unit, a, cells, kPanel);
    Sum(operands.Gate(gates, 3), from + 3 * hidden, a);
    GateLstmUnits(a, cells, out, kPanel);
  }

  WEFT_SMALL void RunRest() const {
    float sums[kLstmGates * kPanel];
    operands.StartRest(start, sums);
    operands.AddRestInputs(sums);
    operands.AddRestHidden(sums);
    const size_t units = operands.RestUnits();
    float* cells = c_next + operands.RestUnit();
    GateLstmUnits(sums + units, sums + 2 * units, sums + units, units);
    KeepLstmUnits(sums, c + operands.RestUnit(), sums + units, cells, units);
    GateLstmUnits(sums + 3 * units, cells, h_next + operands.RestUnit(), units);
  }
#else
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void Run(size_t unit) const {
    CellSums<kLstmGates, kBlocks, kRest> sums;
    operands.Start(start, unit, sums);
    operands.AddInputs(unit, sums);
    operands.AddHidden(unit, sums);
    HWY_UNROLL(16)
    for (size_t v = 0; v < kBlocks * kPanelVectors; ++v) {
      const size_t at = unit + v * kLanes;
      LstmUnits(sums.Of(0, v), sums.Of(1, v), sums.Of(2, v), sums.Of(3, v), c + at, h_next + at,
                c_next + at, kLanes);
    }
    HWY_UNROLL(16)
    for (size_t v = 0; v < sums.kRestVectors; ++v) {
      const size_t at = operands.RestUnit() + v * kLanes;
      LstmUnits(sums.Rest(0, v), sums.Rest(1, v), sums.Rest(2, v), sums.Rest(3, v), c + at,
                h_next + at, c_next + at, sums.RestLanes(v));
    }
  }
#endif
};

template <class Weight>
HWY_INLINE void RunLstmCell(const CellShape& shape, const float* x, const Weight* weights,
                            const float* h, const float* c, const float* start, float* h_next,
                            float* c_next) {
  const CellOperands<kLstmGates, Weight> operands = {
      shape, x, FirstCellWeight(weights, kLstmGates, shape), h};
  RunCell<kLstmGates, Weight>(LstmCellAt<Weight>{operands, c, start, h_next, c_next}, shape);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_LSTM_CELL_INL_H_
