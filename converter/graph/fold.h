// SPDX-License-Identifier: Apache-2.0
// Computes a node whose inputs are all known. Who runs its steps is handed in, with what that may
// take.
#ifndef WEFT_CONVERTER_GRAPH_FOLD_H_
#define WEFT_CONVERTER_GRAPH_FOLD_H_

#include <cstdint>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/program/run_program.h"

namespace weft::graph {

// What computes ahead of time, and the bytes that it may take: the constants made so far, and what
// the one being made needs with its inputs and scratch.
struct Folding {
  plan::RunProgram run;
  int64_t limit_bytes = int64_t{1} << 30;
  int64_t used_bytes = 0;
};

// One constant per output of `node`, whose output types are inferred. Empty when a fault was added,
// such as that constants or scratch would go beyond the limit.
std::vector<ir::Constant> Fold(const ir::Graph& graph, ir::Node& node, Folding& folding,
                               Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_FOLD_H_
