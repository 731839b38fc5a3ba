// SPDX-License-Identifier: Apache-2.0
// Infers a graph for two sets of input shapes.
#ifndef WEFT_CONVERTER_GRAPH_OTHER_SHAPES_H_
#define WEFT_CONVERTER_GRAPH_OTHER_SHAPES_H_

#include <memory>

#include "converter/base/faults.h"
#include "converter/graph/fold.h"
#include "converter/graph/infer.h"
#include "converter/ir/graph.h"

namespace weft::graph {

// A copy of a graph with other input shapes. Inference sets the graph, the folding and the faults.
struct OtherShapes {
  std::unique_ptr<ir::Graph> graph;
  InferOptions options;
  Folding folding;
  Faults faults;
};

// Infers `graph`, and the copy of it in `other`. A constant that depends only on constants of the
// file is folded once, and both graphs share its bytes. Returns the result of `graph`.
bool InferBoth(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults,
               OtherShapes& other);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_OTHER_SHAPES_H_
