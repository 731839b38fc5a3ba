// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "converter/base/faults.h"
#include "converter/graph/graph_passes.h"
#include "converter/graph/infer.h"
#include "converter/graph/recognise/loops/loop_passes.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"

namespace weft::graph {
namespace {

int64_t OpenLoops(const ir::Graph& graph) {
  return std::ranges::count_if(graph.nodes, [](const auto& node) { return IsOpenLoop(*node); });
}

// Sets the inferred dims and integers on the inputs of a loop.
void Propagate(ir::Graph& graph, ir::Node& loop, const ir::Node& inferred) {
  for (size_t i = 0; i < loop.inputs.size(); ++i) {
    const ir::Source known = inferred.inputs[i];
    const Dims& dims = TypeOf(known).dims;
    if (std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; })) continue;
    ir::Source& source = loop.inputs[i];
    source.node->outputs[source.port].type.dims = dims;
    const ir::Constant* constant = ConstantOf(known);
    if (constant == nullptr || ConstantOf(source) != nullptr || IntsOf(known).size() != 1) continue;
    const ir::Source known_value = NewConstant(graph, *source.node, *constant);
    known_value.node->attributes = FoldedFrom(source);
    source = known_value;
  }
}

// The copy has the nodes in the same order; inference appends new ones.
void PropagateToLoops(ir::Graph& graph, const Folding& folding) {
  const std::unique_ptr<ir::Graph> copy = ir::CopyOf(graph);
  Faults discarded;
  Resolve(*copy, discarded);
  Promote(*copy);
  Folding of_copy = folding;  // the constants are discarded with the copy
  InferAndFold(*copy, {.check_declared = false}, of_copy, discarded);
  const size_t count = graph.nodes.size();
  for (size_t i = 0; i < count; ++i) {
    if (IsOpenLoop(*graph.nodes[i])) Propagate(graph, *graph.nodes[i], *copy->nodes[i]);
  }
}

}  // namespace

void RecogniseCountsByShapes(ir::Graph& graph, const Folding& folding) {
  FindOperations(graph);
  RecogniseCounts(graph);
  int64_t before = OpenLoops(graph) + 1;
  for (int64_t open = before - 1; open > 0 && open < before; open = OpenLoops(graph)) {
    before = open;
    PropagateToLoops(graph, folding);
    RecogniseCounts(graph);
  }
}

}  // namespace weft::graph
