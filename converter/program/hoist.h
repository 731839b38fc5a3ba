// SPDX-License-Identifier: Apache-2.0
// Hoists the product of constant weights with a sliced input out of a loop: the rows of K
// iterations become one matrix product, which reads the weights once instead of K times. It needs
// scratch for K rows, so the caller limits K. Every output keeps its accumulation order, so results
// are bit-identical.
#ifndef WEFT_CONVERTER_PROGRAM_HOIST_H_
#define WEFT_CONVERTER_PROGRAM_HOIST_H_

#include <cstdint>

#include "converter/program/program.h"

namespace weft::program {

// For each section with a known trip count N, the product covers all N iterations if N <= max_rows.
// Otherwise K is the largest suitable divisor of N up to max_rows. The section then becomes a loop
// over chunks around a loop of K iterations. max_rows 1 changes nothing.
void Hoist(Program& program, int64_t max_rows);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_HOIST_H_
