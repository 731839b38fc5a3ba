// SPDX-License-Identifier: Apache-2.0
// Fuses products and the gates after them into cell steps, in two passes. The recurrent product is
// fused before loops get state buffers, because a fused cell cannot write h' over h. The input
// product is fused after hoisting, if it has not been hoisted. Weights are repacked; results are
// bit-identical. Only cells of one row with sigmoid and tanh are fused.
#ifndef WEFT_CONVERTER_PROGRAM_CELLS_H_
#define WEFT_CONVERTER_PROGRAM_CELLS_H_

#include "converter/program/narrow_weights.h"
#include "converter/program/program.h"

namespace weft::program {

//   dense h R start -> pre; lstm_gates pre c -> h' c'    ->  lstm_cell - R h c start -> h' c'
//   dense h R start -> r; gru_gates x_part r h -> h'     ->  gru_cell - R h x_part start -> h'
//   dense h R start -> pre; gru_reset pre h -> z rh;
//   dense rh C start -> n; gru_update n z h -> h'        ->  gru_reset_cell - RC h start -> h' rh
//
// Products whose weights become integers stay separate steps, as do those for which `precisions`
// names the product or its gates separately.
void FuseCells(Program& program, const Precisions& precisions);

//   dense x W bias -> start; lstm_cell - R h c start     ->  lstm_cell x WR h c bias
void JoinCellInputs(Program& program);

// Returns true if the step is a fused cell, which can read its weights, operand 1, in reverse
// order.
bool CanReverseWeights(const Step& step);
// Makes the step read its weights in reverse order.
void ReverseWeights(Step& step);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_CELLS_H_
