// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/cells/cells.h"

#include "converter/graph/recognise/cells/cell.h"
#include "converter/graph/recognise/pattern.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

bool IsSum(const ir::Node& node) {
  return node.operation->name == "Add" || node.operation->name == "Subtract";
}
bool IsProduct(const ir::Node& node) { return node.operation->name == "Multiply"; }
bool IsActivation(const ir::Node& node) { return !ActivationName(node).empty(); }

// Returns true if the output has a fixed number of rows above 0. Returns false in the branch of an
// If that never runs, because it is not inferred.
bool HasRows(const ir::OutputPort& output) {
  return !output.type.dims.empty() && ElementCount(output.type.dims).value_or(0) > 0 &&
         !output.run_time_extent;
}

// In order: the gates of an LSTM or GRU must not be recognised as an RNN.
struct CellRow {
  bool (*may_be_root)(const ir::Node& node);
  bool (*recognise)(Site& site, ir::Node& root);
};
constexpr CellRow kCells[] = {
    {IsProduct, RecogniseLstm}, {IsSum, RecogniseGru}, {IsActivation, RecogniseRnn}};

std::map<const ir::Node*, ir::Source> SuccessorsOf(const ir::Body* body) {
  std::map<const ir::Node*, ir::Source> successors;
  if (body == nullptr) return successors;
  for (const ir::BodyInput& input : body->map.inputs) {
    if (input.next != nullptr) successors[input.parameter] = input.next->inputs[0];
  }
  return successors;
}

void RecogniseIn(ir::Graph& graph, const ir::Body* body) {
  for (const CellRow& row : kCells) {
    Site site{graph, Readers(graph), SuccessorsOf(body)};
    for (ir::Node* node : ir::Topological(graph)) {
      if (node->operation == nullptr || node->constant || node->outputs.size() != 1) continue;
      if (HasRows(node->outputs[0]) && row.may_be_root(*node)) row.recognise(site, *node);
    }
  }
  if (body != nullptr) SplitProducts(*body);
  for (const ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& inner : node->bodies) RecogniseIn(*inner.graph, &inner);
  }
}

}  // namespace

void RecogniseCells(ir::Graph& graph) { RecogniseIn(graph, nullptr); }

}  // namespace weft::graph
