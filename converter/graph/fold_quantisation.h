// SPDX-License-Identifier: Apache-2.0
// Propagates the integers of constants through folded operations, such as the conversion, zero
// point, scale and permutation of compressed weights.
#ifndef WEFT_CONVERTER_GRAPH_FOLD_QUANTISATION_H_
#define WEFT_CONVERTER_GRAPH_FOLD_QUANTISATION_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "converter/base/quantisation.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Bytes of each output; empty if the node could not run.
using NodeOutputs = std::vector<std::vector<std::byte>>;

// Returns the quantisation of each output; null if it has none. Every quantisation is exact.
// `outputs` are those of the node, whose inputs are constant. `run` computes them again, from
// inputs that are replaced during the call.
std::vector<QuantisationPtr> QuantisationsOf(ir::Node& node, const NodeOutputs& outputs,
                                             const std::function<NodeOutputs()>& run);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_FOLD_QUANTISATION_H_
