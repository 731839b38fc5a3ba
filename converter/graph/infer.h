// SPDX-License-Identifier: Apache-2.0
// Infers every type and shape from the inputs on, folds what is constant, and holds the result
// against what the XML declares.
#ifndef WEFT_CONVERTER_GRAPH_INFER_H_
#define WEFT_CONVERTER_GRAPH_INFER_H_

#include <cstdint>
#include <map>
#include <string>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct InferOptions {
  // Hold the XML's declared shapes against the inferred ones; off when the user gave new input
  // shapes. Those of bodies are never checked twice.
  bool check_declared = true;
  int64_t max_iterations = 0;  // of loops that only the run counts; 0: refuse them
  bool repeats = false;        // the graph is run more than once: a body of a loop, or inside one
};

// Parameters must carry their final types (of a body: set by the node that has the body). A node
// whose inputs could not be inferred is passed over: its cause has been reported. False when there
// is such a node, or a fault was added.
bool InferAndFold(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults);

// What it makes of a node are constants of the node's id, line and name, one per output, with these
// attributes; the node stays in the graph without readers.
inline constexpr const char* kFoldedFrom = "folded_from";
// An attribute of a constant that counts the steps of a time axis of any length. Its readers are
// not folded: they must be computed for each step.
inline constexpr const char* kCountsSteps = "counts_steps";
std::map<std::string, std::string> FoldedFrom(const ir::Source& source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_INFER_H_
