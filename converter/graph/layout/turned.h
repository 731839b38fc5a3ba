// SPDX-License-Identifier: Apache-2.0
// The values of a graph in the order that each reader wants: turned ones, and transpositions
// between the two orders, one for all readers of a value. Constants are turned themselves.
#ifndef WEFT_CONVERTER_GRAPH_LAYOUT_TURNED_H_
#define WEFT_CONVERTER_GRAPH_LAYOUT_TURNED_H_

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "converter/ir/graph.h"

namespace weft::graph {

// A value in the other order of its axes: its channels last, or as the document has them.
ir::Source Transposed(ir::Graph& graph, const ir::Node& like, const ir::Source& source,
                      bool to_last);

class TurnedValues {
 public:
  explicit TurnedValues(ir::Graph& graph) : graph_(graph) {}

  // From now on the value has its channels last. To be said before it is asked for.
  void Turn(const ir::Source& source);
  // The value as `reader` wants it.
  ir::Source As(const ir::Node& reader, const ir::Source& source, bool last);
  // One that is in the document's order, under these dims, turned.
  ir::Source Operand(const ir::Node& reader, const ir::Source& source, const Dims& dims);

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;
  ir::Graph& graph_;
  std::set<Key> last_;
  std::map<Key, ir::Source> otherwise_;
  std::map<std::tuple<const ir::Node*, uint32_t, Dims>, ir::Source> operands_;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LAYOUT_TURNED_H_
