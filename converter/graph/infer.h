// SPDX-License-Identifier: Apache-2.0
// Infers all types and shapes, starting from the inputs, folds constant expressions, and compares
// the result with the shapes declared in the XML.
#ifndef WEFT_CONVERTER_GRAPH_INFER_H_
#define WEFT_CONVERTER_GRAPH_INFER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/ir/graph.h"

namespace weft::graph {

struct InferOptions {
  // Compare the shapes declared in the XML with the inferred ones. Off if the user gave new input
  // shapes. Shapes inside bodies are checked only once.
  bool check_declared = true;
  int64_t max_iterations = 0;  // of loops with a run-time trip count; 0: refuse them
  bool repeats = false;        // the graph is a loop body, or inside one
  // Free the bytes of constants that only folded nodes read. Streaming may compute these nodes
  // again for other numbers of steps.
  bool frees_folded = false;
  // Edits a node whose inputs are inferred, before the node is inferred, and returns the new nodes
  // that it reads; null: none is edited. Also called for the nodes of bodies.
  std::function<std::vector<ir::Node*>(ir::Graph& graph, ir::Node& node)> edit = nullptr;
};

// Parameters must have their final types; the owning node sets those of a body. Skips a node whose
// inputs could not be inferred, because the cause has been reported. Returns false if a node was
// skipped or a fault was added.
bool InferAndFold(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults);

// Attributes of the constants that InferAndFold computes from a node. There is one constant per
// output, with the node's id, line and name. The node stays in the graph without readers.
inline constexpr const char* kFoldedFrom = "folded_from";
// Attribute of a constant that counts the steps of a time axis of any length. Its readers are not
// folded, because they must be computed for each step.
inline constexpr const char* kCountsSteps = "counts_steps";
// Returns the attributes of a constant that is folded from `source`.
std::map<std::string, std::string> FoldedFrom(const ir::Source& source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_INFER_H_
