// SPDX-License-Identifier: Apache-2.0
// Converts a scan output of which only the chunk of the last iteration is read, as in y[:, -1], to
// a last value: the sequence is never gathered. Removes scan outputs that nothing reads.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_LAST_CHUNKS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_LAST_CHUNKS_H_

#include "converter/program/program.h"

namespace weft::plan {

// Handles loops with a constant trip count. Run this before the loops' states have buffers.
void KeepLastChunks(program::Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_LAST_CHUNKS_H_
