// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_RUNTIME_FOOTPRINT_RECURRENT_H_
#define WEFT_RUNTIME_FOOTPRINT_RECURRENT_H_

#include "kernels/recurrent/cell.h"
#include "runtime/footprint/footprint.h"

namespace weft::footprint {

// x, weights and h of a fused cell, whose weights per input are `row`.
template <typename Params, typename V>
WEFT_INLINE void VisitCell(const Params& p, V& v, uint32_t row) {
  v.Reads(0, kF32, p.inputs());
  v.Reads(1, p.weights(), Words{Times(row, Plus(p.inputs(), p.hidden()))});
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

}  // namespace weft::footprint

#endif  // WEFT_RUNTIME_FOOTPRINT_RECURRENT_H_
