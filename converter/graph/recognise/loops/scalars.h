// SPDX-License-Identifier: Apache-2.0
// Evaluates the integers of a loop at conversion time: carried counters, the current iteration, and
// values computed from these and from constants. Works on a graph as read, before types are
// inferred. Values that depend on data, or exceed 32 bits, are unknown.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_SCALARS_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_SCALARS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
  // Returns element `index` of a vector, or the only element of a scalar.
  std::optional<int64_t> Element(ir::Source source, size_t index);
  // Continues with the next iteration.
  void Advance();

  // Iterations in which a value is unknown, or is first, first + step, first + 2 * step, ...
  struct Run {
    std::optional<int64_t> first;
    int64_t step = 0;
    int64_t iterations = 1;
  };
  // Returns a run that starts at the current iteration, and continues after it. The length of a run
  // follows from the lines of counters and from the iterations at which comparisons change, so a
  // counter with a limit has few runs. All calls must have the same source.
  Run TakeRun(ir::Source source);

 private:
  struct Known {
    int64_t iteration = -1;  // at which `value` was computed
    std::optional<int64_t> value;
    std::optional<int64_t> step;  // per iteration of the current run
  };

  Known& At(ir::Source source) { return known_[{source.node, source.port}]; }
  std::optional<int64_t> Compute(ir::Source source);
  // Continues after the current run.
  void Continue();
  int64_t StepOf(ir::Source source);
  int64_t StepOfState(ir::Source state, ir::Source next);
  int64_t StepOfRule(const ir::Node& node);
  // Ends the run after the current iteration.
  int64_t EndRun() {
    length_ = 1;
    return 0;
  }
  // Limits the run to the iterations in which first + k * step is at most `max`.
  void Limit(int64_t first, int64_t step, int64_t max);

  const ir::Body& body_;
  int64_t iteration_ = 0;
  int64_t length_ = 1;                                   // of the current run
  std::vector<std::pair<ir::Source, int64_t>> assumed_;  // next values of states, and their steps
  std::map<const ir::Node*, std::optional<int64_t>> parameters_;
  std::map<std::pair<const ir::Node*, uint32_t>, Known> known_;
};

// Adds `root` and all nodes that it depends on.
void AddNeeded(std::set<const ir::Node*>& nodes, const ir::Node* root);
// Returns the only element of an integer or boolean constant.
std::optional<int64_t> IntOf(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_LOOPS_SCALARS_H_
