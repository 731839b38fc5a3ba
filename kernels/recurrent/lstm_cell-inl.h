// SPDX-License-Identifier: Apache-2.0
// LstmCell for weights of any type: lstm_cell.cc and lstm_cell_<type>.cc are this.

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
  CellWalk<kLstmGates, Weight> walk;
  const float* c;
  const float* start;
  float* h_next;
  float* c_next;

#if HWY_TARGET == HWY_SCALAR
  HWY_NOINLINE void Sum(size_t unit, size_t gate, float* to) const {
    const float* from = start + gate * walk.shape.hidden + unit;
    walk.AddHidden(unit, gate, walk.AddInputs(unit, gate, from, to), to);
  }

  // i[n] = sigmoid(i[n]) * tanh(g[n])
  template <size_t kUnits>
  static HWY_NOINLINE void Add(float* i, const float* g, size_t count) {
    if (kUnits != 0) count = kUnits;
    WEFT_FOR_UNITS(size_t n = 0; n < count; ++n) {
      Store(SigmoidTimesTanh(Load(i + n), Load(g + n)), i + n);
    }
  }

  // The new values of `count` units from what Add made and the sums of the other gates; o may be h'.
  template <size_t kUnits>
  HWY_NOINLINE void Finish(const float* f, const float* added, const float* o, size_t unit,
                           size_t count) const {
    if (kUnits != 0) count = kUnits;
    const float* old = c + unit;
    float* cells = c_next + unit;
    float* out = h_next + unit;
    WEFT_FOR_UNITS(size_t n = 0; n < count; ++n) {
      const FloatVec next = Fma(Sigmoid(Load(f + n)), Load(old + n), Load(added + n));
      Store(next, cells + n);
      Store(SigmoidTimesTanh(Load(o + n), next), out + n);
    }
  }

  HWY_INLINE void RunBlock(size_t unit) const {
    float a[kPanel];
    float b[kPanel];
    Sum(unit, 1, a);
    Sum(unit, 2, b);
    Add<kUnitsOfBlock>(a, b, kPanel);
    float* out = h_next + unit;  // holds o until it is whole
    Sum(unit, 0, b);
    Sum(unit, 3, out);
    Finish<kUnitsOfBlock>(b, a, out, unit, kPanel);
  }

  WEFT_SMALL void RunRest() const {
    float sums[kLstmGates * kPanel];
    walk.StartRest(start, sums);
    walk.AddRestInputs(sums);
    walk.AddRestHidden(sums);
    const size_t units = walk.RestUnits();
    Add<0>(sums + units, sums + 2 * units, units);
    Finish<0>(sums, sums + units, sums + 3 * units, walk.RestUnit(), units);
  }
#else
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void Run(size_t unit) const {
    CellSums<kLstmGates, kBlocks, kRest> sums;
    walk.Start(start, unit, sums);
    walk.AddInputs(unit, sums);
    walk.AddHidden(unit, sums);
    HWY_UNROLL(16)
    for (size_t v = 0; v < kBlocks * kPanelVectors; ++v) {
      const size_t at = unit + v * kLanes;
      LstmUnits(sums.Of(0, v), sums.Of(1, v), sums.Of(2, v), sums.Of(3, v), c + at, h_next + at,
                c_next + at, kLanes);
    }
    HWY_UNROLL(16)
    for (size_t v = 0; v < kRest; ++v) {
      const size_t at = walk.RestUnit() + v * kLanes;
      LstmUnits(sums.rest[v][0], sums.rest[v][1], sums.rest[v][2], sums.rest[v][3], c + at,
                h_next + at, c_next + at, sums.RestLanes(v));
    }
  }
#endif
};

template <class Weight>
HWY_INLINE void RunLstmCell(const CellShape& shape, const float* x, const Weight* weights,
                            const float* h, const float* c, const float* start, float* h_next,
                            float* c_next) {
  RunCell<kLstmGates>(LstmCellAt<Weight>{{shape, x, weights, h}, c, start, h_next, c_next}, shape);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_LSTM_CELL_INL_H_
