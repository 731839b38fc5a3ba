// SPDX-License-Identifier: Apache-2.0
// One step of an LSTM, GRU or RNN from any source: a cell operation, a sequence or a loop body.
// Formulas (x is the input row, h and c are the states, * is elementwise, products with W and R are
// dense):
//   LSTM  c' = f(F) c + f(I) g(C), h' = f(O) h(c'), with [F I C O] = W x + R h + B; peepholes, if
//         present, add Pf c, Pi c and Po c' to F, I and O
//   GRU   h' = n + z (h - n), with z, r = f(W x + R h + B) and n = g(W x + R (r h) + B) or, with
//         linear_before_reset, n = g(W x + B + r (R h + Rb))
//   RNN   h' = f(W x + R h + B)
#ifndef WEFT_CONVERTER_OPS_SUPPORT_CELL_H_
#define WEFT_CONVERTER_OPS_SUPPORT_CELL_H_

#include <cstdint>
#include <vector>

#include "converter/ops/operation.h"
#include "converter/program/builder.h"

namespace weft::ops {

enum class CellKind { kLstm, kGru, kRnn };

// Number of gates: W and R have GateCount(kind) * hidden rows.
constexpr int64_t GateCount(CellKind kind) {
  return kind == CellKind::kLstm ? 4 : kind == CellKind::kGru ? 3 : 1;
}
constexpr size_t StateCount(CellKind kind) { return kind == CellKind::kLstm ? 2 : 1; }

struct CellShape {
  CellKind kind = CellKind::kRnn;
  int64_t batch = 1, inputs = 1, hidden = 1;
  bool linear_before_reset = false;
  format::Activation f, g, h;
};

// Row-major as in the IR: w [gates * hidden, inputs], r [gates * hidden, hidden], b [gates *
// hidden], or [4 * hidden] with linear_before_reset.
struct CellWeights {
  CodedFloats w, r;
  std::vector<float> b;
};

// The weights as values of the program, created once per cell and used by every iteration. Constant
// weights are packed into panels for dense; computed ones stay row-major for matmul.
struct PackedCell {
  bool in_panels = true;
  program::ValueId w = program::kNone, r = program::kNone, r_candidate = program::kNone;
  program::ValueId b = program::kNone, b_recurrent = program::kNone;
  program::ValueId peepholes = program::kNone;  // LSTM only: [3 * hidden] in order f i o
};
PackedCell Pack(program::Builder& builder, const CellShape& shape, const CellWeights& weights);
// The same for weights that are known at run time only, shaped as in CellWeights. b may be kNone.
PackedCell Gather(program::Builder& builder, const CellShape& shape, program::ValueId w,
                  program::ValueId r, program::ValueId b);

// Emits one step. x is [batch, inputs], the states h (and c) are [batch, hidden]. Returns the new
// states.
std::vector<program::ValueId> EmitCell(program::Builder& builder, const CellShape& shape,
                                       const PackedCell& packed, program::ValueId x,
                                       const std::vector<program::ValueId>& states);

// Reads activations, activations_alpha, activations_beta and clip of one of `directions` directions
// into `shape`. The lists hold one entry per activation of the cell (shared by all directions) or
// one per direction and activation. Reports an unsupported activation or count.
void ReadActivations(NodeScope& scope, int64_t direction, int64_t directions, CellShape& shape);

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_SUPPORT_CELL_H_
