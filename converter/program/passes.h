// SPDX-License-Identifier: Apache-2.0
// Passes over a program that move steps out of loops and remove copies.
#ifndef WEFT_CONVERTER_PROGRAM_PASSES_H_
#define WEFT_CONVERTER_PROGRAM_PASSES_H_

#include <cstdint>

#include "converter/program/program.h"

namespace weft::program {

// Hoists the product of constant weights with a sliced input out of a loop: the rows of K
// iterations become one matrix product, which reads the weights once instead of K times. It needs
// scratch for K rows, so the caller limits K. Every output keeps its accumulation order, so results
// are bit-identical.
//
// For each section with a known trip count N, the product covers all N iterations if N <= max_rows.
// Otherwise K is the largest suitable divisor of N up to max_rows. The section then becomes a loop
// over chunks around a loop of K iterations. max_rows 1 changes nothing.
void Hoist(Program& program, int64_t max_rows);

// Moves steps whose operands no iteration changes out of their loops, as far out as possible. The
// result is then live during the entire loop, which costs scratch. Results are bit-identical: the
// same step runs once instead of in every iteration.
//
// Processes all loops of a program.
void HoistInvariants(Program& program);

// Steps with windows write their output maps with strides. If a map is only copied into a part of
// another value, for example of a Concat of channels-last maps, the step writes to that part
// directly.
//
// Removes such copies in every block.
void PlaceMaps(Program& program);

// Steps with strided operands read a part of a value directly, so the copy that made the part dense
// is removed. The same applies to the parts of a split along channels in channels-last order.
//
// Redirects all readers of a part or none, and only if the number of live bytes does not grow.
void ReadParts(Program& program);

// Products read keys and values directly from a ring:
//   ring x past start -> window past' start'; matmul a window -> y
//     ->  ring_matmul a past x start -> y; ring x past start -> past' start'
// This requires that only products read the window, along its time steps, with strides that never
// cross from one time step to another. The ring is then written after the last product. Results are
// bit-identical.
//
// Processes the main block, which contains all rings.
void ReadRingsInPlace(Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_PASSES_H_
