// SPDX-License-Identifier: Apache-2.0
// Chooses the boundary between iterations of a traced loop. A product of a state and weights
// depends on no slice of its own copy and therefore seems to belong to the copy before: the state
// would be the product. Such operations are moved across the boundary to the beginning of the body.
//
//   state W h:  x -> [ h = f(x, p); p' = W h ]   becomes   state h:  x -> [ p = W h; h' = f(x, p) ]
#ifndef WEFT_CONVERTER_GRAPH_REROLL_RETIME_H_
#define WEFT_CONVERTER_GRAPH_REROLL_RETIME_H_

#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/value_table.h"

namespace weft::graph {

// Moves operations if that makes states fewer or smaller, or if states stay the same size and the
// body needs the new state anyway. Returns false if nothing was moved.
bool Retime(const ValueTable& values, Period& period);
// Moves operations that the last copy lacks, because the loop would compute them there for nothing.
// Also moves those for which the copy after the last one has no slices, so that it may count as a
// copy. `count` is the number of copies in the timeline.
bool RetimeByLast(const ValueTable& values, Period& period, const Copies& copies, int64_t count);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_RETIME_H_
