// SPDX-License-Identifier: Apache-2.0
// Tensors that hold the same places of time. Exporters write one slice, transposition or function
// of a tensor several times, once for each reader, and move time from one end of the dims to the
// other: what looks back on such tensors looks back on the same past.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_SAME_PLACES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_SAME_PLACES_H_

#include <map>
#include <set>
#include <utility>

#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

class SamePlaces {
 public:
  // `times` is spread over a graph that is not cut yet.
  SamePlaces(const ir::Graph& graph, const TimeAxes& times);

  // Of the tensors whose places of time have the same numbers in the same order, bit for bit and
  // wherever time stands among the dims: the one that is made first.
  ir::Source First(ir::Source source) const;

 private:
  // Of those that are the same tensor.
  ir::Source FirstAlike(const ir::Source& source) const;
  bool AreOfTheSame(const ir::Node& a, const ir::Node& b) const;

  const TimeAxes& times_;
  std::map<std::pair<const ir::Node*, uint32_t>, ir::Source> alike_;  // of those that are not first
  std::set<const ir::Node*> keep_places_;  // whose places are those of input 0, as they are
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_SAME_PLACES_H_
