// SPDX-License-Identifier: Apache-2.0
// Layout groups: values of three or four axes that must have the same axis order, because
// operations that support both orders connect them. The cost of transpositions at the border of a
// group decides whether it becomes channels-last.
#ifndef WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_GROUPS_H_
#define WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"
#include "converter/ops/support/permutation.h"

namespace weft::graph {

class LayoutGroups {
 public:
  // Reads the graph without changing it.
  explicit LayoutGroups(const ir::Graph& graph);

  // Returns true if the value belongs to a layout group that becomes channels-last.
  bool IsLast(const ir::Source& source) const;
  // Returns true if the node accesses the port in the axis order of its layout group.
  bool IsPermuted(const ir::Node& node, ops::Port port) const;

 private:
  // Totals of a layout group.
  struct Account {
    int made = 0, read = 0;   // values written and read by steps with strided access
    int lanes = 0, slow = 0;  // steps whose lanes are channels; those that are slow in other orders
    int moves = 0;            // values to transpose at the border, less transpositions saved
  };

  size_t PositionOf(const ir::Source& source);
  size_t RootOf(size_t position) const;
  void Join(ir::Node& node, const ops::Permutation& permutation);
  bool HasOrderFreeInputs(ir::Node& node, const ops::Permutation& permutation);
  void CountSteps(ir::Node& node, const ops::Permutation& permutation);
  void CountMoves(const std::vector<ir::Node*>& nodes);
  void CountSaved(ir::Node& node);
  void Decide();

  std::map<std::pair<const ir::Node*, uint32_t>, size_t> positions_;
  std::vector<ir::Source> sources_;    // by value number
  mutable std::vector<size_t> roots_;  // union-find parent by value number
  std::set<size_t> order_free_;        // values with the same memory layout in both orders
  std::map<const ir::Node*, std::vector<ops::Port>> permuted_ports_;
  std::map<size_t, Account> accounts_;
  std::set<size_t> last_;
};

// The source that input `port` reads, or output `port` itself.
ir::Source SourceAt(ir::Node& node, ops::Port port);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LAYOUT_LAYOUT_GROUPS_H_
