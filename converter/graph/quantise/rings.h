// SPDX-License-Identifier: Apache-2.0
// The past of streamed layers (ops/ring.h) whose data lies on levels: kept as integers, too.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_

#include <vector>

#include "converter/graph/quantise/levels.h"

namespace weft::graph {

// Is it a ring whose past is a variable that begins as a number on these levels, and that rings of
// the same data alone read?
bool KeepsLevels(const ir::Graph& graph, const ir::Node& ring, const Levels& levels);
// All rings of the past that `ring` has, and for each of them one of integers in its place. What
// else than windows comes out of a ring, the new one gives from then on.
struct RingPair {
  ir::Node *ring, *of_integers;
};
std::vector<RingPair> RingsOfIntegers(ir::Graph& graph, const ir::Node& ring, ir::Source integers,
                                      const Levels& levels);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_RINGS_H_
