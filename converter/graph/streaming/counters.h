// SPDX-License-Identifier: Apache-2.0
// What the body of a loop knows of how far the loop has come: the number of the iteration, the
// number of all steps, and integers that it carries and adds a constant to. Slices by a counter
// have been made slices of the port map before, and conditions on one a trip count; for any other
// use a loop that is cut would have to know which run it is in, and go wrong behind the last step
// of the whole.
//
// Other integers that no slice has a part in (a random generator's seed), and floats that grow by a
// constant, are states like others as long as they are no more than numbers: they count where they
// are an index, are compared or, from floats, become integers.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_COUNTERS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_COUNTERS_H_

#include <cstddef>
#include <set>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Refuses every layer of the body, by name, that uses such a value for anything but the next value
// of a counter. What no output needs may use what it likes. `loop` is a node of `graph`, inferred;
// `lengths` are its inputs that are made of the number of steps.
void RefuseCounters(const ir::Graph& graph, const ir::Node& loop, const std::set<size_t>& lengths,
                    Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_COUNTERS_H_
