// SPDX-License-Identifier: Apache-2.0
// Provides each reader with a value in its axis order. Permuted values are reused, transpositions
// are inserted once per value for all readers, and constants are permuted at conversion.
#ifndef WEFT_CONVERTER_GRAPH_LAYOUT_PERMUTED_H_
#define WEFT_CONVERTER_GRAPH_LAYOUT_PERMUTED_H_

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "converter/ir/graph.h"

namespace weft::graph {

// Transposes a value to channels-last, or back to the order of the OpenVINO specification.
ir::Source Transposed(ir::Graph& graph, const ir::Node& like, const ir::Source& source,
                      bool to_last);

class PermutedValues {
 public:
  explicit PermutedValues(ir::Graph& graph) : graph_(graph) {}

  // Declares that the value is now channels-last. Call this before As for the value.
  void Permutation(const ir::Source& source);
  // The value for `reader`, channels-last if `last`, else in the order of the specification.
  ir::Source As(const ir::Node& reader, const ir::Source& source, bool last);
  // A value in the order of the specification, viewed with `dims` and permuted to channels-last.
  ir::Source Operand(const ir::Node& reader, const ir::Source& source, const Dims& dims);

 private:
  using Key = std::pair<const ir::Node*, uint32_t>;
  ir::Graph& graph_;
  std::set<Key> last_;
  std::map<Key, ir::Source> transposed_;
  std::map<std::tuple<const ir::Node*, uint32_t, Dims>, ir::Source> operands_;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_LAYOUT_PERMUTED_H_
