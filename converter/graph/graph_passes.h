// SPDX-License-Identifier: Apache-2.0
// Passes over the complete graph and its bodies, each in a source of its own.
#ifndef WEFT_CONVERTER_GRAPH_GRAPH_PASSES_H_
#define WEFT_CONVERTER_GRAPH_GRAPH_PASSES_H_

#include <cstdint>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Assigns to every node, including bodies, its row of the operation table: the newest version not
// above the one that the file requests. Does not report operations that have none, because passes
// before Resolve may still replace these.
void FindOperations(ir::Graph& graph);

// Finds the operations and reports each one without a row in one line, with its layers, its name in
// the source framework and a workaround (missing.h). Returns false if a fault was added.
bool Resolve(ir::Graph& graph, Faults& faults);

// Makes f32 the only floating-point type of the computation. Converts f16, bf16 and f64 tensors and
// constants to f32. An explicit Convert to such a type still rounds: it becomes a conversion to
// that type and back. Ports keep the type declared in the file; a conversion is added at the port.
//
// `graph` is resolved and not yet inferred; its bodies are promoted as well. Only the types
// declared in the file are used: an undeclared port after f16 operations becomes f32.
void Promote(ir::Graph& graph);

// Adds a one-line warning that lists the f64 inputs and outputs of the model, because their values
// are computed as f32. Call it before Promote.
void WarnOfDoubles(const ir::Graph& graph, Faults& faults);

// Finds layers with bodies that cannot be prepared because an earlier error affects their inputs.
//
// Returns the loops and branches with an error of the reader, --shape or --value, and those that
// depend on such an error. Passes that prepare and infer bodies need all of their inputs.
std::vector<ir::Node*> FaultyBodies(const ir::Graph& graph);

// Checks that all reads and assignments of a variable are in one graph, the model's or a body's,
// because the order between two graphs is undefined. The branches of an If count as one graph,
// because only one of them runs.
//
// Checks `graph` and its bodies, as read. Returns false if a fault was added.
bool CheckVariables(const ir::Graph& graph, Faults& faults);

// Widens a model with batch 1 to several independent streams (--streams). The first axis of each
// input becomes the streams, and so does the batch of constants that an operation requires to have
// it: states, lengths of sequences, targets of reshapes and broadcasts, bounds of slices. Constants
// that were computed from shapes are computed again. emit/stream_parts.h compares the results with
// those of the model with one stream.
//
// The graph is inferred, and is inferred again. Returns false if faults were added: for an input
// without a first axis of extent 1, and for layers that mix the batch or have no rule to widen it.
bool WidenBatch(ir::Graph& graph, int64_t streams, const InferOptions& options, Folding& folding,
                Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_GRAPH_PASSES_H_
