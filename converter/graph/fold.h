// SPDX-License-Identifier: Apache-2.0
// Computes a node whose inputs are all known. Who runs its steps is handed in, with what that may
// take.
#ifndef WEFT_CONVERTER_GRAPH_FOLD_H_
#define WEFT_CONVERTER_GRAPH_FOLD_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/program/run_program.h"

namespace weft::graph {

// Operations that one run of a program takes, estimated without running it.
using EstimateWork = std::function<double(const plan::Program& program)>;

// Runs programs ahead of time within two limits. `used_bytes` are those of the constants computed
// so far, to which the next one adds its inputs and scratch; `used_work` are operations.
struct Folding {
  plan::RunProgram run;
  int64_t limit_bytes = int64_t{1} << 30;
  int64_t used_bytes = 0;
  EstimateWork work = nullptr;  // null: work is not limited
  int64_t limit_work = int64_t{1} << 24;
  int64_t used_work = 0;

  // For a copy of the graph, whose constants are dropped with it.
  Folding OfCopy() const { return {run, limit_bytes, 0, work, limit_work, 0}; }
};

// One constant per output of `node`, whose output types are inferred. Empty when a fault was added,
// such as that constants or scratch would go beyond the limit.
std::vector<ir::Constant> Fold(const ir::Graph& graph, ir::Node& node, Folding& folding,
                               Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_FOLD_H_
