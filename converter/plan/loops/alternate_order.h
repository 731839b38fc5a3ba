// SPDX-License-Identifier: Apache-2.0
// Reverses the order in which every other phase of a loop reads the weights of its cells: the
// weights that the phase before read last are still in the cache.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_ALTERNATE_ORDER_H_
#define WEFT_CONVERTER_PLAN_LOOPS_ALTERNATE_ORDER_H_

#include "converter/program/program.h"

namespace weft::plan {

// Requires a program with its final cells. Hoisting comes first, so that hoisted chunks need not
// have an even number of iterations. Adds a second phase to loops of one phase whose cells have
// more weights than the L1 cache holds. Results are bit-identical.
void AlternateWeightOrder(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_ALTERNATE_ORDER_H_
