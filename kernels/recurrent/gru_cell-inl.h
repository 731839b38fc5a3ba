// SPDX-License-Identifier: Apache-2.0
// GruCell for weights of any type, included by gru_cell.cc and gru_cell_<type>.cc.

#if defined(WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_
#undef WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_
#endif

#include "kernels/recurrent/cell-inl.h"
#include "kernels/recurrent/gru-inl.h"
#include "kernels/recurrent/gru_cell.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

template <class Weight>
struct GruCellAt {
  CellOperands<kGruGates, Weight> operands;
  const float* start;
  const float* r_start;
  float* h_next;

#if HWY_TARGET == HWY_SCALAR
  // Computes both parts of a gate of a block. Its weights begin at `gate`, its units at `row`.
  // Returns the address of the x part.
  HWY_NOINLINE const float* Sum(WeightsOf<Weight> gate, size_t row, float* x_part,
                                float* r_part) const {
    operands.AddHidden(gate, r_start + row, r_part);
    return operands.AddInputs(gate, start + row, x_part);
  }

  HWY_INLINE void RunBlock(size_t unit) const {
    float r[kPanel];
    float x_part[kPanel];
    float r_part[kPanel];
    float* out = h_next + unit;  // holds z until it is complete
    WeightsOf<Weight> weights = operands.OfInputs(unit);
    size_t row = unit;
    for (size_t gate = 0; gate < 2; ++gate) {
      const float* from = Sum(weights, row, x_part, r_part);
      GateGruUnits(from, r_part, gate == 0 ? out : r, kPanel);
      weights = operands.Gate(weights, 1);
      row += operands.shape.hidden;
    }
    const float* from = Sum(weights, row, x_part, r_part);
    FinishGruUnits(out, r, from, r_part, operands.h + unit, out, kPanel);
  }

  WEFT_SMALL void RunRest() const {
    float x_part[kGruGates * kPanel];
    float r_part[kGruGates * kPanel];
    operands.StartRest(start, x_part);
    operands.AddRestInputs(x_part);
    operands.StartRest(r_start, r_part);
    operands.AddRestHidden(r_part);
    const size_t units = operands.RestUnits();
    GateGruUnits(x_part, r_part, x_part, 2 * units);  // z, then r
    FinishGruUnits(x_part, x_part + units, x_part + 2 * units, r_part + 2 * units,
                   operands.h + operands.RestUnit(), h_next + operands.RestUnit(), units);
  }
#else
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void Run(size_t unit) const {
    CellSums<kGruGates, kBlocks, kRest> x_part, r_part;
    operands.Start(start, unit, x_part);
    operands.AddInputs(unit, x_part);
    operands.Start(r_start, unit, r_part);
    operands.AddHidden(unit, r_part);
    HWY_UNROLL(16)
    for (size_t v = 0; v < kBlocks * kPanelVectors; ++v) {
      const size_t at = unit + v * kLanes;
      GruUnits({x_part.Of(0, v), x_part.Of(1, v), x_part.Of(2, v)},
               {r_part.Of(0, v), r_part.Of(1, v), r_part.Of(2, v)}, operands.h + at, h_next + at,
               kLanes);
    }
    HWY_UNROLL(16)
    for (size_t v = 0; v < x_part.kRestVectors; ++v) {
      const size_t at = operands.RestUnit() + v * kLanes;
      if constexpr (kRest == kHalfRest) {  // one vector has both gates
        const FloatTag tag;
        const hn::Half<FloatTag> half;
        const auto& x = x_part.rest[v];
        const auto& r = r_part.rest[v];
        const FloatVec gates =
            Sigmoid(hn::Add(hn::Combine(tag, x[1], x[0]), hn::Combine(tag, r[1], r[0])));
        FinishGruUnits(hn::ZeroExtendVector(tag, hn::LowerHalf(half, gates)),
                       hn::ZeroExtendVector(tag, hn::UpperHalf(half, gates)), x_part.Rest(2, v),
                       r_part.Rest(2, v), operands.h + at, h_next + at, x_part.RestLanes(v));
      } else {
        GruUnits({x_part.Rest(0, v), x_part.Rest(1, v), x_part.Rest(2, v)},
                 {r_part.Rest(0, v), r_part.Rest(1, v), r_part.Rest(2, v)}, operands.h + at,
                 h_next + at, x_part.RestLanes(v));
      }
    }
  }
#endif
};

template <class Weight>
HWY_INLINE void RunGruCell(const CellShape& shape, const float* x, const Weight* weights,
                           const float* h, const float* start, const float* r_start,
                           float* h_next) {
  const CellOperands<kGruGates, Weight> operands = {shape, x,
                                                    FirstCellWeight(weights, kGruGates, shape), h};
  RunCell<kGruGates, Weight>(GruCellAt<Weight>{operands, start, r_start, h_next}, shape);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_
