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

// Returns true if the exponential of the score is 0.
bool IsExcluded(double score);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_TRIANGLE_H_
