// SPDX-License-Identifier: Apache-2.0
// Functions of one and two variables behind one another become one step, which passes over memory
// once:
//
//   multiply t, a, b; add u, t, c; tanh y, u   ->   chain y, a, b, c
//
// No result changes, not by a bit.
#ifndef WEFT_CONVERTER_PROGRAM_CHAINS_H_
#define WEFT_CONVERTER_PROGRAM_CHAINS_H_

#include <cstddef>

#include "converter/program/program.h"

namespace weft::plan {

// A chain's kernel takes 1.5 KB of firmware: it must spare that many steps of a model, or there is
// none.
inline constexpr size_t kLeastStepsSpared = 4;

// Joins steps inside every block, never across the border of one: what only members of a chain read
// goes away, and nothing that they read changes in between. Only where no more bytes are live at
// one time than before. Behind the choice of homes for states and behind hoisting, so that what no
// iteration changes has left the loops.
void JoinChains(Program& program, size_t least_spared = kLeastStepsSpared);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_CHAINS_H_
