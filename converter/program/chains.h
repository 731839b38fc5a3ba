// SPDX-License-Identifier: Apache-2.0
// Joins consecutive functions of one and two operands into one step with a single pass over memory:
//
//   multiply t, a, b; add u, t, c; tanh y, u   ->   chain y, a, b, c
//
// Results are bit-identical.
#ifndef WEFT_CONVERTER_PROGRAM_CHAINS_H_
#define WEFT_CONVERTER_PROGRAM_CHAINS_H_

#include <cstddef>

#include "converter/program/program.h"

namespace weft::program {

// Minimum number of steps that chains must save in a model: the chain kernel adds 1.5 KB to the
// firmware.
inline constexpr size_t kMinStepsSpared = 4;

// Joins steps within each block, never across its border. Values that only members of a chain read
// are removed, and no operand of a member may be overwritten before the chain runs. A chain never
// raises the number of live bytes. Run this after the choice of state buffers and after hoisting,
// so that loop-invariant steps have left the loops.
void JoinChains(Program& program, size_t min_spared = kMinStepsSpared);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_CHAINS_H_
