// SPDX-License-Identifier: Apache-2.0
// Makes f32 the only floating-point type of the computation. Converts f16, bf16 and f64 tensors and
// constants to f32. An explicit Convert to such a type still rounds: it becomes a conversion to
// that type and back. Ports keep the type declared in the file; a conversion is added at the port.
#ifndef WEFT_CONVERTER_GRAPH_PROMOTE_H_
#define WEFT_CONVERTER_GRAPH_PROMOTE_H_

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` is resolved and not yet inferred; its bodies are promoted as well. Only the types
// declared in the file are used: an undeclared port after f16 operations becomes f32.
void Promote(ir::Graph& graph);

// Adds a one-line warning that lists the f64 inputs and outputs of the model, because their values
// are computed as f32. Call it before Promote.
void WarnOfDoubles(const ir::Graph& graph, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_PROMOTE_H_
