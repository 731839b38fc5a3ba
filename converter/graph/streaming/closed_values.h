// SPDX-License-Identifier: Apache-2.0
// Values that depend on constants and shapes, but on no input. They can be computed for another
// number of steps.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_CLOSED_VALUES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_CLOSED_VALUES_H_

#include <functional>
#include <map>
#include <set>

#include "converter/graph/fold.h"
#include "converter/graph/origins.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// The nodes of such values. New nodes of the graph are not included.
class ClosedNodes {
 public:
  explicit ClosedNodes(const ir::Graph& graph);
  bool Is(const ir::Node& node) const { return nodes_.contains(&node); }

 private:
  std::set<const ir::Node*> nodes_;
};

// A copy of the nodes of such values, for another number of steps.
class OtherLength {
 public:
  // The extents of a tensor for that number of steps.
  using Extents = std::function<Dims(const ir::Source&)>;
  OtherLength(const ir::Graph& graph, Extents extents);

  // Returns true if the value was computed from a shape.
  bool ReadsAShape(const ir::Node& node);
  // Adds a value and returns its Result. After Compute, the Result reads a constant if the value
  // could be computed.
  ir::Node* Add(const ir::Source& source);
  void Compute(const Folding& folding);

 private:
  ir::Source Copy(const ir::Source& source);
  ir::Source CopyShape(ir::Node& node);
  ir::Source CopyNumbering(ir::Node& node);

  const Extents extents_;
  const Origins origins_;
  ir::Graph again_;
  std::map<const ir::Node*, ir::Node*> copies_;
  std::set<const ir::Node*> under_way_;  // origins whose copies are not complete
  std::map<const ir::Node*, bool> reads_a_shape_;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_CLOSED_VALUES_H_
