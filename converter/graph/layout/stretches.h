// SPDX-License-Identifier: Apache-2.0
// Stretches: values of three or four axes that can only be turned together, because operations that
// do not care for the order join them. Which of them have their channels last is decided by what is
// gained and what must be moved at their borders.
#ifndef WEFT_CONVERTER_GRAPH_LAYOUT_STRETCHES_H_
#define WEFT_CONVERTER_GRAPH_LAYOUT_STRETCHES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"
#include "converter/ops/turn.h"

namespace weft::graph {

class Stretches {
 public:
  // Reads the graph as it is.
  explicit Stretches(const ir::Graph& graph);

  // The value lies in a stretch that has its channels last.
  bool IsLast(const ir::Source& source) const;
  // The node reads input `i`, or makes output `i`, in whichever order that stretch has.
  bool Turns(const ir::Node& node, ops::Port port) const;

 private:
  // Sums over a stretch.
  struct Account {
    int made = 0, read = 0;   // by what reads and writes by strides
    int lanes = 0, slow = 0;  // steps whose lanes are channels; of those, slow ones otherwise
    int moves = 0;            // values that would be transposed at the border
  };

  size_t PlaceOf(const ir::Source& source);
  size_t RootOf(size_t place) const;
  void Join(ir::Node& node, const ops::Turn& turn);
  bool IsOfAlike(ir::Node& node, const ops::Turn& turn);
  void CountSteps(ir::Node& node, const ops::Turn& turn);
  void CountMoves(const std::vector<ir::Node*>& nodes);
  void Decide();

  std::map<std::pair<const ir::Node*, uint32_t>, size_t> places_;
  std::vector<ir::Source> sources_;    // by place
  mutable std::vector<size_t> roots_;  // likewise: another place of the stretch, or itself
  std::set<size_t> alike_;             // places of values that both orders lay out alike
  std::map<const ir::Node*, std::vector<ops::Port>> turning_;
  std::map<size_t, Account> accounts_;
  std::set<size_t> last_;
};

// What the node reads or makes there.
ir::Source SourceAt(ir::Node& node, ops::Port port);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LAYOUT_STRETCHES_H_
