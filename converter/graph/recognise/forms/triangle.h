// SPDX-License-Identifier: Apache-2.0
// Constant masks that keep the elements of each row of a square matrix up to the diagonal, as in
// causal attention.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_TRIANGLE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_TRIANGLE_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// Returns true if the numbers up to the diagonal are 0 and those after it exclude keys: added to a
// score, they make its exponential 0.
bool IsCausalAddend(ir::Source mask);
// Returns true if the flags up to the diagonal equal `allowed` and those after it do not.
bool IsCausalChoice(ir::Source flags, bool allowed);

// Returns the scores before `node`, which applies such a mask by an addition or a Select. Returns
// nullopt for other nodes.
std::optional<ir::Source> BeforeTriangle(const ir::Node& node);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_TRIANGLE_H_
