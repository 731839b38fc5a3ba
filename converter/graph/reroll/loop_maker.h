// SPDX-License-Identifier: Apache-2.0
// Replaces the copies of a body by a loop.
#ifndef WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_
#define WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "converter/graph/reroll/copies.h"
#include "converter/graph/reroll/period.h"
#include "converter/graph/reroll/value_table.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// Creates values of a graph in the body of a loop, with the inputs that the body then needs.
class BodyMaker {
 public:
  explicit BodyMaker(ir::Node& loop) : loop_(loop) {}

  // Returns a new Parameter that reads `outside`, a value of the outer graph. The caller sets the
  // range or the next value of the last entry of the port map.
  ir::Source Input(const TensorType& type, const ir::Source& outside, const ir::Node& like);
  // Returns a value with the operation, reshape or slice of `made`, applied to values of the body.
  ir::Source Computed(const Value& made, const ir::Node& like,
                      const std::vector<ir::Source>& inputs);

  ir::Graph& body() { return *loop_.bodies[0].graph; }
  ir::PortMap& map() { return loop_.bodies[0].map; }

 private:
  using Port = std::pair<const ir::Node*, uint32_t>;

  ir::Node& loop_;
  std::map<std::pair<int, std::vector<Port>>, ir::Node*> nodes_;  // by form and inputs
};

struct Gain {
  // Number of operations saved; 0 if the loop has more than half as many as the copies.
  int64_t operations = 0;
  bool is_clean = false;  // no step extracts elements from the joined results of the iterations
};
Gain GainOfLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                const Copies& copies);
// Builds the loop. The caller must infer it afterwards.
void ReplaceByLoop(ir::Graph& graph, const ValueTable& values, const Period& period,
                   const Copies& copies);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_REROLL_LOOP_MAKER_H_
