// SPDX-License-Identifier: Apache-2.0
// Splits a product with a constant matrix into one product per part, if its result is read in parts
// along its last axis. Examples are gates, and query, key and value. Otherwise the parts of several
// rows would need copies. Keeps a product of a single row, whose parts are views, and a product
// whose parts would need more weight panels in total.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_DIVIDE_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_DIVIDE_H_

#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded.
void DivideProducts(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_DIVIDE_H_
