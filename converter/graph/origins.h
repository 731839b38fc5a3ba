// SPDX-License-Identifier: Apache-2.0
#ifndef WEFT_CONVERTER_GRAPH_ORIGINS_H_
#define WEFT_CONVERTER_GRAPH_ORIGINS_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

// The nodes from which the constants of a graph were folded.
class Origins {
 public:
  explicit Origins(const ir::Graph& graph);
  // Returns a null node if the file itself contains the constant. Rewrites give several nodes the
  // name of one layer: the last node of the constant's type counts, or else the last one.
  ir::Source Of(const ir::Node& constant) const;

 private:
  using Key = std::tuple<int64_t, std::string, std::string>;  // id, name, type and port
  std::map<Key, std::vector<ir::Source>> origins_;
};

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_ORIGINS_H_
