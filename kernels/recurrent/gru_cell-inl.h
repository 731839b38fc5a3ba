// SPDX-License-Identifier: Apache-2.0
// GruCell for weights of any type: gru_cell.cc and gru_cell_<type>.cc are this.

#if defined(WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_
#undef WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_
#endif

#include "kernels/recurrent/cell-inl.h"
#include "kernels/recurrent/gru_cell.h"
#include "kernels/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// The first `lanes` of a vector of units, from both parts of their sums in order z r h.
HWY_INLINE void GruUnits(const FloatVec (&x)[kGruGates], const FloatVec (&r)[kGruGates],
                         const float* h, float* h_next, size_t lanes) {
  const FloatVec z = Sigmoid(hn::Add(x[0], r[0]));
  const FloatVec reset = Sigmoid(hn::Add(x[1], r[1]));
  const FloatVec candidate = Tanh(Fma(reset, r[2], x[2]));
  const FloatVec distance = hn::Sub(LoadFirst(h, lanes), candidate);
  StoreFirst(Fma(z, distance, candidate), h_next, lanes);
}
#endif

template <class Weight>
struct GruCellAt {
  CellWalk<kGruGates, Weight> walk;
  const float* start;
  const float* r_start;
  float* h_next;

#if HWY_TARGET == HWY_SCALAR
  // Both parts of a gate; where that of x stands.
  HWY_NOINLINE const float* Sum(size_t unit, size_t gate, float* x_part, float* r_part) const {
    const size_t row = gate * walk.shape.hidden + unit;
    walk.AddHidden(unit, gate, r_start + row, r_part);
    return walk.AddInputs(unit, gate, start + row, x_part);
  }

  // y[n] = sigmoid(x[n] + r[n]); y may be x.
  template <size_t kUnits>
  static HWY_NOINLINE void Gate(const float* x, const float* r, float* y, size_t count) {
    if (kUnits != 0) count = kUnits;
    WEFT_FOR_UNITS(size_t n = 0; n < count; ++n) {
      Store(Sigmoid(hn::Add(Load(x + n), Load(r + n))), y + n);
    }
  }

  // The new values of `count` units from their gates and both parts of the candidate; z may be h'.
  template <size_t kUnits>
  HWY_NOINLINE void Finish(const float* z, const float* r, const float* x_part, const float* r_part,
                           size_t unit, size_t count) const {
    if (kUnits != 0) count = kUnits;
    const float* old = walk.h + unit;
    float* out = h_next + unit;
    WEFT_FOR_UNITS(size_t n = 0; n < count; ++n) {
      const FloatVec candidate = Tanh(Fma(Load(r + n), Load(r_part + n), Load(x_part + n)));
      Store(Fma(Load(z + n), hn::Sub(Load(old + n), candidate), candidate), out + n);
    }
  }

  HWY_INLINE void RunBlock(size_t unit) const {
    float r[kPanel];
    float x_part[kPanel];
    float r_part[kPanel];
    float* out = h_next + unit;  // holds z until it is whole
    for (size_t gate = 0; gate < 2; ++gate) {
      const float* from = Sum(unit, gate, x_part, r_part);
      Gate<kUnitsOfBlock>(from, r_part, gate == 0 ? out : r, kPanel);
    }
    const float* from = Sum(unit, 2, x_part, r_part);
    Finish<kUnitsOfBlock>(out, r, from, r_part, unit, kPanel);
  }

  WEFT_SMALL void RunRest() const {
    float x_part[kGruGates * kPanel];
    float r_part[kGruGates * kPanel];
    walk.StartRest(start, x_part);
    walk.AddRestInputs(x_part);
    walk.StartRest(r_start, r_part);
    walk.AddRestHidden(r_part);
    const size_t units = walk.RestUnits();
    Gate<0>(x_part, r_part, x_part, 2 * units);  // z, then r
    Finish<0>(x_part, x_part + units, x_part + 2 * units, r_part + 2 * units, walk.RestUnit(),
              units);
  }
#else
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void Run(size_t unit) const {
    CellSums<kGruGates, kBlocks, kRest> x_part, r_part;
    walk.Start(start, unit, x_part);
    walk.AddInputs(unit, x_part);
    walk.Start(r_start, unit, r_part);
    walk.AddHidden(unit, r_part);
    HWY_UNROLL(16)
    for (size_t v = 0; v < kBlocks * kPanelVectors; ++v) {
      const size_t at = unit + v * kLanes;
      GruUnits({x_part.Of(0, v), x_part.Of(1, v), x_part.Of(2, v)},
               {r_part.Of(0, v), r_part.Of(1, v), r_part.Of(2, v)}, walk.h + at, h_next + at,
               kLanes);
    }
    HWY_UNROLL(16)
    for (size_t v = 0; v < kRest; ++v) {
      const size_t at = walk.RestUnit() + v * kLanes;
      GruUnits(x_part.rest[v], r_part.rest[v], walk.h + at, h_next + at, x_part.RestLanes(v));
    }
  }
#endif
};

template <class Weight>
HWY_INLINE void RunGruCell(const CellShape& shape, const float* x, const Weight* weights,
                           const float* h, const float* start, const float* r_start,
                           float* h_next) {
  RunCell<kGruGates>(GruCellAt<Weight>{{shape, x, weights, h}, start, r_start, h_next}, shape);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_GRU_CELL_INL_H_
