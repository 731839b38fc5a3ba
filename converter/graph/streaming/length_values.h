// SPDX-License-Identifier: Apache-2.0
// Values that were folded from the length of a dynamic time axis. Dataflow from the extents that
// depend on the length finds them (OutputPort::open_axes). The converter folds with an assumed
// length: values that depend on it are only valid for that length.
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
  // Returns true if all elements along the open axes are equal for every length.
  bool AreAlike(const ir::Source& source);
  // Returns true if no input of the node but `input` depends on the length.
  bool OnlyInputDepends(ir::Node& node, size_t input);
  const Origins& origins() const { return origins_; }

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
