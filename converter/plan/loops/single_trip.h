// SPDX-License-Identifier: Apache-2.0
// Inlines loops of exactly one iteration: the items of their bodies replace the entry. Tails are
// fused before, and never across the border of the body, so results are bit-identical to those of
// an iteration of a longer loop.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_SINGLE_TRIP_H_
#define WEFT_CONVERTER_PLAN_LOOPS_SINGLE_TRIP_H_

#include "converter/program/program.h"

namespace weft::plan {

// Inlines all such loops of a program, including nested ones.
void InlineSingleTrips(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_SINGLE_TRIP_H_
