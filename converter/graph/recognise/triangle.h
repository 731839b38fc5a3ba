// SPDX-License-Identifier: Apache-2.0
// Constant masks that leave each line of a square matrix its places up to the diagonal, as causal
// attention has them.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_TRIANGLE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_TRIANGLE_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// True where the numbers up to the diagonal are 0 and those behind exclude: they leave nothing of
// an exponential that they are added to.
bool IsCausalAddend(ir::Source mask);
// True where the flags up to the diagonal are `allowed` and those behind are not.
bool IsCausalChoice(ir::Source flags, bool allowed);

// The scores before a mask that leaves each line its places up to the diagonal: added, or chosen by
// a Select, which `node` is. Nullopt for any other node.
std::optional<ir::Source> BeforeTriangle(const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_TRIANGLE_H_
