// SPDX-License-Identifier: Apache-2.0
// Runs the integers of a loop ahead of time: counters that it carries, the current iteration and
// what is computed from them and from constants. Works on a graph as it was read, before any type
// is inferred; whatever depends on data is unknown, and stays unknown.
#ifndef WEFT_CONVERTER_GRAPH_RECOGNISE_SCALARS_H_
#define WEFT_CONVERTER_GRAPH_RECOGNISE_SCALARS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converter/ir/graph.h"

namespace weft::graph {

class LoopScalars {
 public:
  // At iteration 0 of `loop`, a Loop with its body.
  explicit LoopScalars(const ir::Node& loop);

  // Of the present iteration; nullopt when not a known integer or boolean.
  std::optional<int64_t> Value(ir::Source source);
  // All back edges at once.
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

// The one integer or boolean that a constant holds.
std::optional<int64_t> IntOf(ir::Source source);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_RECOGNISE_SCALARS_H_
