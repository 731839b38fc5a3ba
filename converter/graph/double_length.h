// SPDX-License-Identifier: Apache-2.0
// Evaluates nodes for twice the number of steps of a dynamic time axis (ir/time_length.h). The
// extents that differ are the ones that depend on the number of steps.
#ifndef WEFT_CONVERTER_GRAPH_DOUBLE_LENGTH_H_
#define WEFT_CONVERTER_GRAPH_DOUBLE_LENGTH_H_

#include <cstdint>
#include <map>
#include <utility>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/ir/graph.h"

namespace weft::graph {

class DoubleLength {
 public:
  // `graph` must outlive this.
  DoubleLength(const ir::Graph& graph, const InferOptions& options, const Folding& folding)
      : graph_(graph), options_(options), folding_(folding.OfCopy()) {}

  // Returns true if a parameter has a dynamic time axis (OutputPort::doubled).
  static bool IsNeeded(const ir::Graph& graph);

  // Evaluates a node whose inputs were visited and whose types for T steps are known. Adds a fault
  // and returns false if an extent is not a * T + b. A slice of a constant up to T gets T rows,
  // even if the constant has fewer: the model then limits T.
  bool Visit(ir::Node& node, Faults& faults);
  // Returns the extents for 2 * T steps if any depends on T, else none.
  Dims DimsOf(const ir::Source& source) const;
  bool HasOpenAxes(const ir::Node& node) const;
  // `constant` was folded from an output of a visited node.
  void AddFolded(const ir::Source& from, const ir::Node& constant);

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;

  ir::OutputPort PortFor(const ir::Source& source, bool is_double) const;
  ir::Node* CopyFor(ir::Graph& target, ir::Node& node, bool is_double, bool has_long_table) const;
  bool Infer(ir::Graph& target, ir::Node& copy, Faults& faults);
  bool Depends(const ir::Source& source) const;
  bool Take(ir::Node& node, const ir::Node& copy, Faults& faults);
  bool TakeTableRows(ir::Node& node);
  void FoldCopy(ir::Node& node, ir::Graph& target, ir::Node& copy);

  const ir::Graph& graph_;
  const InferOptions options_;
  Folding folding_;
  std::map<Key, Dims> dims_;            // where they differ
  std::map<Key, ir::Constant> values_;  // folded values that depend on the number of steps
};

// Sets OutputPort::doubled of all nodes that the graph needs, starting at its parameters.
// `graph` is inferred. Returns false if a fault was added.
bool MarkOpenAxes(ir::Graph& graph, const InferOptions& options, const Folding& folding,
                  Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_DOUBLE_LENGTH_H_
