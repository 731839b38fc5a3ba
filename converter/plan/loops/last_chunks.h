// SPDX-License-Identifier: Apache-2.0
// A scan output of which nothing is read but what the last iteration has made, as in y[:, -1],
// becomes a last value: the sequence is never gathered. One that nothing reads goes away.
#ifndef WEFT_CONVERTER_PLAN_LOOPS_LAST_CHUNKS_H_
#define WEFT_CONVERTER_PLAN_LOOPS_LAST_CHUNKS_H_

#include "converter/program/program.h"

namespace weft::plan {

// Before the loops' states have homes. Of loops whose number of iterations is known.
void KeepLastChunks(Program& program);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_LOOPS_LAST_CHUNKS_H_
