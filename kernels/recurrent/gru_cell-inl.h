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

  template <size_t>
  HWY_INLINE void Run(size_t unit) const {
    float r[kPanel];
    float x_part[kPanel];
    float r_part[kPanel];
    float* out = h_next + unit;  // holds z until it is whole
    for (size_t gate = 0; gate < 2; ++gate) {
      const float* from = Sum(unit, gate, x_part, r_part);
      float* to = gate == 0 ? out : r;
      ForVectors(kPanel, [&](size_t n, size_t) HWY_ATTR {
        Store(Sigmoid(hn::Add(Load(from + n), Load(r_part + n))), to + n);
      });
    }
    const float* from = Sum(unit, 2, x_part, r_part);
    const float* old = walk.h + unit;
    ForVectors(kPanel, [&](size_t n, size_t) HWY_ATTR {
      const FloatVec candidate = Tanh(Fma(Load(r + n), Load(r_part + n), Load(from + n)));
      Store(Fma(Load(out + n), hn::Sub(Load(old + n), candidate), candidate), out + n);
    });
  }
#else
  template <size_t kBlocks>
  HWY_INLINE void Run(size_t unit) const {
    CellSums<kGruGates, kBlocks> x_part, r_part;
    x_part.Start(start + unit, walk.shape.hidden);
    walk.AddInputs(unit, x_part);
    r_part.Start(r_start + unit, walk.shape.hidden);
    walk.AddHidden(unit, r_part);
    HWY_UNROLL(16)
    for (size_t v = 0; v < kBlocks * kPanelVectors; ++v) {
      const size_t at = unit + v * kLanes;
      const FloatVec z = Sigmoid(hn::Add(x_part.Of(0, v), r_part.Of(0, v)));
      const FloatVec r = Sigmoid(hn::Add(x_part.Of(1, v), r_part.Of(1, v)));
      const FloatVec candidate = Tanh(Fma(r, r_part.Of(2, v), x_part.Of(2, v)));
      const FloatVec distance = hn::Sub(Load(walk.h + at), candidate);
      Store(Fma(z, distance, candidate), h_next + at);
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
