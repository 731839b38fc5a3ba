// SPDX-License-Identifier: Apache-2.0
// Where one iteration of a traced loop ends and the next begins. A product of a state and weights
// depends on no place of its own copy, so that it seems to belong to the copy before: the state
// would be the product. Such operations are moved over the boundary, to the beginning of the body.
//
//   state W h:  x -> [ h = f(x, p); p' = W h ]   becomes   state h:  x -> [ p = W h; h' = f(x, p) ]
#ifndef WEFT_CONVERTER_GRAPH_REROLL_RETIME_H_
#define WEFT_CONVERTER_GRAPH_REROLL_RETIME_H_

#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/value_table.h"

namespace weft::graph {

// Moves what makes states fewer or smaller, and what is made of one value that the body needs
// anyway. False where nothing was to be moved.
bool Retime(const ValueTable& values, Period& period);
// Moves what the last copy of a model lacks: there it would be computed for nothing. Of `count`
// copies one more may then be there, which had no places for what another one would have needed.
bool RetimeByLast(const ValueTable& values, Period& period, const Copies& copies, int64_t count);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_RETIME_H_
