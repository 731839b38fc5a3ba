// SPDX-License-Identifier: Apache-2.0
// Tables of which Gather takes rows, as embeddings are: where their numbers were made from integers
// of 8 bits, the integers are gathered, and only the rows that were are converted and scaled. No
// bit changes.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_INTEGER_TABLES_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_INTEGER_TABLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

struct IntegerTable {
  std::string layer;  // that gathers
  int64_t bytes_before = 0, bytes = 0;
};

// `graph` and its bodies, with all types inferred and constants folded. Left alone are tables along
// another axis than the first, of short rows and of fewer numbers than the steps behind take flash
// for.
std::vector<IntegerTable> KeepIntegerTables(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_INTEGER_TABLES_H_
