// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_RUNTIME_FOOTPRINT_RECURRENT_H_
#define WEFT_RUNTIME_FOOTPRINT_RECURRENT_H_

#include "kernels/recurrent/cell.h"
#include "kernels/recurrent/lstm_q8.h"
#include "runtime/footprint/footprint.h"
#include "runtime/footprint/matrix.h"

namespace weft::footprint {

// x, weights and h of a fused cell, whose weights per input are `row`.
template <typename Params, typename V>
WEFT_INLINE void VisitCell(const Params& p, V& v, uint32_t row) {
  v.Reads(0, kF32, p.inputs());
  const uint32_t weights = Times(row, Plus(p.inputs(), p.hidden()));
  v.Reads(1, p.weights(), Words{Weights(p, weights, Times(2, row))});
  v.Reads(2, kF32, p.hidden());
}

// c' may overwrite c; h is read until the end.
WEFT_FOOTPRINT(LstmCell) {
  VisitCell(p, v, Clip(kernels::CellRow(4, p.hidden())));
  v.Reads(3, kF32, p.hidden());
  v.Reads(4, kF32, Times(4, p.hidden()));
  v.Writes(5, kF32, p.hidden());
  v.Writes(6, kF32, p.hidden());
  v.MayShare(3, 6, true);
}

// h is read until the end.
WEFT_FOOTPRINT(GruCell) {
  VisitCell(p, v, Clip(kernels::CellRow(3, p.hidden())));
  v.Reads(3, kF32, Times(3, p.hidden()));
  v.Reads(4, kF32, Times(3, p.hidden()));
  v.Writes(5, kF32, p.hidden());
}

// Weights of z and r, then those of the candidate. h and start are read until the end, and h' holds
// z until then.
WEFT_FOOTPRINT(GruResetCell) {
  VisitCell(p, v,
            Plus(Clip(kernels::CellRow(kernels::kGruResetGates, p.hidden())),
                 Clip(kernels::CellRow(1, p.hidden()))));
  v.Reads(3, kF32, Times(3, p.hidden()));
  v.Writes(4, kF32, p.hidden());
  v.Writes(5, kF32, p.hidden());
}

// c' may overwrite c.
WEFT_FOOTPRINT(LstmGates) {
  const uint32_t count = Times(p.rows(), p.hidden());
  v.Reads(0, kF32, Rows{p.rows(), p.pre_row_stride(), Times(4, p.hidden())});
  v.Reads(1, kF32, count);
  v.Writes(2, kF32, count);
  v.Writes(3, kF32, count);
  v.MayShare(1, 3, true);
}

// h' may overwrite h.
WEFT_FOOTPRINT(GruGates) {
  const uint32_t count = Times(p.rows(), p.hidden());
  v.Reads(0, kF32, Rows{p.rows(), p.x_row_stride(), Times(3, p.hidden())});
  v.Reads(1, kF32, Rows{p.rows(), p.r_row_stride(), Times(3, p.hidden())});
  v.Reads(2, kF32, count);
  v.Writes(3, kF32, count);
  v.MayShare(2, 3, true);
}

// z may overwrite its own half of a single row of pre; rh may overwrite h.
WEFT_FOOTPRINT(GruReset) {
  const uint32_t count = Times(p.rows(), p.hidden());
  v.Reads(0, kF32, Rows{p.rows(), p.pre_row_stride(), Times(2, p.hidden())});
  v.Reads(1, kF32, count);
  v.Writes(2, kF32, count);
  v.Writes(3, kF32, count);
  v.MayShare(0, 2, p.rows() <= 1);
  v.MayShare(1, 3, true);
}

// h' may overwrite z, h, or pre if the rows of pre have the stride of h'.
WEFT_FOOTPRINT(GruUpdate) {
  const uint32_t count = Times(p.rows(), p.hidden());
  v.Reads(0, kF32, Rows{p.rows(), p.pre_row_stride(), p.hidden()});
  v.Reads(1, kF32, count);
  v.Reads(2, kF32, count);
  v.Writes(3, kF32, count);
  v.MayShare(0, 3, p.rows() <= 1 || p.pre_row_stride() == p.hidden());
  v.MayShare(1, 3, true);
  v.MayShare(2, 3, true);
}

// All gates are summed before h' is written.
WEFT_FOOTPRINT(LstmQ8) {
  const bool is_coupled = p.coupled() != 0;
  const uint32_t outputs = Times(kernels::LstmQ8GatesOf(is_coupled), p.cells());
  const uint32_t cells = Times(p.rows(), p.cells());
  v.Reads(0, p.type(), Rows{p.rows(), p.x_row_stride(), p.inputs()});
  v.Reads(1, kI8,
          Words{Plus(PackedIntegers(outputs, p.inputs()), PackedIntegers(outputs, p.outputs()))});
  v.Reads(2, kI32,
          Clip(kernels::LstmQ8Numbers(p.cells(), is_coupled, p.peepholes() != 0, p.norm() != 0)));
  v.Reads(3, p.type(), Times(p.rows(), p.outputs()));
  v.Reads(4, kI16, cells);
  v.Writes(5, p.type(), cells);
  v.Writes(6, kI16, cells);
  v.Writes(7, kI16, Clip(kernels::LstmQ8ScratchShorts(p.cells(), is_coupled)));
  v.MayShare(3, 5, p.outputs() == p.cells());
  v.MayShare(4, 6, true);
}

// state' may overwrite state, which moves one step at a time.
WEFT_FOOTPRINT(SvdfQ8) {
  const uint32_t filters = Times(p.units(), p.rank());
  const uint32_t state = Times(Times(p.rows(), filters), p.memory());
  v.Reads(0, kI8, Rows{p.rows(), p.x_row_stride(), p.inputs()});
  v.Reads(1, kI8, Words{PackedIntegers(filters, p.inputs())});
  v.Reads(2, p.state(), Times(filters, p.memory()));
  v.Reads(3, kI32, Plus(filters, p.units()));
  v.Reads(4, p.state(), state);
  v.Writes(5, kI8, Times(p.rows(), p.units()));
  v.Writes(6, p.state(), state);
  v.MayShare(4, 6, true);
}

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_RECURRENT_H_
