// SPDX-License-Identifier: Apache-2.0
// Loops of exactly one iteration need no section: their bodies' items take the place of the entry.
// Tails are fused before, so results have the bits of an iteration of a longer loop: nothing is
// fused across the body's border.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_SINGLE_TRIP_H_
#define WEFT_CONVERTER_PLAN_LOOPS_SINGLE_TRIP_H_

#include "converter/program/program.h"

namespace weft::plan {

void InlineSingleTrips(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_SINGLE_TRIP_H_
