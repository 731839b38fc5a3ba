// SPDX-License-Identifier: Apache-2.0
// Constants that the converter has computed from the number of steps, as the length of a tensor
// along time determines it. Found by computing them again for one step more.
#ifndef WEFT_CONVERTER_GRAPH_STREAMING_LENGTHS_H_
#define WEFT_CONVERTER_GRAPH_STREAMING_LENGTHS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "converter/graph/fold.h"
#include "converter/graph/streaming/axes.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// What the constants of a graph were folded from.
class Origins {
 public:
  explicit Origins(const ir::Graph& graph);
  // Its node is null where the file itself has the constant.
  ir::Source Of(const ir::Node& constant) const;

 private:
  using Key = std::tuple<int64_t, std::string, std::string>;  // id, name, type and port
  std::map<Key, ir::Source> origins_;
};

// Of the constants that nodes of `times` read, those that would be others. One that repeats the
// same step along time is another only when that step is.
std::set<const ir::Node*> ConstantsOfLength(const ir::Graph& graph, const TimeAxes& times,
                                            const Folding& folding);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_STREAMING_LENGTHS_H_
