// SPDX-License-Identifier: Apache-2.0
// A product with a constant matrix whose result is read in parts along its last axis, as gates and
// the query, key and value of attention are, becomes one product for each part: the parts of
// several rows would be copied apart. Left as it is where it has one row, of which a part is a
// view, and where the parts' weights would fill more panels than the whole.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_DIVIDE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_DIVIDE_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void DivideProducts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_DIVIDE_H_
