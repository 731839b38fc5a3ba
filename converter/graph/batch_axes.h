// SPDX-License-Identifier: Apache-2.0
// Finds the batch of every tensor of a model with batch 1, for --streams. Starts at the first axis
// of the inputs and follows the data flow, through variables and bodies, with the axis relations of
// the operations (ops/support/axes.h). The extents do not show the batch, because all of them
// are 1.
#ifndef WEFT_CONVERTER_GRAPH_BATCH_AXES_H_
#define WEFT_CONVERTER_GRAPH_BATCH_AXES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {

// For N streams, axis `axis` of a tensor has outer * N * chunk elements. `outer` is not 1 if
// another axis was flattened into it before the batch; `chunk` is not 1 if one was flattened into
// it after the batch.
struct BatchAxis {
  int64_t axis = 0, outer = 1, chunk = 1;
  bool operator==(const BatchAxis&) const = default;
};

class BatchAxes {
 public:
  // A reshape may have several axes of extent 1 that can be the batch: the first of them, or the
  // last one with `prefers_last`. The graph is inferred and must outlive this.
  BatchAxes(ir::Graph& graph, bool prefers_last);

  // Returns null if the tensor is the same for all streams.
  const BatchAxis* Of(const ir::Source& source) const;
  // Null for nodes that the outputs do not need.
  const ops::AxisRelation* RelationTo(const ir::Node& node) const;
  // The extents of all tensors with a batch, for that many streams.
  std::map<std::pair<const ir::Node*, uint32_t>, Dims> DimsFor(int64_t streams) const;
  // Each Squeeze without axes that removes the batch because its extent is 1, and its graph. If
  // there are any, the other results are incomplete.
  const std::map<ir::Node*, ir::Graph*>& squeezes() const { return squeezes_; }
  // Inputs without a batch, and operations that do not process each element of the batch
  // independently.
  const Faults& faults() const { return faults_; }

 private:
  void SpreadIn(ir::Graph& graph);
  void SpreadAt(ir::Graph& graph, ir::Node& node);
  void SpreadThroughGroups(ir::Graph& graph, ir::Node& node);
  void SpreadThroughBodies(ir::Graph& graph, ir::Node& node);
  void CheckIn(ir::Graph& graph);
  void CheckAt(ir::Graph& graph, ir::Node& node);
  bool IsProcessed(ir::Node& node, size_t input) const;
  bool OnlyReshapes(ir::Node& node) const;
  bool SqueezesBatch(ir::Node& node, const BatchAxis& batch) const;
  const BatchAxis* Reshaped(ir::Node& node, BatchAxis& batch) const;
  void Join(ir::Graph& graph, ir::Node& node, const ir::Source& source, const BatchAxis& batch);
  void Refuse(ir::Graph& graph, const ir::Node& node, const std::string& what);

  bool prefers_last_;
  Faults faults_;
  bool changed_ = false;
  std::map<std::pair<const ir::Node*, uint32_t>, BatchAxis> axes_;
  std::map<std::string, BatchAxis> assigned_;  // by variable
  std::map<const ir::Node*, ops::AxisRelation> relations_;
  std::map<ir::Node*, ir::Graph*> squeezes_;
  std::set<std::pair<const ir::Node*, uint32_t>> used_;  // outputs that are read
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_BATCH_AXES_H_
