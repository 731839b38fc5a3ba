// SPDX-License-Identifier: Apache-2.0
// Products and the gates behind them become one step, in two goes: the recurrent product before
// loops get homes, since a fused cell cannot write h' over h; that with the input behind hoisting,
// where it was not worth rows of its own. Weights are laid out anew, and no bit changes. Cells of
// one row with sigmoid and tanh; all others stay as they are.
#ifndef WEFT_CONVERTER_PROGRAM_CELLS_H_
#define WEFT_CONVERTER_PROGRAM_CELLS_H_

#include "converter/program/narrow_weights.h"
#include "converter/program/program.h"

namespace weft::plan {

//   dense h R start -> pre; lstm_gates pre c -> h' c'    ->  lstm_cell - R h c start -> h' c'
//   dense h R start -> r; gru_gates x_part r h -> h'     ->  gru_cell - R h x_part start -> h'
//   dense h R start -> pre; gru_reset pre h -> z rh;
//   dense rh C start -> n; gru_update n z h -> h'        ->  gru_reset_cell - RC h start -> h' rh
//
// Products whose weights shall be integers stay steps, as do those that `precisions` tells from
// their gates by name.
void FuseCells(Program& program, const Precisions& precisions);

//   dense x W bias -> start; lstm_cell - R h c start     ->  lstm_cell x WR h c bias
void JoinCellInputs(Program& program);

// May the step go through its weights, operand 1, from the last to the first?
bool MayTurn(const Step& step);
// Makes it do so.
void Turn(Step& step);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_CELLS_H_
