// SPDX-License-Identifier: Apache-2.0
// Makes f32 the only floating-point type that is computed with. f16, bf16 and f64 tensors become
// f32, their constants with them; an explicit Convert to such a type still rounds, by a conversion
// there and back. Ports keep the type that the file gives them, by a conversion at the border.
#ifndef WEFT_CONVERTER_GRAPH_PROMOTE_H_
#define WEFT_CONVERTER_GRAPH_PROMOTE_H_

#include "converter/base/faults.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// `graph` is resolved and not yet inferred; its bodies are promoted with it. Only the declared
// types of the file are looked at, so an undeclared port behind f16 work comes out as f32.
void Promote(ir::Graph& graph);

// Warns in one line which inputs and outputs of the model are f64, since their values are computed
// as f32. To be called before Promote.
void WarnOfDoubles(const ir::Graph& graph, Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_PROMOTE_H_
