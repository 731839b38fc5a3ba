// SPDX-License-Identifier: Apache-2.0
// One form of each window, for every model: exporters write the same padding, dilation and
// selection in several ways. Later passes, and streaming, read only the canonical form. Results are
// bit-identical. Forms that only streaming needs are in streaming/rewrites.h.
#ifndef WEFT_CONVERTER_GRAPH_CANONICAL_CANONICAL_H_
#define WEFT_CONVERTER_GRAPH_CANONICAL_CANONICAL_H_

#include <vector>

#include "converter/base/pass_parts.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` and its bodies, with all types inferred and constants folded. Calls `observe`, if it is
// set, after each part.
void Canonicalise(ir::Graph& graph, const PartObserver<ir::Graph>& observe = {});
std::vector<PartText> CanonicalParts();

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_CANONICAL_CANONICAL_H_
