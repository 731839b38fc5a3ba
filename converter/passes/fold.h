// SPDX-License-Identifier: Apache-2.0
// Computes a node whose inputs are all known, with the runtime's own kernels.
#ifndef WEFT_CONVERTER_PASSES_FOLD_H_
#define WEFT_CONVERTER_PASSES_FOLD_H_

#include <vector>

#include "converter/faults.h"
#include "converter/ir/graph.h"

namespace weft::passes {

// One constant per output of `node`, whose output types are inferred. Empty when a fault was added.
std::vector<ir::Constant> Fold(const ir::Graph& graph, ir::Node& node, Faults& faults);

}  // namespace weft::passes

#endif  // WEFT_CONVERTER_PASSES_FOLD_H_
