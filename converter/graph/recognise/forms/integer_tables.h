// SPDX-License-Identifier: Apache-2.0
// Tables of which Gather reads rows, such as embeddings, whose numbers were computed from 8-bit
// integers. Gather then reads the integers, and only the gathered rows are converted and scaled.
// Bit-identical.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_INTEGER_TABLES_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_INTEGER_TABLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

struct IntegerTable {
  std::string layer;  // layer with the Gather
  int64_t bytes_before = 0, bytes = 0;
};

// `graph` and its bodies, with all types inferred and constants folded. Keeps tables along an axis
// other than the first, tables of short rows, and tables that would save fewer bytes than the
// additional steps need.
std::vector<IntegerTable> KeepIntegerTables(ir::Graph& graph);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_FORMS_INTEGER_TABLES_H_
