// SPDX-License-Identifier: Apache-2.0
// Evaluates the integers of a loop at conversion time: carried counters, the current iteration, and
// values computed from these and from constants. Works on a graph as read, before types are
// inferred. Values that depend on data are unknown.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_SCALARS_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_SCALARS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

class LoopScalars {
 public:
  // Starts at iteration 0 of `loop`, a Loop with its body.
  explicit LoopScalars(const ir::Node& loop);

  // Returns the value in the current iteration; nullopt if it is no known integer or boolean.
  std::optional<int64_t> Value(ir::Source source);
  // Follows all back edges to the next iteration.
  void Advance();
  int64_t iteration() const { return iteration_; }

 private:
  struct Known {
    int64_t iteration = -1;  // at which `value` was computed
    std::optional<int64_t> value;
  };

  std::optional<int64_t> Compute(ir::Source source);

  const ir::Body& body_;
  int64_t iteration_ = 0;
  std::map<const ir::Node*, std::optional<int64_t>> parameters_;
  std::map<std::pair<const ir::Node*, uint32_t>, Known> known_;
  std::vector<std::pair<const ir::Node*, std::optional<int64_t>>> next_;  // of Advance
};

// Returns the only element of an integer or boolean constant.
std::optional<int64_t> IntOf(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_SCALARS_H_
