// SPDX-License-Identifier: Apache-2.0
// GruResetCell for weights of any type, included by gru_reset_cell.cc and gru_reset_cell_<type>.cc.
// Two passes over the units: the first computes z, stored in h', and r * h of all units; the second
// computes the candidates, whose product is over r * h.

#if defined(WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_INL_H_
#undef WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_INL_H_
#endif

#include "kernels/recurrent/cell-inl.h"
#include "kernels/recurrent/gru_reset-inl.h"
#include "kernels/recurrent/gru_reset_cell.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <class Weight>
struct GruResetGatesAt {
  CellOperands<kGruResetGates, Weight> operands;
  const float* start;
  float* z;
  float* reset_h;

#if HWY_TARGET == HWY_SCALAR
  HWY_INLINE void Sum(WeightsOf<Weight> gate, const float* from, float* to) const {
    operands.AddHidden(gate, operands.AddInputs(gate, from, to), to);
  }

  HWY_INLINE void RunBlock(size_t unit) const {
    const WeightsOf<Weight> weights = operands.OfInputs(unit);
    Sum(weights, start + unit, z + unit);
    Sum(operands.Gate(weights, 1), start + operands.shape.hidden + unit, reset_h + unit);
    ResetGruUnits(z + unit, reset_h + unit, operands.h + unit, z + unit, reset_h + unit, kPanel);
  }

  WEFT_SMALL void RunRest() const {
    float sums[kGruResetGates * kPanel];
    operands.StartRest(start, sums);
    operands.AddRestInputs(sums);
    operands.AddRestHidden(sums);
    const size_t units = operands.RestUnits(), unit = operands.RestUnit();
    ResetGruUnits(sums, sums + units, operands.h + unit, z + unit, reset_h + unit, units);
  }
#else
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void Run(size_t unit) const {
    CellSums<kGruResetGates, kBlocks, kRest> sums;
    operands.Start(start, unit, sums);
    operands.AddInputs(unit, sums);
    operands.AddHidden(unit, sums);
    HWY_UNROLL(16)
    for (size_t v = 0; v < kBlocks * kPanelVectors; ++v) {
      const size_t at = unit + v * kLanes;
      ResetGruUnits(sums.Of(0, v), sums.Of(1, v), operands.h + at, z + at, reset_h + at, kLanes);
    }
    HWY_UNROLL(16)
    for (size_t v = 0; v < sums.kRestVectors; ++v) {
      const size_t at = operands.RestUnit() + v * kLanes;
      ResetGruUnits(sums.Rest(0, v), sums.Rest(1, v), operands.h + at, z + at, reset_h + at,
                    sums.RestLanes(v));
    }
  }
#endif
};

// `strided_iterator.h` is r * h.
template <class Weight>
struct GruCandidateAt {
  CellOperands<1, Weight> operands;
  const float* start;
  const float* h;
  float* h_next;  // holds z

#if HWY_TARGET == HWY_SCALAR
  HWY_INLINE void RunBlock(size_t unit) const {
    float sums[kPanel];
    const WeightsOf<Weight> weights = operands.OfInputs(unit);
    operands.AddHidden(weights, operands.AddInputs(weights, start + unit, sums), sums);
    UpdateGruUnits(sums, h + unit, h_next + unit, kPanel);
  }

  WEFT_SMALL void RunRest() const {
    float sums[kPanel];
    operands.StartRest(start, sums);
    operands.AddRestInputs(sums);
    operands.AddRestHidden(sums);
    const size_t unit = operands.RestUnit();
    UpdateGruUnits(sums, h + unit, h_next + unit, operands.RestUnits());
  }
#else
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void Run(size_t unit) const {
    CellSums<1, kBlocks, kRest> sums;
    operands.Start(start, unit, sums);
    operands.AddInputs(unit, sums);
    operands.AddHidden(unit, sums);
    HWY_UNROLL(16)
    for (size_t v = 0; v < kBlocks * kPanelVectors; ++v) {
      const size_t at = unit + v * kLanes;
      UpdateGruUnits(sums.Of(0, v), h + at, h_next + at, kLanes);
    }
    HWY_UNROLL(16)
    for (size_t v = 0; v < sums.kRestVectors; ++v) {
      const size_t at = operands.RestUnit() + v * kLanes;
      UpdateGruUnits(sums.Rest(0, v), h + at, h_next + at, sums.RestLanes(v));
    }
  }
#endif
};

template <class Weight>
HWY_INLINE void RunGruResetCell(const CellShape& shape, const float* x, const Weight* weights,
                                const float* h, const float* start, float* h_next, float* reset_h) {
  const Weight* candidate =
      weights + MemoryOf<Weight>(CellWeights(kGruResetGates, shape.inputs, shape.hidden),
                                 CellScales(kGruResetGates, shape.hidden));
  const float* candidate_start = start + kGruResetGates * size_t{shape.hidden};
  const CellOperands<kGruResetGates, Weight> gates = {
      shape, x, FirstCellWeight(weights, kGruResetGates, shape), h};
  const CellOperands<1, Weight> last = {shape, x, FirstCellWeight(candidate, 1, shape), reset_h};
  RunCell<kGruResetGates, Weight>(GruResetGatesAt<Weight>{gates, start, h_next, reset_h}, shape);
  RunCell<1, Weight>(GruCandidateAt<Weight>{last, candidate_start, h, h_next}, shape);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_GRU_RESET_CELL_INL_H_
