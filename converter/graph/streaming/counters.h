// SPDX-License-Identifier: Apache-2.0
// Values in a loop body that depend on the progress of the loop: the number of the iteration, the
// total number of steps, and carried integers that grow by a constant. Slices by a counter were
// converted before to slices of the port map, and conditions on a counter to a trip count. For
// other uses, a streaming loop would need to know its run, and would be wrong after the last step
// of the full model.
//
// Other integers that no slice depends on, such as a random seed, and floats that grow by a
// constant are ordinary states if they are only numbers. They count as counters where they are an
// index, are compared or, for floats, are converted to integers.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_COUNTERS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_COUNTERS_H_

#include <cstddef>
#include <set>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Refuses every layer of the body, by name, that uses such a value for anything except the next
// value of a counter. Layers that no output depends on are not checked. `loop` is a node of
// `graph`, which is inferred; `lengths` are its inputs that depend on the total number of steps.
void RefuseCounters(const ir::Graph& graph, const ir::Node& loop, const std::set<size_t>& lengths,
                    Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_COUNTERS_H_
