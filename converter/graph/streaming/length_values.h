// SPDX-License-Identifier: Apache-2.0
// Values that depend on T, the number of steps of a dynamic time axis (ir/time_length.h). Dataflow
// from the extents that depend on T finds them (OutputPort::doubled), also where they are equal for
// most numbers of steps.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LENGTH_VALUES_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LENGTH_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "converter/graph/fold.h"
#include "converter/graph/streaming/lengths.h"
#include "converter/ir/graph.h"

namespace weft::graph {

class LengthValues {
 public:
  // Both must outlive this. Nodes may be added to the graph, but not be removed from it.
  LengthValues(const ir::Graph& graph, const Folding& folding);

  // Returns true if an element depends on the length; the number of elements does not count.
  bool Depend(const ir::Source& source);
  // Returns true if no input of the node but `input` depends on the length.
  bool OnlyInputDepends(ir::Node& node, size_t input);

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;
  using Flags = std::vector<bool>;  // one for each element; empty where none is set

  const Flags& Of(const ir::Source& source);
  Flags Find(const ir::Source& source);
  bool LosesOpenAxis(ir::Node& node);
  bool KeepsElements(ir::Node& node, const std::set<size_t>& inputs) const;
  Flags FlagsOfMoved(ir::Node& node, uint32_t port);
  Flags FlagsOfPointwise(ir::Node& node, size_t count);

  const ir::Graph& graph_;
  const Folding& folding_;
  const Origins origins_;
  std::map<Key, Flags> known_;
};

// Constants that nodes of the graph read and whose elements depend on the length.
std::set<const ir::Node*> ConstantsOfOpenLength(const ir::Graph& graph, const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LENGTH_VALUES_H_
