// SPDX-License-Identifier: Apache-2.0
// Every other phase of a loop goes through the weights of its cells backwards, so that those that
// it read last are still near.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_TURNS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_TURNS_H_

#include "converter/program/program.h"

namespace weft::plan {

// Of a program that is hoisted, whose cells are what they will be: its chunks have as many
// iterations as they like. A loop of one phase gets a second one where its cells have more weights
// than the first cache holds. No bit changes.
void TakeTurns(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_TURNS_H_
