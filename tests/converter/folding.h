// SPDX-License-Identifier: Apache-2.0
// The folding options that the pipeline passes to inference, for tests that start after the reader.
// Constants are folded by running them on this machine, with the command's default budget.
#ifndef WEFT_TESTS_CONVERTER_FOLDING_H_
#define WEFT_TESTS_CONVERTER_FOLDING_H_

#include "converter/base/faults.h"
#include "converter/emit/run_here.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/ir/graph.h"

namespace weft {

inline graph::Folding FoldingHere() { return {emit::RunHere}; }

inline bool InferAndFold(ir::Graph& graph, const graph::InferOptions& options, Faults& faults) {
  graph::Folding folding = FoldingHere();
  return graph::InferAndFold(graph, options, folding, faults);
}

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_FOLDING_H_
