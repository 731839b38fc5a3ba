// SPDX-License-Identifier: Apache-2.0
// Tensors with the same positions in time. Exporters write a slice, transposition or function of a
// tensor once for each reader, and move the time axis. All operations that look back on such
// tensors share one past.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_ALIGNED_POSITIONS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_ALIGNED_POSITIONS_H_

#include <map>
#include <set>
#include <utility>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

class AlignedPositions {
 public:
  // `times` is spread over a graph that is not resized yet.
  AlignedPositions(const ir::Graph& graph, const TimeAxes& times);

  // Returns the first tensor, in computation order, with bit-identical numbers in the same order at
  // every position in time. Its time axis may have another index.
  ir::Source First(ir::Source source) const;

 private:
  // Returns the first of identical tensors.
  ir::Source FirstAlike(const ir::Source& source) const;
  bool AreOfTheSame(const ir::Node& a, const ir::Node& b) const;

  const TimeAxes& times_;
  std::map<std::pair<const ir::Node*, uint32_t>, ir::Source> order_free_;  // without the first ones
  std::set<const ir::Node*> keep_positions_;  // output positions are those of input 0, unchanged
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_ALIGNED_POSITIONS_H_
