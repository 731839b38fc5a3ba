// SPDX-License-Identifier: Apache-2.0
// Takes the product of constant weights with a sliced input out of a loop: K iterations' rows
// become one matrix product, which reads the weights once instead of K times. It costs K rows of
// scratch, so the caller says how large K may be. Every output keeps its chain of multiply-adds, so
// results do not change by a bit.
#ifndef WEFT_CONVERTER_PROGRAM_HOIST_H_
#define WEFT_CONVERTER_PROGRAM_HOIST_H_

#include <cstdint>

#include "converter/program/program.h"

namespace weft::plan {

// For each section with a known trip count N the product covers all of it when N <= max_rows, else
// the largest divisor of N that is at most max_rows; then the section becomes a loop of such chunks
// around a loop of K iterations. max_rows 1 changes nothing.
void Hoist(Program& program, int64_t max_rows);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_HOIST_H_
