// SPDX-License-Identifier: Apache-2.0
// Infers every type and shape from the inputs on, folds what is constant, and holds the result
// against what the XML declares. Folding runs the runtime's own kernels through a throw-away model,
// so that a folded value has the very bits the device would have computed.
#ifndef WEFT_CONVERTER_PASSES_INFER_H_
#define WEFT_CONVERTER_PASSES_INFER_H_

#include "converter/faults.h"
#include "converter/ir/graph.h"

namespace weft::passes {

// Parameters must carry their final types (of a body: set by whoever carries the body). A node
// whose inputs could not be inferred is passed over: its cause has been reported. `check_declared`
// is off when the user gave new input shapes. Declared shapes of bodies are never checked twice.
bool InferAndFold(ir::Graph& graph, bool check_declared, Faults& faults);

}  // namespace weft::passes

#endif  // WEFT_CONVERTER_PASSES_INFER_H_
