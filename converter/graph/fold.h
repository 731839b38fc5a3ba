// SPDX-License-Identifier: Apache-2.0
// Computes a node whose inputs are all constant. The caller provides the function that runs the
// steps, and its limits.
#ifndef WEFT_CONVERTER_GRAPH_FOLD_H_
#define WEFT_CONVERTER_GRAPH_FOLD_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/program/run_program.h"

namespace weft::graph {

// Estimates the number of operations of one run of a program, without running it.
using EstimateWork = std::function<double(const program::Program& program)>;

// Runs programs at conversion time within two limits. `used_bytes` counts the constants computed so
// far; the next constant adds its inputs and scratch. `used_work` counts operations.
struct Folding {
  program::RunProgram run;
  int64_t limit_bytes = int64_t{1} << 30;
  int64_t used_bytes = 0;
  EstimateWork work = nullptr;  // null: work is not limited
  int64_t limit_work = int64_t{1} << 24;
  int64_t used_work = 0;

  // Returns the settings for a copy of the graph, whose constants are discarded with the copy.
  Folding OfCopy() const { return {run, limit_bytes, 0, work, limit_work, 0}; }
};

// Returns one constant per output of `node`, whose output types are inferred. Returns an empty
// vector if a fault was added, for example because constants or scratch would exceed the limit.
std::vector<ir::Constant> Fold(const ir::Graph& graph, ir::Node& node, Folding& folding,
                               Faults& faults);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_FOLD_H_
